package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/api"
)

// Work is one task that a Handler works on. Its Text is the request as an agent reads it,
// From is who asked, Task is its id, and Again says that it was handed out before: to
// this program before it was started anew, for instance.
//
// What a handler tells others through its Work belongs to the task: it appears in the
// task's tree, and is cancelled with it. It also carries a key made of the task and the
// words, so that a handler that runs a second time finds what it asked the first time,
// and nobody is asked twice.
type Work struct {
	api.BatchItem
	client *Client

	mu   sync.Mutex
	said map[string]int // how often the same was said
}

// Client is the connection, for whatever else a handler needs.
func (w *Work) Client() *Client { return w.client }

// Progress says how far the work is, for whoever looks on.
func (w *Work) Progress(ctx context.Context, note string) error {
	_, err := w.client.Update(ctx, w.Task, note)
	return err
}

// Ask asks another agent and waits for the answer, also over a restart of the hub. It
// gives up when the hub does, normally after two minutes.
func (w *Work) Ask(ctx context.Context, agent, message string) (string, error) {
	made, waited, err := w.contact(ctx, api.ContactRequest{Action: "ask", Agent: agent, Message: message, Wait: longestPoll.Seconds()})
	if err != nil {
		return "", err
	}
	t, err := w.answered(ctx, *made.Task, waited)
	if err != nil {
		return "", err
	}
	if t.State != parley.Completed.String() {
		return "", parley.ErrAskFailed(t.Agent, t.Error)
	}
	return t.Result, w.client.Ack(ctx, t.ResultID)
}

// answered waits on for the end of an ask that was waited for some time already.
func (w *Work) answered(ctx context.Context, asked api.Task, waited time.Duration) (api.Task, error) {
	if asked.Ended != nil {
		return asked, nil
	}
	allowed := time.Duration(0) // by the hub's clock, which may be another one
	if asked.WaitUntil != nil {
		allowed = max(asked.WaitUntil.Sub(asked.Created), time.Millisecond)
	}
	left := allowed
	if allowed > 0 { // 0 would be without end
		left = max(allowed-waited, time.Millisecond)
	}
	t, err := w.client.waitThrough(ctx, asked.ID, left)
	if err == nil && t.Ended == nil {
		err = parley.ErrTimeout(t.Agent, allowed)
	}
	return t, err
}

// waitThrough is WaitTask that waits for a hub that is away.
func (c *Client) waitThrough(ctx context.Context, id string, timeout time.Duration) (t api.Task, err error) {
	for p := (pauses{}); ; {
		if t, err = c.WaitTask(ctx, id, timeout); err == nil || !passes(err) || !p.next(ctx) {
			return t, err
		}
	}
}

// Delegate hands work to another agent and returns the new task's id. The result comes
// as mail; Client().WaitTask waits for it. A task ends after all that it delegated.
func (w *Work) Delegate(ctx context.Context, agent, message string) (string, error) {
	made, _, err := w.contact(ctx, api.ContactRequest{Action: "delegate", Agent: agent, Message: message})
	if err != nil {
		return "", err
	}
	return made.Task.ID, nil
}

// Notify tells another agent something.
func (w *Work) Notify(ctx context.Context, agent, message string) error {
	_, _, err := w.contact(ctx, api.ContactRequest{Action: "notify", Agent: agent, Message: message})
	return err
}

// contact makes a contact for this task. If it needs approval, it waits for that. took is
// how long the request took that made it.
func (w *Work) contact(ctx context.Context, r api.ContactRequest) (made api.Contact, took time.Duration, err error) {
	r.TaskID, r.Key = w.Task, w.key(r)
	for p := (pauses{}); ; {
		sent := time.Now()
		made, err = w.client.Contact(ctx, r)
		switch {
		case err == nil && made.Approval == nil:
			return made, time.Since(sent), nil
		case err == nil && made.Approval.State != parley.ApprovalPending.String():
			return made, 0, parley.Errorf(parley.Denied, "Approval denied for contacting %s.", made.Agent)
		case err != nil && !lost(err):
			return made, 0, err
		}
		if !p.next(ctx) {
			return made, 0, context.Cause(ctx)
		}
	}
}

// key is the same for the same words, and another one when they are said once more.
func (w *Work) key(r api.ContactRequest) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Action, strings.ToLower(r.Agent), r.Message}, "\x00")))
	digest := hex.EncodeToString(sum[:12])
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.said == nil {
		w.said = map[string]int{}
	}
	w.said[digest]++
	return fmt.Sprintf("%s %s %d", w.Task, digest, w.said[digest])
}
