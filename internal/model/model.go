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
	Agent    string
	System   string
	Messages []Message
	Tools    []Tool
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
}

// Usage is what one step consumed, in tokens. Those read from a cache or written
// to it are part of the input.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	// Cost is the price of the step in millionths of a US dollar; 0 if it is not
	// known.
	Cost int64 `json:"cost,omitempty"`
}

// Estimator is a Model that can tell what a step may consume at most. It is asked
// before a step that has to fit into a budget.
type Estimator interface {
	Estimate(req Request) Usage
}

// usualOutput is how much a model may say that does not tell.
const usualOutput = 4096

// Estimate is what a step of any model may consume at most. For one that cannot
// tell, three bytes of the request count as a token: more than there are in most
// languages.
func Estimate(m Model, req Request) Usage {
	if e, ok := m.(Estimator); ok {
		return e.Estimate(req)
	}
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
	return Usage{Input: int64(bytes+2) / 3, Output: usualOutput}
}

// Delta is a piece of a reply in the making.
type Delta struct {
	Text string
}
