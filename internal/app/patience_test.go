package app_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/api"
	"parley/client"
	"parley/internal/model"
	"parley/internal/model/wiretest"
)

// moody is a provider that asks for patience until it is told to answer.
type moody struct {
	*wiretest.Server
	answers atomic.Bool
	refused atomic.Int64
}

func startMoody(t *testing.T) *moody {
	m := &moody{}
	m.Server = wiretest.Start(t, func(r wiretest.Request) wiretest.Reply {
		if !m.answers.Load() {
			m.refused.Add(1)
			return wiretest.Reply{Status: 529, Message: "Overloaded", Header: map[string]string{"Retry-After": "1.5"}}
		}
		return wiretest.Reply{Text: "42 million.", Usage: model.Usage{Input: 9, Output: 1}}
	})
	return m
}

// awaitWaiting waits until a task waits for its provider.
func (r *running) awaitWaiting(hub *client.Client, id string) (t api.Task) {
	r.t.Helper()
	for !strings.HasPrefix(t.Waiting, "waiting for trial") {
		var err error
		if t, err = hub.WaitTask(r.t.Context(), id, 20*time.Millisecond); err != nil || t.Ended != nil {
			r.t.Fatalf("%+v, %v", t, err)
		}
	}
	return t
}

// A wait for a provider survives the hub. What is paused or cancelled meanwhile is not
// asked for again.
func TestAWaitForAProviderSurvives(t *testing.T) {
	server := startMoody(t)
	cfg := abroad(t, "trial/llama3:8b", server.Server, "")
	r := up(t, cfg)
	hub := r.client()
	kept, cancelled := r.contact("delegate", "DataBot").ID, r.contact("delegate", "DataBot").ID
	r.awaitWaiting(hub, kept)
	r.awaitWaiting(hub, cancelled)
	if _, err := hub.Cancel(t.Context(), cancelled); err != nil {
		t.Fatal(err)
	}
	if _, err := hub.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.down()

	server.answers.Store(true)
	r = up(t, cfg)
	hub = r.client()
	if task, err := hub.Task(t.Context(), kept); err != nil || task.Ended != nil || task.Waiting == "" {
		t.Errorf("after the restart: %+v, %v", task, err)
	}
	if _, err := hub.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if task, err := hub.WaitTask(t.Context(), kept, time.Minute); err != nil || task.State != "completed" || task.Result != "42 million." || task.Turns != 1 {
		t.Errorf("%+v, %v", task, err)
	}
	if task, err := hub.Task(t.Context(), cancelled); err != nil || task.State != "cancelled" {
		t.Errorf("%+v, %v", task, err)
	}
	if answered := int64(len(server.Requests())) - server.refused.Load(); answered != 1 {
		t.Errorf("the model was asked %d times", answered)
	}
	if busy, answered := r.events("provider.busy"), r.events("provider.answered"); len(busy) != 2 || len(answered) != 1 {
		t.Errorf("on record: %q, %q", busy, answered)
	}
}

// Who asks waits no longer than it wanted to, and reads why there is no answer yet. The
// answer comes later.
func TestAnAskerWaitsNoLonger(t *testing.T) {
	server := startMoody(t)
	r := up(t, abroad(t, "trial/llama3:8b", server.Server, ""))
	hub := r.client()
	made, err := hub.Contact(t.Context(), api.ContactRequest{Action: "ask", Agent: "DataBot", Message: "What was the revenue?", Timeout: 1})
	if err != nil {
		t.Fatal(err)
	}
	var late string
	for late == "" {
		task, err := hub.WaitTask(t.Context(), made.Task.ID, 20*time.Millisecond)
		if err != nil || task.Ended != nil {
			t.Fatalf("%+v, %v", task, err)
		}
		if strings.Contains(task.Late, "waiting for trial") {
			late = task.Late
		}
	}
	if !strings.HasPrefix(late, "DataBot is waiting for trial") || !strings.HasSuffix(late, "(rate limit or overload).") {
		t.Errorf("late: %s", late)
	}
	list, err := hub.Agents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		if a.Name == "DataBot" && a.Running == 0 && !strings.Contains(a.Reason, "1 for trial") {
			t.Errorf("the agent is %s (%s)", a.Status, a.Reason)
		}
	}
	server.answers.Store(true)
	if task, err := hub.WaitTask(t.Context(), made.Task.ID, time.Minute); err != nil || task.State != "completed" {
		t.Errorf("%+v, %v", task, err)
	}
}
