package discord

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"sync"
	"time"

	"parley/internal/bridge"
)

// receiver is one stay at Discord: a connection, and those that follow it when Discord
// asks to connect anew.
type receiver struct {
	*Program
	inbox bridge.Inbox
	ours  map[string]bool // the channels that are connected
	side  sync.WaitGroup  // what is answered at once
}

// errAgain has another connection made at once.
var errAgain = errors.New("discord asks to connect anew")

// Receive holds the connection. A session that there was is gone on with, and Discord
// repeats what was not dealt with. In a new one, what was said while there was none is read
// from the histories of the channels before anything else is taken.
func (p *Program) Receive(ctx context.Context, in bridge.Inbox) error {
	defer p.client.Close()
	r := &receiver{Program: p, inbox: in, ours: map[string]bool{}}
	list, err := in.Conversations(ctx)
	if err != nil {
		return err
	}
	for _, c := range list {
		r.ours[c] = true
	}
	defer r.side.Wait()
	for {
		began := time.Now()
		err := r.stay(ctx)
		if !errors.Is(err, errAgain) || ctx.Err() != nil {
			return err
		}
		if time.Since(began) < p.cfg.Timing.Steady {
			return errors.New("discord asks to connect anew as soon as there is a connection")
		}
	}
}

// stay is one connection.
func (r *receiver) stay(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	r.mu.Lock()
	from := r.session
	r.mu.Unlock()
	k, err := r.dial(ctx, from.url)
	if err != nil {
		stop()
		r.unreached()
		return err
	}
	k.seq, k.took = from.seq, func(p payload) *reply { return r.at(ctx, p) }
	var readers sync.WaitGroup
	readers.Go(k.receive)
	readers.Go(func() { k.keep(ctx) })
	defer k.drop()
	defer readers.Wait()
	defer k.close("it is not needed any more")
	defer stop()
	if err := r.greet(ctx, k, from); err != nil {
		return err
	}
	for {
		a, err := k.next(ctx)
		if err == nil {
			err = r.take(ctx, k, a)
		}
		if err != nil {
			return err
		}
	}
}

// greet waits for the first word of the gateway, and says who is there.
func (r *receiver) greet(ctx context.Context, k *socket, from session) error {
	a, err := k.next(ctx)
	if err != nil {
		return err
	}
	var hello struct {
		Interval int64 `json:"heartbeat_interval"`
	}
	switch {
	case a.err != nil:
		return a.err
	case a.Op != opHello || json.Unmarshal(a.D, &hello) != nil || hello.Interval <= 0:
		return errors.New("discord's gateway did not say hello")
	}
	_ = k.conn.SetReadDeadline(time.Time{}) // heartbeats watch it from now on
	k.beating <- time.Duration(hello.Interval) * time.Millisecond
	if from.id != "" {
		return k.send(opResume, object{"token": r.cfg.Token, "session_id": from.id, "seq": from.seq})
	}
	return k.send(opIdentify, object{"token": r.cfg.Token, "intents": intents, "properties": object{"os": runtime.GOOS, "browser": "parley", "device": "parley"}})
}

// mostDials is how often a session's own address is tried.
const mostDials = 3

// unreached notes that there was nobody at the address of the session. After some times a
// new one is begun elsewhere.
func (r *receiver) unreached() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session.dials++; r.session.dials >= mostDials {
		r.session = session{}
	}
}

// forget has the next connection begin a new session.
func (r *receiver) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session = session{}
}

func (r *receiver) take(ctx context.Context, k *socket, a arrival) error {
	if a.err != nil {
		return r.ended(a.err)
	}
	switch a.Op {
	case opReconnect:
		return errAgain
	case opInvalid:
		if string(a.D) == "true" {
			return errAgain
		}
		r.forget()
		return &bridge.Failure{Reason: "Discord has ended the session; a new one begins", After: r.cfg.Timing.Anew}
	case opDispatch:
		if err := r.dispatch(ctx, k, a); err != nil {
			return err
		}
		k.done(a.S)
		r.mu.Lock()
		if r.session.id != "" {
			r.session.seq, r.session.dials = k.seq, 0
		}
		r.mu.Unlock()
	}
	return nil
}

// ended looks at how a connection has ended: after some codes there is no session any more.
func (r *receiver) ended(err error) error {
	if c := (*closure)(nil); errors.As(err, &c) {
		switch c.code {
		case 4003, 4004, 4005, 4007, 4009, 4010, 4011, 4012, 4013, 4014, 1000, 1001:
			r.forget()
		}
	}
	return err
}

// dispatch deals with one event of the gateway.
func (r *receiver) dispatch(ctx context.Context, k *socket, a arrival) error {
	switch a.T {
	case "READY":
		return r.ready(ctx, k, a)
	case "RESUMED":
		r.inbox.Up(ctx)
		return nil
	case "GUILD_CREATE":
		r.guild(a.D)
		return nil
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		var c channel
		if json.Unmarshal(a.D, &c) == nil && isID(c.ID) {
			r.channels.Put(c.ID, c)
		}
		return nil
	case "INTERACTION_CREATE":
		return r.interaction(ctx, a)
	}
	events, err := r.events(ctx, a.payload)
	if err != nil {
		return err
	}
	for _, e := range events {
		if _, err := r.inbox.Take(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// ready begins a session. It counts as begun when everything that was missed was taken.
func (r *receiver) ready(ctx context.Context, k *socket, a arrival) error {
	var got struct {
		SessionID   string `json:"session_id"`
		ResumeURL   string `json:"resume_gateway_url"`
		User        user
		Application struct{ ID string }
	}
	if json.Unmarshal(a.D, &got) != nil || got.SessionID == "" || !isID(got.User.ID) || !isID(got.Application.ID) {
		return errors.New("discord's gateway did not begin a session")
	}
	r.mu.Lock()
	r.me = got.User.ID
	r.app = got.Application.ID
	r.mu.Unlock()
	r.inbox.Up(ctx)
	if err := r.register(ctx); err != nil {
		return err
	}
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	r.session = session{id: got.SessionID, url: got.ResumeURL, seq: a.S}
	r.mu.Unlock()
	return nil
}

// guild learns the channels of a server.
func (r *receiver) guild(d json.RawMessage) {
	var got struct {
		ID                string
		Channels, Threads []channel
	}
	if json.Unmarshal(d, &got) != nil {
		return
	}
	for _, c := range append(got.Channels, got.Threads...) {
		c.GuildID = got.ID
		r.channels.Put(c.ID, c)
	}
}
