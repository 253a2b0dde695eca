package step

import (
	"encoding/json"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
)

// longestLine is how much of a text a line shows.
const longestLine = 120

func clip(text string) string { return parley.Clip(text, longestLine) }

// arguments are those of a call, as far as a line tells of them.
type arguments struct {
	tool   string
	given  map[string]json.RawMessage
	action string
}

func argumentsOf(c model.Call) arguments {
	a := arguments{tool: c.Name}
	_ = json.Unmarshal(c.Args, &a.given) // of what is no object, nothing is told
	a.action = a.text("action")
	return a
}

// text is the first of the named arguments that is a text.
func (a arguments) text(names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(a.given[name], &s) == nil && s != "" {
			return clip(s)
		}
	}
	return ""
}

// peer is whom a contact is for; every tool takes the same spellings.
func (a arguments) peer() string { return a.text("agentId", "target_agent", "target") }

// said is what a contact says.
func (a arguments) said() string {
	return a.text("message", "task", "task_description", "question", "content", "title", "what", "finding", "intent", "enrichment")
}

// lines say what a tool does and on what.
var lines = map[string]func(arguments) string{
	"read_file":     func(a arguments) string { return on("reads", a.text("path")) },
	"list_symbols":  func(a arguments) string { return on("lists the symbols of", a.text("path")) },
	"glob":          func(a arguments) string { return on("lists", a.text("pattern")) },
	"grep":          func(a arguments) string { return on(on("searches for", a.text("pattern")), inside(a.text("path"))) },
	"write_file":    func(a arguments) string { return on("writes", a.text("path")) },
	"replace_block": func(a arguments) string { return on("changes", a.text("path")) },
	"shell":         func(a arguments) string { return on("runs", a.text("command")) },

	"contact_agent": func(a arguments) string {
		verbs := map[string]string{"ask": "asks", "delegate": "delegates to", "notify": "notifies"}
		return says(verbs[a.action], a.peer(), a.said())
	},
	"request_from_agent":    func(a arguments) string { return says("asks", a.peer(), a.said()) },
	"call_agent":            func(a arguments) string { return says("asks", a.peer(), a.said()) },
	"send_to_agent":         func(a arguments) string { return says("delegates to", a.peer(), a.said()) },
	"remind":                func(a arguments) string { return on("sets a reminder for", a.text("task_id")) },
	"ask_user":              func(a arguments) string { return says("asks", orElse(a.text("person"), "a person"), a.said()) },
	"peer_create_task":      func(a arguments) string { return says("delegates to", orElse(a.peer(), a.text("role")), a.said()) },
	"peer_message":          func(a arguments) string { return says("tells", a.peer(), a.said()) },
	"peer_ask_question":     func(a arguments) string { return says("asks", orElse(a.peer(), "all"), a.said()) },
	"peer_forward_question": func(a arguments) string { return says("forwards "+a.text("query_id")+" to", a.peer(), a.said()) },
	"peer_answer_question":  func(a arguments) string { return says("answers", a.text("query_id"), a.text("answer")) },
	"peer_review": func(a arguments) string {
		return says("asks for a review of", a.text("path"), a.text("what"))
	},
	"peer_discovery":     func(a arguments) string { return says("tells", "all", a.said()) },
	"peer_intent":        func(a arguments) string { return says("tells", "all", a.said()) },
	"peer_plan_revision": func(a arguments) string { return says("tells", "all", a.text("change")) },
	"peer_claim_region": func(a arguments) string {
		if string(a.given["release"]) == "true" {
			return on("releases", a.text("path"))
		}
		return on("claims", a.text("path"))
	},
	"remember":             func(a arguments) string { return on("notes down:", a.text("text", "content")) },
	"read_attachment":      func(a arguments) string { return on("reads the whole of", orElse(a.text("of"), "the request")) },
	"message_status":       func(a arguments) string { return on("looks what became of", a.text("message_id")) },
	"query_workspace":      func(a arguments) string { return "looks at the team" },
	"send_channel_message": func(a arguments) string { return says("posts to", a.text("channel", "channelId"), a.said()) },
	"read_channel":         func(a arguments) string { return on("reads", a.text("channel", "channelId")) },
	"read_inbox":           func(a arguments) string { return "reads its inbox" },
	"read_agent_docs":      func(a arguments) string { return on("reads the docs of", a.peer()) },
	"list_agents":          func(a arguments) string { return "lists the agents" },
	"search_messages":      func(a arguments) string { return on("searches messages for", a.text("query")) },
	"context_retrieve":     func(a arguments) string { return on("looks up", a.text("query")) },
	"context_offload":      func(a arguments) string { return on("puts away", a.text("topic")) },
	"await_task":           func(a arguments) string { return on("waits for", a.text("task_id")) },
	"cancel_task":          func(a arguments) string { return on("cancels", a.text("task_id")) },
	"approve_action":       func(a arguments) string { return on("approves", a.text("approval_id")) },
	"deny_action":          func(a arguments) string { return says("denies", a.text("approval_id"), a.text("reason")) },
	"sleep":                func(a arguments) string { return on("sleeps until", a.text("until")) },
}

// line says what a call does.
func (a arguments) line() string {
	if say, known := lines[a.tool]; known {
		if line := clip(say(a)); line != "" {
			return line
		}
	}
	return clip(on("calls", a.tool) + brief(a.given))
}

// brief are the arguments of a tool that nothing is known of.
func brief(given map[string]json.RawMessage) string {
	if len(given) == 0 {
		return ""
	}
	text, err := json.Marshal(given)
	if err != nil {
		return ""
	}
	return " " + parley.ReadableArgs(string(text))
}

// waitsFor says what a turn does while a call runs: it waits for whom it asks.
func waitsFor(c model.Call) string {
	a := argumentsOf(c)
	switch {
	case c.Name == "contact_agent" && a.action == "ask", c.Name == "request_from_agent", c.Name == "call_agent":
		return on("waits for", a.peer())
	case c.Name == "ask_user":
		return on("waits for", orElse(a.text("person"), "a person"))
	}
	return a.line()
}

// command is the command that a call runs.
func (a arguments) command() string {
	if a.tool != "shell" {
		return ""
	}
	var command string
	_ = json.Unmarshal(a.given["command"], &command)
	return command
}

// changed are the files that a call has changed when it succeeds.
func (a arguments) changed() []string {
	if a.tool != "write_file" && a.tool != "replace_block" {
		return nil
	}
	var path string
	if json.Unmarshal(a.given["path"], &path) != nil || path == "" {
		return nil
	}
	return []string{path}
}

// lookers are the tools whose calls run at the same time where they stand together.
var lookers = []string{"read_file", "list_symbols", "glob", "grep", "read_channel", "read_agent_docs", "list_agents", "search_messages", "context_retrieve", "read_attachment", "read_inbox", "query_workspace"}

// plain reports whether a line says enough of a call that went well.
func plain(tool string) bool {
	return slices.Contains([]string{"read_file", "list_symbols", "write_file", "replace_block"}, tool)
}

func looks(tool string) bool { return slices.Contains(lookers, tool) }

// toolsOf names the tools of calls, each once.
func toolsOf(calls []model.Call) string {
	var names []string
	for _, c := range calls {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return clip(strings.Join(names, ", "))
}

func says(verb, whom, what string) string {
	line := on(verb, whom)
	if what == "" {
		return line
	}
	return line + ": " + what
}

func on(verb, what string) string { return strings.TrimSpace(verb + " " + what) }

func inside(path string) string {
	if path == "" {
		return ""
	}
	return "in " + path
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
