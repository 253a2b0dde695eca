package httpapi

import (
	"cmp"
	"context"
	"reflect"
	"time"

	"parley"
	"parley/api"
	"parley/internal/reading"
	"parley/internal/trace"
)

func (s *Server) name(ctx context.Context, id parley.AgentID) string {
	return s.cfg.Reading.Name(ctx, id)
}

// wholeTask encodes a task that is read by itself.
func (s *Server) wholeTask(ctx context.Context, t reading.Task) api.Task {
	out := s.task(ctx, t.Task, t.Text)
	out.Late = t.Late
	return out
}

// task encodes a task. text is its result; lists leave it empty.
func (s *Server) task(ctx context.Context, t parley.Task, text string) api.Task {
	return api.Task{
		ID: t.ID.String(), Parent: taskID(t.Parent), Root: taskID(t.Root), RetryOf: taskID(t.RetryOf), Resumes: taskID(t.Resumes), Cause: taskID(t.Cause),
		Pattern: string(t.Pattern), Requester: s.name(ctx, t.Requester), Agent: s.name(ctx, t.Agent), Title: t.Title,
		Priority: t.Priority.String(), State: t.State.String(), Thread: t.Thread.String(), Request: messageID(t.Request),
		Result: text, ResultID: messageID(t.Result), Error: t.Error, Turns: t.Turns, Open: t.OpenChildren, Approvals: t.Approvals, Rescues: t.Rescues, WaitsFor: waitsFor(t), Waiting: s.waitText(t),
		Due: moment(t.Due), WaitUntil: moment(t.WaitUntil), Created: instant(t.CreatedAt), Started: moment(t.StartedAt),
		Ended: moment(t.EndedAt), EndedBy: s.name(ctx, t.EndedBy),
	}
}

// tree builds a tree from a list in which parents come before their children.
func (s *Server) tree(ctx context.Context, list []parley.Task) (api.TaskTree, error) {
	children := map[parley.TaskID][]parley.Task{}
	for _, t := range list[1:] {
		children[t.Parent] = append(children[t.Parent], t)
	}
	var failed error
	var grow func(t parley.Task) api.TaskTree
	grow = func(t parley.Task) api.TaskTree {
		node := api.TaskTree{Task: s.task(ctx, t, "")}
		failed = cmp.Or(failed, s.explainWait(ctx, &node.Task, t))
		for _, child := range children[t.ID] {
			node.Children = append(node.Children, grow(child))
		}
		return node
	}
	return grow(list[0]), failed
}

func (s *Server) trace(ctx context.Context, list []trace.Arrow) api.Trace {
	out := api.Trace{Arrows: make([]api.Arrow, 0, len(list))}
	for _, a := range list {
		out.Arrows = append(out.Arrows, api.Arrow{At: instant(a.At), From: s.name(ctx, a.From), To: s.name(ctx, a.To),
			Kind: string(a.Kind), Label: a.Label, Task: taskID(a.Task)})
	}
	return out
}

func (s *Server) message(ctx context.Context, m parley.Message) api.Message {
	out := api.Message{ID: m.ID.String(), Thread: m.Thread.String(), N: m.N, Author: s.name(ctx, m.Author), Kind: string(m.Kind),
		Context: m.Context, Body: m.Body, Task: taskID(m.Task), At: instant(m.At)}
	if m.Priority != 0 {
		out.Priority = m.Priority.String()
	}
	if m.Question != 0 {
		out.Question = m.Question.String()
	}
	return out
}

func (s *Server) messageRecord(ctx context.Context, m reading.Message) api.MessageRecord {
	out := api.MessageRecord{Message: s.message(ctx, m.Message), Deliveries: make([]api.Delivery, 0, len(m.Deliveries))}
	out.Whole = m.Whole
	for _, d := range m.Deliveries {
		out.Deliveries = append(out.Deliveries, api.Delivery{Recipient: s.name(ctx, d.Recipient), State: d.State(),
			Accepted: instant(m.At), Delivered: moment(d.Delivered), Seen: moment(d.Seen), Answered: moment(d.Answered), Unread: d.Unread()})
	}
	return out
}

func (s *Server) event(ctx context.Context, e parley.Event) api.Event {
	return api.Event{Cursor: e.Cursor, At: instant(e.At), Kind: string(e.Kind), Actor: s.name(ctx, e.Actor),
		Target: s.name(ctx, e.Target), Task: taskID(e.Task), Message: messageID(e.Message), Detail: e.Detail, Rule: e.Rule()}
}

func agent(a reading.Agent) api.Agent {
	return api.Agent{Name: a.Name, Kind: string(a.Kind), Description: a.Description, Status: string(a.Status), Reason: a.Reason, Model: a.Model,
		SleepingUntil: moment(a.SleepingUntil), Queued: a.Open.Queued, Running: a.Open.Running, Waiting: a.Open.Waiting, Mistake: a.Mistake, Now: a.Now, Lead: a.Lead}
}

func taskID(id parley.TaskID) string {
	if id == 0 {
		return ""
	}
	return id.String()
}

func messageID(id parley.MessageID) string {
	if id == 0 {
		return ""
	}
	return id.String()
}

func instant(m parley.Micros) time.Time { return m.Time().UTC() }

// moment is nil for a time that is not set.
func moment(m parley.Micros) *time.Time {
	if m == 0 {
		return nil
	}
	t := instant(m)
	return &t
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }
