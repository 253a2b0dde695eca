// Package scripted is a model that follows a file instead of thinking, so
// that every behaviour of the hub can be reproduced without a key. The file
// format is described in docs/scripted-model.md.
//
// A Script keeps nothing between two steps. Where it stands in a rule is found
// by replaying the request: each assistant message since the input stands for
// one step taken. A turn that is resumed in another process therefore goes on
// at the right step.
package scripted

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
)

// Script is a loaded file. It is immutable and safe for concurrent use.
type Script struct {
	// agents holds the rules by folded name; "*" is for every other agent.
	agents map[string][]*rule
}

// rule is what an agent does with one kind of input.
type rule struct {
	match *regexp.Regexp // nil matches everything
	seen  int            // how many inputs must have matched, this one included
	steps []step
}

// step is one reply of the model, or one failure.
type step struct {
	when  *regexp.Regexp // looked for in the last tool result; nil: always
	wait  time.Duration
	say   text
	calls []call
	fail  *failure
	usage *spending // what the script says it consumes; nil: by its size
}

// spending is what a step consumes, and what it is expected to consume at most.
type spending struct {
	model.Usage
	estimate int64 // tokens; 0 if as many as it consumes
	most     int64 // the longest reply, if it can be kept short; else 0
}

// onlySays reports whether the step is only words. Such a reply ends the turn.
func (s *step) onlySays() bool { return len(s.calls) == 0 && s.fail == nil }

type call struct {
	tool string
	args arguments
}

type failure struct {
	text       text
	class      model.Class
	retryAfter time.Duration
}

// Load reads a script from a file.
func Load(path string) (*Script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, parley.Errorf(parley.Invalid, "The script cannot be read: %v.", err).WithCause(err)
	}
	return Parse(path, data)
}

// Step takes the step that the script has for this point of the conversation.
func (s *Script) Step(ctx context.Context, req model.Request, onDelta func(model.Delta)) (model.Reply, error) {
	sc, st := s.replay(&req)
	if st == nil { // the rule has no further step: the turn ends without a word
		return model.Reply{Usage: usage(&req, "", nil)}, nil
	}
	speaks := time.Duration(0) // after it has thought
	if onDelta != nil && st.onlySays() {
		speaks = st.wait / 2
	}
	if err := pause(ctx, st.wait-speaks); err != nil {
		return model.Reply{}, err
	}
	if st.fail != nil {
		return model.Reply{}, st.fail.error(sc)
	}
	if short, ok := st.cut(&req); ok {
		return short, pause(ctx, speaks)
	}
	reply, err := st.reply(sc)
	if err != nil {
		return model.Reply{}, broken(err)
	}
	if onDelta != nil {
		err = stream(ctx, reply.Text, speaks, onDelta)
	}
	return reply, err
}

// Estimate is what the step that is due will consume, or what the script says
// that it may need.
func (s *Script) Estimate(req model.Request) model.Usage {
	sc, st := s.replay(&req)
	if st == nil || st.fail != nil {
		return usage(&req, "", nil)
	}
	if st.usage != nil && st.usage.estimate > 0 {
		return model.Usage{Output: st.usage.estimate, Cost: st.usage.Cost}
	}
	reply, err := st.reply(sc)
	if err != nil {
		return usage(&req, "", nil)
	}
	return reply.Usage
}

// pause takes the time that a model would need to think.
func pause(ctx context.Context, d time.Duration) error {
	if d > 0 && ctx.Err() == nil {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return &model.Error{Class: model.Overloaded, Message: "The model was interrupted before it could reply.", Cause: err}
	}
	return nil
}

func (f *failure) error(sc *scene) error {
	message, err := f.text.fill(sc)
	if err != nil {
		return broken(err)
	}
	return &model.Error{Class: f.class, Message: message, RetryAfter: f.retryAfter}
}

func broken(err error) *model.Error {
	return &model.Error{Class: model.Broken, Message: fmt.Sprintf("The script cannot go on: %v.", err), Cause: err}
}

func (s *step) reply(sc *scene) (model.Reply, error) {
	text, err := s.say.fill(sc)
	if err != nil {
		return model.Reply{}, err
	}
	var calls []model.Call
	if len(s.calls) > 0 {
		calls = make([]model.Call, len(s.calls))
	}
	taken := assistants(sc.req.Messages)
	for i, c := range s.calls {
		args, err := c.args.fill(sc)
		if err != nil {
			return model.Reply{}, err
		}
		// The number of replies so far grows with every step, which makes the id
		// unique and the same again when the step is repeated.
		calls[i] = model.Call{ID: fmt.Sprintf("call-%d-%d", taken+1, i+1), Name: c.tool, Args: args}
	}
	reply := model.Reply{Text: text, Calls: calls}
	if s.usage != nil {
		reply.Usage = s.usage.Usage
	} else {
		reply.Usage = usage(sc.req, text, calls)
	}
	return reply, nil
}

func assistants(messages []model.Message) int {
	n := 0
	for i := range messages {
		if messages[i].Role == model.Assistant {
			n++
		}
	}
	return n
}

// usage counts four bytes as a token: wrong for any real model, but the same
// on every run.
func usage(req *model.Request, text string, calls []model.Call) model.Usage {
	in, out := len(req.System), len(text)
	for i := range req.Messages {
		m := &req.Messages[i]
		in += len(m.Text)
		for _, c := range m.Calls {
			in += len(c.Name) + len(c.Args)
		}
	}
	for _, c := range calls {
		out += len(c.Name) + len(c.Args)
	}
	return model.Usage{Input: tokens(in), Output: tokens(out)}
}

func tokens(bytes int) int64 { return int64(bytes+3) / 4 }

// stream hands the text over word by word within the given time. The pieces together are
// the text.
func stream(ctx context.Context, text string, within time.Duration, onDelta func(model.Delta)) error {
	words := strings.SplitAfter(text, " ")
	for _, word := range words {
		if word == "" {
			continue
		}
		if err := pause(ctx, within/time.Duration(len(words))); err != nil {
			return err
		}
		onDelta(model.Delta{Text: word})
	}
	return nil
}
