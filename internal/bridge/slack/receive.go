package slack

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"parley/internal/bridge"
)

// receiver is one stay at Slack: a connection, and those that follow it when Slack asks
// to connect anew.
type receiver struct {
	*Program
	in      bridge.Inbox
	me      *self
	queue   chan arrival
	held    []arrival // came while something else was done first
	readers sync.WaitGroup
	current *socket
	before  *socket // Slack closes it soon
}

// Receive holds the connection. What was said while there was none is read from the
// histories of the conversations before anything else is taken: an event moves the place
// up to which a conversation is known.
func (p *Program) Receive(ctx context.Context, in bridge.Inbox) error {
	defer p.client.Close()
	p.answers.Forget() // another hub may have posted meanwhile
	me, err := p.self(ctx, true)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	r := &receiver{Program: p, in: in, me: me, queue: make(chan arrival, 64)}
	defer r.readers.Wait()
	defer r.close()
	defer stop()
	if err := r.connect(ctx); err != nil {
		return err
	}
	for {
		a, err := r.next(ctx)
		if err == nil {
			err = r.take(ctx, a)
		}
		if err != nil {
			return err
		}
	}
}

func (r *receiver) next(ctx context.Context) (arrival, error) {
	if len(r.held) > 0 {
		a := r.held[0]
		r.held = r.held[1:]
		return a, nil
	}
	select {
	case <-ctx.Done():
		return arrival{}, ctx.Err()
	case a := <-r.queue:
		return a, nil
	}
}

// mostHeld is how much may wait for a catch-up.
const mostHeld = 1000

// urgent takes what somebody has pressed or typed as a command, since Slack waits three
// seconds for it. Everything else is held.
func (r *receiver) urgent(ctx context.Context) error {
	for len(r.held) < mostHeld {
		select {
		case a := <-r.queue:
			if a.err != nil || a.Type != "interactive" && a.Type != "slash_commands" {
				r.held = append(r.held, a)
				continue
			}
			if err := r.take(ctx, a); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// connect makes a new connection, beside the one that there is: Slack gives each event to
// one of them.
func (r *receiver) connect(ctx context.Context) error {
	next, err := r.dial(ctx)
	if err != nil {
		return err
	}
	if r.before != nil {
		r.before.close()
	}
	r.before, r.current = r.current, next
	r.readers.Go(func() { next.receive(ctx, r.queue) })
	return nil
}

func (r *receiver) close() {
	for _, s := range []*socket{r.before, r.current} {
		if s != nil {
			s.close()
		}
	}
}

func (r *receiver) take(ctx context.Context, a arrival) error {
	switch {
	case a.err != nil && a.from == r.current:
		return a.err
	case a.err != nil:
		return nil // it was replaced
	}
	switch a.Type {
	case "hello":
		if a.from != r.current {
			return nil
		}
		r.in.Up(ctx)
		return r.catchUp(ctx)
	case "disconnect":
		return r.asked(ctx, a)
	case "events_api":
		return r.event(ctx, a)
	case "interactive":
		return r.interaction(ctx, a)
	case "slash_commands":
		return r.command(ctx, a)
	}
	a.from.acknowledge(a.envelope, nil)
	return nil
}

// asked connects anew because Slack asks for it. The old connection is read until Slack
// closes it.
func (r *receiver) asked(ctx context.Context, a arrival) error {
	switch {
	case a.Reason == "link_disabled":
		return &bridge.Failure{Reason: "Socket Mode is turned off for the app in Slack", After: time.Minute}
	case a.from != r.current:
		return nil
	case a.Reason == "too_many_websockets":
		return &bridge.Failure{Reason: "the app has too many connections; does another program use its token?", After: 10 * time.Second}
	case time.Since(a.from.began) < r.cfg.Timing.Steady:
		return errors.New("slack asks to connect anew as soon as there is a connection")
	}
	return r.connect(ctx)
}

// event takes what happened to a message.
func (r *receiver) event(ctx context.Context, a arrival) error {
	var got struct{ Event message }
	if json.Unmarshal(a.Payload, &got) == nil && got.Event.Type == "message" {
		if err := r.hear(ctx, got.Event); err != nil {
			return err
		}
	}
	a.from.acknowledge(a.envelope, nil)
	return nil
}

// hear takes what a message means.
func (r *receiver) hear(ctx context.Context, m message) error {
	events, err := r.events(ctx, m)
	if err != nil {
		return err
	}
	for _, e := range events {
		if _, err := r.in.Take(ctx, e); err != nil {
			return err
		}
		if last, _ := r.heard.Get(e.Place.Conversation); e.Position != "" && later(e.Position, last) {
			r.heard.Put(e.Place.Conversation, e.Position)
		}
	}
	return nil
}
