// Package model is the border between a turn and whatever thinks. A Model
// makes one step at a time; the loop, the retries, the tools and the storing
// of steps belong to package turn.
package model

import (
	"context"
	"encoding/json"
)

// Model produces the next step of a conversation. It keeps no state between
// calls: everything it may know is in the request, so that a turn can go on
// in another process after a crash. Implementations are safe for concurrent
// use.
type Model interface {
	// Step asks for one reply. onDelta, if not nil, receives pieces of the reply
	// as they come, on the calling goroutine; the returned Reply is complete
	// either way. A failure is an *Error.
	Step(ctx context.Context, req Request, onDelta func(Delta)) (Reply, error)
}

// Request is what the model sees.
type Request struct {
	// Agent names who thinks. Providers ignore it; the scripted model picks its
	// part of the script by it.
	Agent string
	// System is one text: some providers refuse several system messages.
	System string
	// Marks are places in System, in ascending order. Each ends a part that comes
	// again, byte for byte, in the agent's other tasks, so that a provider can keep
	// it together with the tools: first what hardly ever changes, then what changes
	// now and then. What follows the last mark belongs to the task.
	Marks    []int
	Messages []Message
	Tools    []Tool
	// MaxOutput is the longest reply that is wanted, in tokens; 0 leaves it to the
	// model. Only a model that is Limited obeys it.
	MaxOutput int64
}

// SystemParts is System cut at the marks: a part for each mark, then the rest if
// there is any.
func (r Request) SystemParts() []string {
	parts := make([]string, 0, len(r.Marks)+1)
	from := 0
	for _, to := range r.Marks {
		parts = append(parts, r.System[from:to])
		from = to
	}
	if from < len(r.System) {
		parts = append(parts, r.System[from:])
	}
	return parts
}

// Role says who a message is from, as seen by the model.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
	// ToolResult answers one call of the assistant message before it.
	ToolResult Role = "tool"
)

// Message is one entry of the conversation. There are no system messages
// inside it: some providers refuse them, so Request.System holds that text.
type Message struct {
	Role Role
	Text string
	// Calls are the tool calls of an assistant message.
	Calls []Call
	// Private is what the model wanted back with its reply: Reply.Private.
	Private json.RawMessage
	// CallID and IsError belong to a tool result.
	CallID  string
	IsError bool
}

// Tool is a function that the model may call. Schema is a JSON Schema object.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// Call is one tool call. ID is unique within its turn.
type Call struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// Reply is one complete step. Without calls it ends the turn and Text is the
// closing text.
type Reply struct {
	Text  string `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`
	Usage Usage  `json:"usage"`
	// Rejected says why a reply cannot be used, in words for the model. The model
	// is told and asked again, which costs a step.
	Rejected string `json:"rejected,omitempty"`
	// Private is what a provider wants to see again with this reply, such as the
	// signature of a thought. Nobody but the model that made it can read it; it is
	// stored with the step and given back.
	Private json.RawMessage `json:"private,omitempty"`
	// Cut is the Request.MaxOutput at which the reply was cut off; 0 if it was not.
	// Such a reply has nothing but its usage.
	Cut int64 `json:"cut,omitempty"`
}

// Usage is what one step consumed, in tokens. Input does not contain what was
// read from or written to the provider's cache.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	// Cost is in millionths of a US dollar; 0 if the price is not known.
	Cost int64 `json:"cost,omitempty"`
	// Estimated says that a part of it is a guess, because a reply never came or
	// broke off: the provider may have counted otherwise.
	Estimated bool `json:"estimated,omitempty"`
}

// Plus adds up what was consumed.
func (u Usage) Plus(more Usage) Usage {
	return Usage{Input: u.Input + more.Input, Output: u.Output + more.Output, CacheRead: u.CacheRead + more.CacheRead,
		CacheWrite: u.CacheWrite + more.CacheWrite, Cost: u.Cost + more.Cost, Estimated: u.Estimated || more.Estimated}
}

// Read is all that the model was given to read.
func (u Usage) Read() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// Estimator is a Model that can tell the most that a step may consume. It is
// asked before a step that has to fit into a budget.
type Estimator interface {
	Estimate(req Request) Usage
}

// usualOutput is how much a model that does not tell may say.
const usualOutput = 4096

// Estimate is the most that a step of any model may consume.
func Estimate(m Model, req Request) Usage {
	if e, ok := m.(Estimator); ok {
		return e.Estimate(req)
	}
	return Usage{Input: AtMost(req), Output: usualOutput}
}

// AtMost is the most tokens that a request may have. Three bytes count as one,
// which is more than most languages need.
func AtMost(req Request) int64 {
	bytes := len(req.System)
	for i := range req.Messages {
		bytes += len(req.Messages[i].Text)
		for _, c := range req.Messages[i].Calls {
			bytes += len(c.Name) + len(c.Args)
		}
	}
	for _, t := range req.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return int64(bytes+2) / 3
}

// Delta is a piece of a reply in the making. Deltas are provisional: only the
// Reply counts.
type Delta struct {
	Text string
	// Restart means that what was shown of this reply is void, because the model
	// is being asked again. It comes before the first piece of the new reply.
	Restart bool
}

// Bounded is implemented by models that know how much they can read.
type Bounded interface {
	// Window is how many tokens a request and its reply may have together, and how
	// many of them the reply may take; 0 is unknown.
	Window() (total, reply int)
}

// Learner is a Bounded model whose window can be corrected, since what was known of
// it was wrong.
type Learner interface {
	Bounded
	// Learn makes the window smaller and reports whether that is the first correction
	// of all. Learn never makes it larger; it holds for a time.
	Learn(window int) (first bool)
	// Forget takes the corrections back, since they did not help.
	Forget()
	// ID is the model's name in a team's files.
	ID() string
}
