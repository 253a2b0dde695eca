package join

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The moments at which a client with hooks runs parley.
const (
	Start  = "start"  // a session begins
	Prompt = "prompt" // its user has said something
	Stop   = "stop"   // the turn is about to end
)

// Events are the moments in the order in which they come.
func Events() []string { return []string{Start, Prompt, Stop} }

// HookInput is what the clients say about the moment on standard input.
type HookInput struct {
	Session string `json:"session_id"`
	// Continued means that a hook has already kept this turn from ending.
	Continued bool `json:"stop_hook_active"`
	// Folder is where the client works at the moment.
	Folder string `json:"cwd"`
}

// HookOutput writes a text in the form in which a client hands it to its model. At
// the end of a turn this keeps the turn going.
func (c Client) HookOutput(event, text string) ([]byte, error) {
	name, ok := c.Events[event]
	if !ok {
		return nil, fmt.Errorf("%s has no hook for %s", c.Title, event)
	}
	var out any = map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": name, "additionalContext": text}}
	if event == Stop {
		out = map[string]string{"decision": "block", "reason": text}
	}
	line, err := json.Marshal(out)
	return append(line, '\n'), err
}

// Letter is one message that a hook hands over.
type Letter struct {
	Text  string
	ID    string // of the message
	Task  string // the work that it asks for; empty if none
	Again bool   // handed out before
}

// MostLetters and longestLetter keep a hook's text below the 10,000 characters
// beyond which Claude Code puts it into a file instead of its model's context.
const (
	MostLetters   = 4
	longestLetter = 2000
)

// Handover is the text of a hook: the messages under their usual headers, and what
// can be done about them.
func Handover(letters []Letter, more int) string {
	var b strings.Builder
	if len(letters) == 1 {
		b.WriteString("A message has arrived for you in parley:\n")
	} else {
		fmt.Fprintf(&b, "%d messages have arrived for you in parley:\n", len(letters))
	}
	tasks := 0
	for _, l := range letters {
		b.WriteString("\n" + l.head() + "\n" + l.text() + "\n")
		if l.Task != "" {
			tasks++
		}
	}
	b.WriteString("\n")
	if tasks > 0 {
		b.WriteString("A task is open until you end it with task_complete or task_fail. ")
	}
	if tasks < len(letters) {
		b.WriteString("Use reply for a message that needs an answer. ")
	}
	b.WriteString("You need not acknowledge what you read here in full.")
	if more > 0 {
		fmt.Fprintf(&b, " %d more wait: call wait_for_messages.", more)
	}
	return b.String()
}

// head names the message and the task, which reply, task_complete and task_fail need.
func (l Letter) head() string {
	head := "(" + l.ID
	if l.Task != "" {
		head += ", asks you to do " + l.Task
	}
	if l.Again {
		head += ", handed out before"
	}
	return head + ")"
}

// Whole reports whether all of the message is handed over. What is cut does not count as
// seen: the agent has to read it itself.
func (l Letter) Whole() bool { return len(l.Text) <= longestLetter }

func (l Letter) text() string {
	if l.Whole() {
		return l.Text
	}
	return strings.ToValidUTF8(l.Text[:longestLetter], "") + fmt.Sprintf("… [%d more bytes of %s are not shown: call read_inbox now, which shows all of it, and confirm it with its cursor]",
		len(l.Text)-longestLetter, l.ID)
}
