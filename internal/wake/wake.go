// Package wake tells waiters that something changed. A signal is a hint and never the
// truth: it may be lost or come twice, and whoever hears it looks in the store. So
// nothing here blocks, and nothing here is remembered.
package wake

import "sync"

// Topic is what changed.
type Topic uint8

const (
	Work      Topic = iota + 1 // an agent has work that can be claimed; ID is the agent
	Ended                      // a task has ended; ID is the task
	Cancelled                  // a running task was cancelled; ID is the task
	TaskInbox                  // something was put into a task's inbox; ID is the task
	Events                     // events were appended; ID is the team
	Clock                      // something is due sooner than an hour from now; ID is the task
	Redacted                   // a message was redacted; ID is the message
	Team                       // a team, or the schedule of one of its agents, was paused or resumed; ID is the team
	Mail                       // somebody who fetches their messages has a new one; ID is the recipient
	Tokens                     // a token was revoked, or its owner removed; ID is the token, or any
	Steps                      // a step was stored; ID is the task. Other hubs are not told

	end // after the last topic
)

// Signal is one hint. ID 0 means any: look at everything.
type Signal struct {
	Topic Topic
	ID    int64
}

// Everything has one signal with ID 0 for each topic. It is published when signals
// may have been lost, so that all waiters look again.
func Everything() []Signal {
	list := make([]Signal, 0, end-1)
	for t := Topic(1); t < end; t++ {
		list = append(list, Signal{Topic: t})
	}
	return list
}

// Bus carries signals within one process. The zero value is ready for use;
// its methods may be called from any goroutine.
type Bus struct {
	mu        sync.Mutex
	watchers  map[Signal][]chan struct{}
	listeners map[Topic]map[int]func(id int64)
	next      int
}

// Watch returns a channel that gets a value when s is published after this
// call, and a function that ends the watch. Watch first, then look in the
// store: that order cannot miss a change.
func (b *Bus) Watch(s Signal) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	b.mu.Lock()
	if b.watchers == nil {
		b.watchers = map[Signal][]chan struct{}{}
	}
	b.watchers[s] = append(b.watchers[s], ch)
	b.mu.Unlock()
	return ch, func() { b.unwatch(s, ch) }
}

func (b *Bus) unwatch(s Signal, ch chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.watchers[s]
	for i, c := range list {
		if c == ch {
			list[i] = list[len(list)-1]
			list = list[:len(list)-1]
			break
		}
	}
	if len(list) == 0 {
		delete(b.watchers, s)
		return
	}
	b.watchers[s] = list
}

// Listen calls fn for every signal of a topic until the returned function is
// called. fn runs on the publisher's goroutine. It must not block, nor use the store, which
// may wait for that goroutine.
func (b *Bus) Listen(t Topic, fn func(id int64)) func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners == nil {
		b.listeners = map[Topic]map[int]func(int64){}
	}
	if b.listeners[t] == nil {
		b.listeners[t] = map[int]func(int64){}
	}
	b.next++
	key := b.next
	b.listeners[t][key] = fn
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.listeners[t], key)
	}
}

// Publish delivers signals. Equal signals that a watcher has not taken yet become
// one.
func (b *Bus) Publish(signals []Signal) {
	if len(signals) == 0 {
		return
	}
	var call []func()
	b.mu.Lock()
	for _, s := range signals {
		b.poke(s)
		for _, fn := range b.listeners[s.Topic] {
			call = append(call, func() { fn(s.ID) })
		}
	}
	b.mu.Unlock()
	for _, fn := range call {
		fn()
	}
}

// poke wakes the watchers of a signal. The caller holds the lock.
func (b *Bus) poke(s Signal) {
	if s.ID == 0 {
		for watched, list := range b.watchers {
			if watched.Topic == s.Topic {
				pokeAll(list)
			}
		}
		return
	}
	pokeAll(b.watchers[s])
}

func pokeAll(list []chan struct{}) {
	for _, ch := range list {
		select {
		case ch <- struct{}{}:
		default: // it has one already
		}
	}
}
