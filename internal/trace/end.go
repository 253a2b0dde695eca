package trace

import (
	"fmt"
	"time"

	"parley"
)

// timeout adds an arrow if an asking turn stopped waiting before the end.
func (d *diagram) timeout(t parley.Task) {
	late := t.Callback == parley.CallbackLate || t.Callback == parley.CallbackResult
	if t.Pattern != parley.Ask || !late || t.WaitUntil > d.tx.Now || t.EndedAt != 0 && t.EndedAt <= t.WaitUntil {
		return
	}
	waited := t.WaitUntil.Until(t.CreatedAt).Round(time.Second)
	d.add(Arrow{At: t.WaitUntil, From: t.Agent, To: t.Requester, Kind: Timeout, Task: t.ID,
		Label: fmt.Sprintf("no answer within %s", waited)})
}

// end adds how a task ended, or its present state.
func (d *diagram) end(t parley.Task) error {
	switch t.State {
	case parley.Completed:
		return d.completed(t)
	case parley.TaskFailed:
		d.add(Arrow{At: t.EndedAt, From: t.Agent, To: t.Requester, Kind: Failed, Label: parley.Clip(t.Error, labelRunes), Task: t.ID})
		d.cancelFollowing(t)
	case parley.Cancelled:
		d.cancel(t)
	default:
		d.open = append(d.open, Arrow{At: d.tx.Now, From: t.Agent, To: t.Agent, Kind: Waiting, Label: describeState(t, d.tx.Now), Task: t.ID})
	}
	return nil
}

func (d *diagram) completed(t parley.Task) error {
	label := "(no text)"
	if t.Result != 0 {
		m, err := d.tx.Message(t.Result)
		if err != nil {
			return err
		}
		label = parley.Clip(m.Body, labelRunes)
	}
	kind := Result
	if t.Pattern == parley.Ask && (t.Callback == parley.CallbackNone || t.Callback == parley.CallbackReply) {
		kind = Reply
	}
	d.add(Arrow{At: t.EndedAt, From: t.Agent, To: t.Requester, Kind: kind, Label: label, Task: t.ID, Message: t.Result})
	return nil
}

func (d *diagram) cancel(t parley.Task) {
	d.add(Arrow{At: t.EndedAt, From: t.EndedBy, To: t.Agent, Kind: Cancelled, Label: t.Title, Task: t.ID})
	d.cancelFollowing(t)
}

// cancelFollowing adds the cancellations below t that are part of its end.
func (d *diagram) cancelFollowing(t parley.Task) {
	for _, child := range d.children[t.ID] {
		if d.cancelled[child.ID] {
			d.cancel(child)
		}
	}
}

// describeState says what an open task is doing.
func describeState(t parley.Task, now parley.Micros) string {
	switch {
	case t.State == parley.Waiting, t.Waits == parley.WaitProvider:
		return t.WaitText(now)
	case t.State == parley.Queued && t.Due > 0:
		return "queued until " + t.Due.Time().UTC().Format(time.RFC3339)
	default:
		return t.State.String()
	}
}
