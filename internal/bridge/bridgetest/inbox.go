package bridgetest

import (
	"context"
	"sync"

	"parley/internal/bridge"
)

// Inbox is one without a bridge.
type Inbox struct {
	// OnUp and OnTake may be nil. They are set while nothing is received.
	OnUp   func()
	OnTake func(bridge.Event) error

	mu  sync.Mutex
	got []bridge.Event
}

// Got are the events that were taken.
func (i *Inbox) Got() []bridge.Event {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.got
}

func (i *Inbox) Up(context.Context) {
	if i.OnUp != nil {
		i.OnUp()
	}
}

func (i *Inbox) Take(_ context.Context, e bridge.Event) (string, error) {
	if i.OnTake != nil {
		if err := i.OnTake(e); err != nil {
			return "", err
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.got = append(i.got, e)
	return "done", nil
}

func (i *Inbox) Conversations(context.Context) ([]string, error)  { return nil, nil }
func (i *Inbox) Position(context.Context, string) (string, error) { return "", nil }
