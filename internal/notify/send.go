package notify

import (
	"context"
	"errors"
	"fmt"
)

// sender hands a notice to a target. It is called by one goroutine at a time.
type sender interface {
	send(ctx context.Context, id string, body []byte) error
}

func newSender(cfg Config, t Target) sender {
	if t.URL != "" {
		return newWebhook(t)
	}
	return &program{command: t.Command, dir: cfg.Dir, log: cfg.Log.With("target", t.Name())}
}

// refusal is a failure that may be about this one notice: the target was reached, and did
// not take it. Every other failure is about the target.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func isRefusal(err error) bool {
	var r *refusal
	return errors.As(err, &r)
}

func refused(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }
