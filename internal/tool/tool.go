// Package tool is what a turn can do besides thinking. A tool is a thin skin
// over one use case: it decodes what the model wrote, calls the use case as
// the agent whose turn it is, and puts the outcome into words. Each toolset is
// a package below this one, each tool a file x.go beside x.md, the text that
// the model reads.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/policy"
)

// Tool is one function that a model can call.
type Tool struct {
	model.Tool
	// Replays says that running the call again under the same key is harmless,
	// because it finds what it did before. Any other tool is put on record before
	// it starts, and after a crash reported as interrupted instead of run again.
	Replays bool
	// Contacts says that a call asks, delegates or notifies. The rules are asked
	// about that where the target is found, once, whichever door it comes through;
	// a turn asks them about every other call.
	Contacts bool
	// Peer is the argument that names whom a contact is for.
	Peer string
	// Action names any other call for the rules, tool:<category>:<detail>. The
	// arguments may be anything that a model made up. A tool without it is
	// tool:other:<name>, which the standard profile wants approval for.
	Action func(args json.RawMessage) string
	// Run does it. An error becomes the result that the model reads, unless it
	// says that the turn itself was stopped.
	Run func(ctx context.Context, c Call) (Result, error)
}

// ActionOf names a call for the rules; ok is false if they are asked elsewhere.
func (t Tool) ActionOf(args json.RawMessage) (action string, ok bool) {
	switch {
	case t.Contacts:
		return "", false
	case t.Action == nil:
		return policy.Action(policy.Other, t.Name), true
	default:
		return t.Action(args), true
	}
}

// Reads reports whether a call can run beside others that do: it only looks, and
// needs no record before it starts.
func (t Tool) Reads(args json.RawMessage) bool {
	action, asked := t.ActionOf(args)
	return t.Replays && asked && policy.Reads(action)
}

// Call is one call within a turn.
type Call struct {
	Lease parley.Lease
	Slot  parley.Slot
	// Key names the call: its task, its turn and its id. It is the same when the
	// turn goes on in another process.
	Key  string
	Args json.RawMessage
	// Approved says that somebody has approved this call with these arguments.
	Approved bool
	// Said is the conversation as the agent sees it, the oldest first.
	Said func() []parley.Kept
	// Think asks the agent's own model something beside its turn. It costs what it
	// costs, and fails where the budget does not allow it.
	Think func(ctx context.Context, r model.Request) (model.Reply, error)
}

// Result is what the model reads.
type Result struct {
	Text string
	// Seen are the messages whose text the result shows.
	Seen []parley.MessageID
	// Read is how far the agent has now read a channel; zero if it has not.
	Read Reading
}

// Reading is a place in a group channel.
type Reading struct {
	Channel parley.ChannelID
	Upto    int
}

// Decode reads a call's arguments. What a model makes up gets an error that it
// can act on.
func Decode(args json.RawMessage, into any) error {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := json.Unmarshal(args, into); err != nil {
		return parley.Errorf(parley.Invalid, "The arguments do not fit the tool: %s.", misfit(err)).
			WithHint("Send one JSON object with the parameters that the tool describes.")
	}
	return nil
}

// misfit says what is wrong with arguments in the words of JSON, not of Go.
func misfit(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return "they are not JSON"
	}
	kind, _, _ := strings.Cut(wrong.Value, " ")
	article := "a"
	if kind == "object" || kind == "array" {
		article = "an"
	}
	if wrong.Field == "" {
		return "they cannot be " + article + " " + kind
	}
	return wrong.Field + " cannot be " + article + " " + kind
}

// ErrUnknown tells a model that it made up a tool.
func ErrUnknown(tools []Tool, name string) *parley.Error {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return parley.Errorf(parley.NotFound, "There is no tool %q.", name).WithHint("There are %s.", strings.Join(names, ", "))
}

// Find returns the tool of that name.
func Find(tools []Tool, name string) (Tool, bool) {
	for _, t := range tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}
