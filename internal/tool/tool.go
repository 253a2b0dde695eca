// Package tool is what a turn can do besides thinking. A tool is a thin skin
// over one use case: it reads what the model wrote, calls the use case as the
// agent whose turn it is, and puts the outcome into words. Each toolset is a
// package below this one, each tool a file x.go beside x.md, the text that the
// model reads.
//
// A call's arguments are read once, by Prepare. What the rules are asked about
// and what is then done come from the same value, so that nobody can be asked
// about one thing and get another. Tools hold no state and may be used by many
// turns at once.
package tool

import (
	"context"
	"encoding/json"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/policy"
)

// Tool is one function that a model can call, made by New or Outside.
type Tool struct {
	model.Tool
	// Title is its name for people.
	Title string
	Hints Hints
	// Replays says that running the call again under the same key is harmless,
	// because it finds what it did before. Any other tool is put on record before
	// it starts, and after a crash reported as interrupted instead of run again. A tool
	// that replays must have no effect outside the database: it may begin before the disk
	// has the reply that asked for it.
	Replays bool
	// Commands says that a call may change files that nobody knows of before. It is on
	// record until the call says what it changed.
	Commands bool
	// Contacts says that a call asks, delegates or notifies. The rules are asked
	// about that where the target is found, once, whichever door it comes through;
	// a turn asks them about every other call.
	Contacts bool
	// Opens says that the first thing that a call stores is a contact that it opens, and
	// with it what its context has to be stored beside that (store.Beside). It replays.
	Opens bool
	// Output is the schema of Result.Data; nil if a call returns text alone.
	Output json.RawMessage

	prepare func(args json.RawMessage) Prepared
}

// Hints tell whoever offers the tool what a call may do, in the words of MCP.
// The rules do not go by them: what a call does follows from its action.
type Hints struct {
	// ReadOnly: it looks and changes nothing that others depend on.
	ReadOnly bool
	// Destructive: it may undo or overwrite, not only add. A tool that only reads
	// never does.
	Destructive bool
	// OpenWorld: it may reach what is outside the team and its workspace.
	OpenWorld bool
}

// Prepare reads the arguments of a call. They may be anything that a model made
// up; Prepared.Err then says what is wrong with them.
func (t Tool) Prepare(args json.RawMessage) Prepared { return t.prepare(args) }

// ActionOf names a call for the rules; ok is false if they are asked elsewhere.
func (t Tool) ActionOf(args json.RawMessage) (action string, ok bool) {
	action = t.Prepare(args).Action
	return action, action != ""
}

// Reads reports whether a call can run beside others that do: it only looks, and
// needs no record before it starts.
func (t Tool) Reads(args json.RawMessage) bool {
	action, asked := t.ActionOf(args)
	return t.Replays && asked && policy.Reads(action)
}

// Prepared is a call whose arguments have been read.
type Prepared struct {
	// Err says why the arguments are refused. The rest is then as for a call
	// without arguments.
	Err error
	// Action names the call for the rules, tool:<category>:<detail>; empty for a
	// contact, about which they are asked elsewhere, and for what needs no rule.
	Action string
	// Peer is whom a contact is for, as the model spells it; empty if it is for
	// nobody in particular.
	Peer string
	// All says that a contact is for all who may be contacted.
	All bool

	run func(ctx context.Context, c Call) (Result, error)
}

// Run makes the call. An error becomes the result that the model reads, unless
// it says that the turn itself was stopped.
func (p Prepared) Run(ctx context.Context, c Call) (Result, error) {
	if p.Err != nil {
		return Result{}, p.Err
	}
	return p.run(ctx, c)
}

// Call is one call within a turn.
type Call struct {
	Lease parley.Lease
	Slot  parley.Slot
	// Key names the call: its task, its turn and its id. It is the same when the
	// turn goes on in another process.
	Key string
	// From is the earlier task that decided on the call, if the turn's task goes on
	// where that one failed; 0 otherwise.
	From parley.TaskID
	// Approved says that somebody has approved this call with these arguments.
	Approved bool
	// Changing stores changes of files that are about to be made; nil if nobody wants to
	// know. They must not be made if it fails.
	Changing func(...parley.Change) error
	// Commanded stores what a command has changed, even nothing; nil if nobody wants to
	// know.
	Commanded func(ctx context.Context, list []parley.Change) error
	// Unkept reads the oldest of the conversation that is in no keeper of the agent
	// yet, oldest first, and how much there is in all.
	Unkept func(ctx context.Context) (list []parley.KeptMessage, total int, err error)
	// Think asks the agent's own model something beside its turn. It costs what it
	// costs, and fails where the budget does not allow it.
	Think func(ctx context.Context, r model.Request) (model.Reply, error)
}

// Result is what the model reads.
type Result struct {
	Text string
	// Data says the same to a program, if there is more to it than text. A model that
	// the hub runs reads the text.
	Data map[string]any
	// Seen are the messages whose text the result shows.
	Seen []parley.MessageID
	// Read is how far the agent has now read a channel; zero if it has not.
	Read Reading
	// Exit is the exit code of a command; nil if none has ended by itself.
	Exit *int
}

// Reading is a place in a group channel.
type Reading struct {
	Channel parley.ChannelID
	Upto    int
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
