package watch

import (
	"context"
	"strings"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// act does something at the hub that was found last.
func (f *feeder) act(ctx context.Context, a Action, s view.Screen) Event {
	f.mu.Lock()
	hub := f.hub
	f.mu.Unlock()
	if hub == nil {
		return Done{Action: a, Err: parley.Errorf(parley.Unavailable, "There is no connection to the hub yet.")}
	}
	return act(ctx, hub, a, s)
}

// act does at the hub what the person wants, and says how it ended.
func act(ctx context.Context, hub Hub, a Action, s view.Screen) Event {
	if show, ok := a.(Show); ok {
		title, text, err := read(ctx, hub, show.ID, s)
		if err != nil {
			text = explain(err)
		}
		return Opened{Title: title, Text: text}
	}
	text, err := do(ctx, hub, a)
	return Done{Action: a, Text: text, Err: err}
}

func do(ctx context.Context, hub Hub, a Action) (string, error) {
	switch a := a.(type) {
	case Approve:
		done, err := hub.Approve(ctx, a.ID, a.Digest)
		return "Approved " + a.ID + " of " + done.Agent + ".", err
	case Deny:
		done, err := hub.Deny(ctx, a.ID, a.Digest, a.Reason)
		return "Denied " + a.ID + " of " + done.Agent + ".", err
	case Always:
		return always(ctx, hub, a)
	case Answer:
		return answer(ctx, hub, a)
	case Decline:
		return decline(ctx, hub, a)
	case Delegate:
		made, err := hub.Contact(ctx, api.ContactRequest{Action: string(parley.Delegate), Agent: a.Agent, Message: a.Text})
		return handed(made), err
	case Post:
		made, err := hub.Post(ctx, api.PostRequest{Channel: a.Channel, Message: a.Text})
		return made.Text, err
	}
	return "", nil
}

func always(ctx context.Context, hub Hub, a Always) (string, error) {
	err := hub.ApproveAlways(ctx, api.Approval{ID: a.ID, Digest: a.Digest, Agent: a.Agent, Always: &api.AlwaysRule{Key: a.Key, Value: a.Value}})
	return "Approved " + a.ID + ", and " + a.Agent + " has the rule " + a.Key + " " + a.Value + ".", err
}

func answer(ctx context.Context, hub Hub, a Answer) (string, error) {
	if a.Routed != "" {
		q, err := hub.AnswerQuestion(ctx, a.Routed, api.AnswerRequest{Answer: a.Text})
		return "Answered " + a.Routed + " of " + q.Asker + ": " + a.Text, err
	}
	t, err := hub.Complete(ctx, a.Task, a.Text)
	return "Answered " + a.Task + " of " + t.Requester + ": " + a.Text, err
}

func decline(ctx context.Context, hub Hub, a Decline) (string, error) {
	if a.Routed != "" {
		q, err := hub.AnswerQuestion(ctx, a.Routed, api.AnswerRequest{Pass: true})
		return "Passed on " + a.Routed + " of " + q.Asker + ".", err
	}
	t, err := hub.Fail(ctx, a.Task, a.Reason)
	return "Declined " + a.Task + " of " + t.Requester + ".", err
}

func handed(made api.Contact) string {
	switch {
	case made.Approval != nil:
		return "It waits for approval: " + made.Approval.ID + "."
	case made.Task != nil:
		return made.Agent + " has it as " + made.Task.ID + ". The result comes to the feed and to your inbox."
	}
	return "Sent to " + made.Agent + "."
}

// read fetches everything about an approval, a task or a message.
func read(ctx context.Context, hub Hub, id string, s view.Screen) (title, text string, err error) {
	switch {
	case strings.HasPrefix(id, "approval-"):
		a, err := hub.Approval(ctx, id)
		return id, s.Approval(a), err
	case strings.HasPrefix(id, "task-"):
		t, err := hub.Task(ctx, id)
		if err != nil {
			return id, "", err
		}
		request, err := hub.Message(ctx, t.Request)
		if parley.KindOf(err) == parley.NotFound { // retention may have removed it
			err = nil
		}
		return id, s.Task(t, request.Message), err
	}
	m, err := hub.Message(ctx, id)
	return id, s.Record(m), err
}
