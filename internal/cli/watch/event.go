package watch

import (
	"time"

	"parley/api"
)

// Event is something that changes what is shown: from the hub, from the keyboard,
// or the end of what was asked for.
type Event any

// Snapshot is the team as it is now.
type Snapshot struct {
	Team, You string
	At        time.Time
	Agents    []api.Agent
	Paused    bool
	Tasks     []api.Task
	Channels  []api.Channel
	Approvals []api.Approval
	Questions []Question
	Today     api.Spending
	// Known says that the hub could tell what today has cost.
	Known bool
}

// Question is a task that waits for an answer of the person who looks.
type Question struct {
	api.Task
	// Text is the whole request.
	Text string
	// Routed is the id of a question that somebody asked the team; empty for a task.
	Routed string
}

// Said is an entry of the record, with the text of its message.
type Said struct {
	api.Event
	Text string
}

// Stepped is a step of a turn.
type Stepped struct{ api.Step }

// Missed says that more happened than can be shown.
type Missed struct{ N int }

// Lost says that the hub does not answer.
type Lost struct{ Why string }

// Back says that the hub answers again.
type Back struct{}

// Tick is the time.
type Tick struct{ Now time.Time }

// Size is how large the terminal is.
type Size struct{ W, H int }

// Key is a key that was pressed: its name, and what it types if it types anything.
type Key struct{ Name, Text string }

// Paste is text from the clipboard.
type Paste struct{ Text string }

// Done says how something ended that the person did.
type Done struct {
	Action Action
	Text   string
	Err    error
}

// Opened is a text to read that was asked for.
type Opened struct {
	Title string
	Text  string
}

// Action is what the person wants done at the hub.
type Action any

type (
	// Approve lets a call run, exactly as it was shown.
	Approve struct{ ID, Digest string }
	// Deny refuses a call, with a reason that the agent reads.
	Deny struct{ ID, Digest, Reason string }
	// Always writes the rule that decides calls like this one, and lets this one run.
	Always struct {
		ID, Digest, Agent, Key, Value string
	}
	// Answer ends a task or answers a question. Line is what was typed.
	Answer struct{ Task, Routed, Text, Line string }
	// Decline gives the task back with a reason.
	Decline struct{ Task, Routed, Reason string }
	// Delegate hands work over. Line is what was typed.
	Delegate struct{ Agent, Text, Line string }
	// Post writes to a channel. Line is what was typed.
	Post struct{ Channel, Text, Line string }
	// Show fetches everything about an approval, a task or a message.
	Show struct{ ID string }
	// Quit leaves.
	Quit struct{}
	// Suspend gives the terminal back for a while.
	Suspend struct{}
)
