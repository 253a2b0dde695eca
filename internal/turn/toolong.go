package turn

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/model"
	"parley/internal/store"
)

const (
	// maxShortened is how often a turn makes the window of its model smaller: enough
	// to come from a million tokens to a few thousand.
	maxShortened = 12
	// leastWindow is the smallest that is tried.
	leastWindow = 512
)

// shorten deals with a conversation that the provider found too long: its model reads
// less than was known, or counts otherwise. The window is corrected for all turns of
// the hub, so that the oldest is put away as at any time, and the model is asked again.
// Where that cannot be the reason, or does not help, nothing stays corrected: one
// strange refusal must not make the model small for everybody.
func (r *run) shorten(ctx context.Context, e *model.Error) error {
	m, ok := r.agent.Model.(model.Learner)
	if !ok {
		return nil
	}
	request := r.request(r.agent)
	sent := frame(request)
	for i := range request.Messages {
		sent += sizeOf(request.Messages[i])
	}
	window, reply := m.Window()
	next := smallerWindow(window, reply, sent, e)
	if next < leastWindow || r.shortened >= maxShortened {
		m.Forget()
		return nil
	}
	r.shortened++
	r.hasRoom = false
	if m.Learn(next) {
		if err := r.tellWindow(ctx, m.ID(), next); err != nil {
			return err
		}
	}
	return errAgain
}

// smallerWindow is what a refused request shows of a window: what the provider says,
// in the tokens that are counted here, if that makes the request shorter; else half of
// what was sent. It is 0 where only the words of the refusal say that a request is too
// long which is short for what is known of the model.
func smallerWindow(window, reply, sent int, e *model.Error) int {
	next := e.Window
	if e.Counted > sent {
		next = int(int64(next) * int64(sent) / int64(e.Counted))
	}
	if next > 0 && (window == 0 || next < window) && room(next, reply) < sent {
		return next
	}
	if !e.Certain && sent <= window/2 {
		return 0
	}
	if window > 0 {
		sent = min(sent, window)
	}
	return sent / 2
}

// tellWindow puts on record that a window was corrected, and tells the person for whom
// the agents work how to set it.
func (r *run) tellWindow(ctx context.Context, name string, window int) error {
	text := parley.SmallWindowText(name, window)
	r.Log.Warn("a model reads less than was known", "model", name, "window", window)
	return r.update(ctx, func(tx *store.Tx) error {
		task, _, err := r.fence(tx)
		if err != nil {
			return err
		}
		tx.Record(parley.Event{Team: task.Team, Kind: parley.EventWindow, Actor: task.Agent, Task: task.ID, Detail: text})
		root := task
		if task.Root != task.ID {
			if root, err = tx.Task(task.Root); err != nil {
				return err
			}
		}
		requester, err := tx.Agent(root.Requester)
		if err != nil || requester.Kind != parley.Person {
			return err
		}
		return tellRequester(tx, root, text)
	})
}

// leastText is how many tokens are left of a text that is cut.
const leastText = 64

// cutLongest cuts the longest texts until the messages fit, each in its middle, and
// says so there.
func cutLongest(messages []model.Message, room int) []model.Message {
	sizes := make([]int, len(messages))
	total := 0
	for i := range messages {
		sizes[i] = tokens(messages[i].Text)
		total += sizeOf(messages[i])
	}
	for total > room {
		longest := 0
		for i := range sizes {
			if sizes[i] > sizes[longest] {
				longest = i
			}
		}
		if len(sizes) == 0 || sizes[longest] <= leastText {
			return messages
		}
		text := cutText(messages[longest].Text, sizes[longest], max(sizes[longest]-(total-room), leastText))
		total -= sizes[longest] - tokens(text)
		messages[longest].Text, sizes[longest] = text, 0
	}
	return messages
}

// cutText takes out the middle of a text with so many tokens, so that about as many as
// wanted are left.
func cutText(text string, size, wanted int) string {
	runes := []rune(text)
	const notice = 24 // tokens, about
	keep := len(runes) * max(wanted-notice, 0) / size
	tail := keep / 3
	head := keep - tail
	return string(runes[:head]) + fmt.Sprintf("\n[… %d characters are left out here, because they do not fit the model …]\n", len(runes)-keep) + string(runes[len(runes)-tail:])
}
