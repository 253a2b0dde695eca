package contact

import (
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// AskWithin contacts somebody as OpenAsk does, and then waits for the end of the task
// until the time of the ask is over or the second context ends. The response is the
// task as it is then, with the whole answer if it was completed, and no error if it
// failed. Nothing ends with the waiting: whoever goes on waits for the task, or asks
// again under the same key.
func (s *Service) AskWithin(ctx, waiting context.Context, c access.Caller, r Request) (Response, error) {
	r.detached, r.answersLater = true, true
	w := waiter{s: s, outside: true}
	made, err := s.open(ctx, c, r, parley.Ask, func(t parley.Task) { w.watch(t.ID) })
	a := Response{Contact: made}
	if err != nil {
		return a, err
	}
	defer w.stop()
	err = w.yield(waiting, nil, made)
	if waiting.Err() != nil {
		err = w.look(ctx, made.Task.ID)
	}
	if lost := s.store.AwaitSync(ctx); lost != nil {
		return a, lost // the ask itself may not be on the disk
	}
	var text string
	if err == nil {
		text, err = s.wholeText(ctx, w.text, w.task.Result)
	}
	switch {
	case err == nil:
		a.Task, a.Text = w.task, text
	case made.Task.State.Open(): // it is made all the same; whoever waits on hears of a fault that lasts
		err = nil
	}
	return a, err
}

// wholeText is the text of a message: its attachment, if the body is only the beginning.
func (s *Service) wholeText(ctx context.Context, body string, id parley.MessageID) (whole string, err error) {
	if !strings.Contains(body, beginningNote) {
		return body, nil
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		whole, err = tx.Attachment(id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) { // it only quotes such a note
		return body, nil
	}
	return whole, err
}
