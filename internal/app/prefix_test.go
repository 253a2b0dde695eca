package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/model"
	"parley/internal/model/wiretest"
)

// formats are the wires of providers, and that of a model without tool calling,
// whose tools are part of the system text.
var formats = []struct{ label, model, more string }{
	{"anthropic", "anthropic/claude-test", ""},
	{"responses", "openai/gpt-5", ""},
	{"completions", "trial/llama3:8b", ""},
	{"gemini", "gemini/gemini-test", ""},
	{"JSON actions", "trial/llama2", ", tool_calling: false"},
}

// dataBot reads what DataBot's model was sent for each of its tasks: SlowBot asks
// it once, Ada twice, and before the last task what the team shares changes.
func dataBot(t *testing.T, name, more string) (requests []wiretest.Request) {
	t.Helper()
	server := wiretest.Start(t, func(r wiretest.Request) wiretest.Reply {
		asks := strings.HasPrefix(r.System, "You are SlowBot.") && !strings.Contains(string(r.Body), "Fine.")
		switch {
		case asks && more == "":
			return wiretest.Reply{Calls: []wiretest.Call{{ID: "a", Name: "contact_agent", Args: `{"action":"ask","agentId":"DataBot","message":"Are we rich?"}`}}}
		case asks:
			return wiretest.Reply{Text: `{"action":"tool_call","id":"a","tool":"contact_agent","args":{"action":"ask","agentId":"DataBot","message":"Are we rich?"}}`}
		case more == "":
			return wiretest.Reply{Text: "Fine."}
		}
		return wiretest.Reply{Text: `{"action":"done","message":"Fine."}`}
	})
	dir := abroad(t, name, server, more).Team.Dir
	write(t, dir, "agents/_shared/house.md", "We are kind.")
	r := up(t, configure(t, dir))
	ask := func(agent string) {
		task, err := r.client().WaitTask(t.Context(), r.contact("ask", agent).ID, time.Minute)
		if err != nil || task.State != "completed" {
			t.Fatalf("%+v, %v\n%s", task, err, r.log)
		}
	}
	ask("SlowBot")
	ask("DataBot")
	write(t, dir, "agents/_shared/house.md", "We are brief.")
	r.reload()
	ask("DataBot")
	for _, req := range server.Requests() {
		if strings.HasPrefix(req.System, "You are DataBot.") {
			requests = append(requests, req)
		}
	}
	if len(requests) != 3 {
		t.Fatalf("%d requests\n%s", len(requests), r.log)
	}
	return requests
}

// Whoever asks and for whatever, what an agent's model is sent begins with the
// same bytes, up to where the task begins: a provider keeps such a beginning. What
// the team shares comes last in it, so that it can change without the rest.
func TestTasksOfAnAgentShareTheBeginningOfTheirPrompts(t *testing.T) {
	for _, f := range formats {
		t.Run(f.label, func(t *testing.T) {
			requests := dataBot(t, f.model, f.more)
			shared := commonPrefix(requests[0].System, requests[1].System)
			if !strings.HasSuffix(shared, "\n\nWe are kind.\n\nThis is your direct conversation with ") {
				t.Errorf("two tasks share …%q", shared[max(0, len(shared)-200):])
			}
			changed := commonPrefix(requests[1].System, requests[2].System)
			if !strings.HasPrefix(changed, "You are DataBot.\n\nYou know the revenue.\n") || !strings.HasSuffix(changed, "\n\nWe are ") {
				t.Errorf("with other shared files they share …%q", changed[max(0, len(changed)-200):])
			}
			first := field(t, requests[0].Body, "tools")
			for _, r := range requests[1:] {
				if tools := field(t, r.Body, "tools"); tools != first || (tools == "") != (f.more != "") {
					t.Errorf("tools:\n%s\nand\n%s", first, tools)
				}
			}
			if f.more != "" && !strings.Contains(changed, "### contact_agent\n") {
				t.Error("the tools come after what changes")
			}
		})
	}
}

// Anthropic keeps what ends with a mark. One is after what hardly ever changes, one
// after what is shared, and one after the conversation; none is in the task.
func TestAnthropicIsToldWhatToKeep(t *testing.T) {
	requests := dataBot(t, "anthropic/claude-test", "")
	for i, house := range []string{"We are kind.", "We are kind.", "We are brief."} {
		var system []struct {
			Text  string           `json:"text"`
			Cache *json.RawMessage `json:"cache_control"`
		}
		read(t, field(t, requests[i].Body, "system"), &system)
		if len(system) != 3 || system[0].Text != "You are DataBot.\n\nYou know the revenue.\n" || system[1].Text != "\n"+house+"\n" ||
			!strings.HasPrefix(system[2].Text, "\nThis is your direct conversation with ") {
			t.Fatalf("system: %s", field(t, requests[i].Body, "system"))
		}
		if system[0].Cache == nil || system[1].Cache == nil || system[2].Cache != nil {
			t.Errorf("marks: %s", field(t, requests[i].Body, "system"))
		}
		var messages []struct {
			Role    model.Role                   `json:"role"`
			Content []map[string]json.RawMessage `json:"content"`
		}
		read(t, field(t, requests[i].Body, "messages"), &messages)
		last := messages[len(messages)-1].Content
		if last[len(last)-1]["cache_control"] == nil {
			t.Errorf("the conversation has no mark: %s", field(t, requests[i].Body, "messages"))
		}
		if n := strings.Count(string(requests[i].Body), `"cache_control"`); n != 3 {
			t.Errorf("%d marks, of which four are allowed", n)
		}
	}
}

// field is a field of a JSON object as it was written.
func field(t *testing.T, body []byte, name string) string {
	t.Helper()
	var fields map[string]json.RawMessage
	read(t, string(body), &fields)
	return string(fields[name])
}

func read(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", text, err))
	}
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
