package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/client"
)

// receive is one call of a program that waits for nothing.
func (w *world) receive(who, cursor string) api.Batch {
	w.t.Helper()
	b, err := w.as(who).Receive(w.t.Context(), client.Fetch{Cursor: cursor})
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) contact(who string, r api.ContactRequest) api.Contact {
	w.t.Helper()
	made, err := w.as(who).Contact(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// texts are what a program reads in a batch.
func texts(b api.Batch) (list []string) {
	for _, i := range b.Items {
		list = append(list, i.Text)
	}
	return list
}

// A program with nothing but HTTP is an agent: it waits, asks another, and completes.
func TestAProgramIsAnAgent(t *testing.T) {
	w := newWorld(t)
	task := w.contact("Ada", api.ContactRequest{Action: "delegate", Agent: "Joiner", Message: "Report.", Priority: "high"}).Task.ID
	b := w.receive("Joiner", "")
	if len(b.Items) != 1 || b.Items[0].Task != task || !b.Items[0].Asks || b.Items[0].From != "Ada" || b.Items[0].Kind != "delegate" ||
		b.Items[0].Text != "[Agent Request from Ada | Pattern: delegate | Priority: high | Task: task-101]\n\nReport." {
		t.Fatalf("%+v", b)
	}
	if _, err := w.as("Joiner").Update(t.Context(), task, "Half."); err != nil {
		t.Fatal(err)
	}
	asked := w.contact("Joiner", api.ContactRequest{Action: "delegate", Agent: "DataBot", Message: "What was the revenue?", TaskID: task})
	if asked.Task.Parent != task {
		t.Errorf("the subtask: %+v", asked.Task)
	}
	if _, err := w.as("Ada").WaitTask(t.Context(), asked.Task.ID, time.Minute); err != nil {
		t.Fatal(err)
	}
	got, err := w.as("Joiner").Receive(t.Context(), client.Fetch{Cursor: b.Cursor, Wait: time.Minute})
	if err != nil || len(got.Items) != 1 || got.Items[0].Text != "[Delegation Result from DataBot | task-102]\n42 million." {
		t.Fatalf("%+v: %v", got, err)
	}
	ended, err := w.as("Joiner").Complete(t.Context(), task, "42 million.")
	if err != nil || ended.State != "completed" || ended.Result != "42 million." {
		t.Errorf("%+v: %v", ended, err)
	}
	_, events := w.do("Ada", "GET", "/v1/events?follow=false&kind=task.progress", "")
	if !strings.Contains(events, `"detail":"Half."`) {
		t.Errorf("no progress: %s", events)
	}
	if b := w.receive("Joiner", got.Cursor); len(b.Items) != 0 || b.Unread != 0 || len(b.Held) != 0 {
		t.Errorf("left: %+v", b)
	}
}

// What hands out holds nothing back: the same in curl's words, answer by answer.
func TestHandedOutBefore(t *testing.T) {
	w := newWorld(t)
	w.contact("Ada", api.ContactRequest{Action: "ask", Agent: "Joiner", Message: "Well?"})
	_, first := w.do("Joiner", "GET", "/v1/inbox/wait?cursor=&limit=20&wait=60s", "")
	if strings.Contains(first, `"again"`) || !strings.Contains(first, `"message":"msg-1"`) {
		t.Errorf("first: %s", first)
	}
	_, second := w.do("Joiner", "GET", "/v1/inbox/wait?cursor=&limit=20&wait=60s", "")
	if !strings.Contains(second, `"again":true`) {
		t.Errorf("second: %s", second)
	}
	if status, body := w.do("Joiner", "POST", "/v1/inbox/ack", `{"messages": ["msg-1"]}`); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	if b := w.receive("Joiner", ""); len(b.Items) != 0 || len(b.Held) != 1 {
		t.Errorf("after the ack: %+v", b)
	}
	if status, body := w.do("Joiner", "POST", "/v1/messages/msg-1/reply", `{"text": "Well."}`); status != http.StatusOK || !strings.Contains(body, "task-101 is completed") {
		t.Errorf("%d %s", status, body)
	}
	for _, wait := range []string{"x", "-1s", "11m", "60"} {
		if status, body := w.do("Joiner", "GET", "/v1/inbox/wait?wait="+wait, ""); status != http.StatusUnprocessableEntity && status != http.StatusBadRequest {
			t.Errorf("wait=%s: %d %s", wait, status, body)
		}
	}
}

// Somebody who waits gets what comes at once, and only what is for them.
func TestALongPollEndsWithAMessage(t *testing.T) {
	inside(t, func(t *testing.T, w *world) {
		began := time.Now()
		notified := make(chan struct{})
		time.AfterFunc(2*time.Second, func() {
			w.call("Ada", http.MethodPost, "/v1/contacts", `{"action": "notify", "agent": "Bob", "message": "For another."}`)
		})
		time.AfterFunc(5*time.Second, func() {
			w.call("Ada", http.MethodPost, "/v1/contacts", `{"action": "notify", "agent": "Joiner", "message": "Hello."}`)
			close(notified)
		})
		_, body := w.call("Joiner", http.MethodGet, "/v1/inbox/wait?wait=10m", "")
		<-notified
		var b api.Batch
		if err := json.Unmarshal([]byte(body), &b); err != nil || len(b.Items) != 1 || time.Since(began) != 5*time.Second {
			t.Errorf("after %s: %s", time.Since(began), body)
		}
		_, body = w.call("Joiner", http.MethodGet, "/v1/inbox/wait?wait=90s&cursor="+b.Cursor, "")
		if took := time.Since(began); took != 95*time.Second || !strings.Contains(body, `"items":[]`) {
			t.Errorf("after %s: %s", took, body)
		}
	})
}

func TestStoppingEndsALongPoll(t *testing.T) {
	w := newWorld(t)
	joiner, polled := w.as("Joiner"), make(chan error, 1)
	go func() {
		_, err := joiner.Receive(t.Context(), client.Fetch{Wait: time.Minute})
		polled <- err
	}()
	for connected := false; !connected; { // its lease says that the call has begun
		list, err := w.as("Ada").Agents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		connected = slices.ContainsFunc(list, func(a api.Agent) bool { return a.Name == "Joiner" && a.Status == "idle" })
	}
	w.close()
	if err := <-polled; parley.KindOf(err) != parley.Unavailable {
		t.Errorf("the poll ended with %v", err)
	}
}

// Nobody is connected who does not call, and whoever asks is told so.
func TestAnAskOfAProgramThatIsNotThere(t *testing.T) {
	inside(t, func(t *testing.T, w *world) {
		w.call("Ada", http.MethodPost, "/v1/contacts", `{"action": "ask", "agent": "Joiner", "message": "Well?"}`)
		<-time.After(121 * time.Second)
		_, body := w.call("Ada", http.MethodGet, "/v1/tasks/task-101", "")
		if !strings.Contains(body, `"late":"Joiner is not connected; the request waits for it."`) || !strings.Contains(body, `"state":"queued"`) {
			t.Errorf("not there: %s", body)
		}
		_, body = w.call("Ada", http.MethodGet, "/v1/agents", "")
		if !strings.Contains(body, `"status":"sleeping","reason":"not connected"`) {
			t.Errorf("its status: %s", body)
		}
		_, body = w.call("Joiner", http.MethodGet, "/v1/hub", "") // any call will do
		if !strings.Contains(body, `"you":"Joiner"`) {
			t.Errorf("%s", body)
		}
		_, body = w.call("Ada", http.MethodGet, "/v1/tasks/task-101", "")
		if !strings.Contains(body, `"late":"Joiner has not seen it yet."`) {
			t.Errorf("there: %s", body)
		}
	})
}

// The rules bind a program as they bind everyone, with a task and without.
func TestTheRulesBindAProgram(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	task := w.contact("Ada", api.ContactRequest{Action: "delegate", Agent: "Joiner", Message: "Work.", Budget: &api.Budget{Tasks: 2}}).Task.ID
	w.receive("Joiner", "")
	joiner := w.as("Joiner")
	delegate := func(with string) error {
		_, err := joiner.Contact(ctx, api.ContactRequest{Action: "delegate", Agent: "WriterBot", Message: "Write.", TaskID: with})
		return err
	}
	if err := delegate(task); err != nil {
		t.Fatal(err)
	}
	if err := delegate(task); parley.KindOf(err) != parley.Limited || !strings.Contains(err.Error(), "budget") {
		t.Errorf("beyond the budget: %v", err)
	}
	if err := delegate(""); err != nil {
		t.Errorf("without a task the budget is not its own: %v", err)
	}
	if err := delegate("task-999"); parley.KindOf(err) != parley.NotFound {
		t.Errorf("no such task: %v", err)
	}
	other := w.contact("Ada", api.ContactRequest{Action: "delegate", Agent: "Bob", Message: "Work."}).Task.ID
	if err := delegate(other); parley.KindOf(err) != parley.Denied {
		t.Errorf("another's task: %v", err)
	}
	var err error
	for n := 0; err == nil && n < 30; n++ {
		_, err = joiner.Contact(ctx, api.ContactRequest{Action: "notify", Agent: "WriterBot", Message: fmt.Sprint(n)})
	}
	if parley.KindOf(err) != parley.Limited || !strings.Contains(err.Error(), "rate limit reached (10 messages per minute)") {
		t.Errorf("the rate: %v", err)
	}
}

// The depth of asks goes through programs.
func TestTheDepthGoesThroughAProgram(t *testing.T) {
	w := newWorld(t)
	w.supervise()
	ctx := t.Context()
	who, task := "Joiner", ""
	for n := range 4 {
		next := map[string]string{"Joiner": "Stranger", "Stranger": "Joiner"}[who]
		made, err := w.as(who).Contact(ctx, api.ContactRequest{Action: "ask", Agent: next, Message: "Well?", TaskID: task})
		if n == 3 {
			if parley.KindOf(err) != parley.Limited || !strings.Contains(err.Error(), "Maximum agent communication depth (3) reached") {
				t.Errorf("the fourth: %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(n, err)
		}
		who, task = next, made.Task.ID
		w.receive(who, "")
	}
}

// A call that is no contact waits for approval too: the same call again runs once.
func TestACallWaitsForApproval(t *testing.T) {
	w := newWorld(t)
	w.supervise()
	if _, err := w.as("Ada").AddChannel(t.Context(), api.ChannelRequest{Name: "all", Members: []string{"Trainee", "Ada"}}); err != nil {
		t.Fatal(err)
	}
	post := func(text, key string) (int, string) {
		req := w.request("Trainee", "POST", "/v1/posts", fmt.Sprintf(`{"channel": "all", "message": %q}`, text))
		if key != "" {
			req.Header.Set(api.KeyHeader, key)
		}
		resp, body := w.send(req)
		return resp.StatusCode, body
	}
	for range 2 {
		status, body := post("Hello.", "")
		if status != http.StatusForbidden || !strings.Contains(body, parley.HeldText) || !strings.Contains(body, "It is approval-1.") {
			t.Fatalf("%d %s", status, body)
		}
	}
	if b := w.receive("Joiner", ""); len(b.Items) != 1 || !strings.HasPrefix(b.Items[0].Text, "[Approval Request | approval-1-") || !strings.Contains(b.Items[0].Text, "Hello.") {
		t.Errorf("its manager reads %q", texts(b))
	}
	if status, body := post("Other words.", ""); status != http.StatusForbidden || !strings.Contains(body, "It is approval-2.") {
		t.Errorf("other words are another call: %d %s", status, body)
	}
	w.approve("Ada", "approval-1")
	told := texts(w.receive("Trainee", ""))
	if len(told) != 1 || !strings.Contains(told[0], "approval-1 was approved: post-message. Make the same call again; it runs once.") || strings.Contains(told[0], "approval-1-") {
		t.Errorf("told: %q", told)
	}
	if status, body := post("Other words.", ""); status != http.StatusForbidden || !strings.Contains(body, "It is approval-2.") {
		t.Errorf("the approval of one call is used by another: %d %s", status, body)
	}
	for range 2 { // the second has lost the answer of the first
		if status, body := post("Hello.", "k"); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
	}
	if status, body := post("Hello.", "l"); status != http.StatusForbidden || !strings.Contains(body, "It is approval-3.") {
		t.Errorf("used twice: %d %s", status, body)
	}
	said, err := w.as("Ada").ReadChannel(t.Context(), "all", 10)
	if err != nil || len(said) != 1 {
		t.Errorf("said: %+v %v", said, err)
	}
	if _, err := w.as("Ada").Deny(t.Context(), "approval-2", "", "Never."); err != nil {
		t.Fatal(err)
	}
	if status, body := post("Other words.", ""); status != http.StatusForbidden || !strings.Contains(body, "Approval denied for post-message.") || !strings.Contains(body, "Never.") {
		t.Errorf("denied: %d %s", status, body)
	}
}

func (w *world) approve(who, id string) {
	w.t.Helper()
	if _, err := w.as(who).Approve(w.t.Context(), id, ""); err != nil {
		w.t.Fatal(err)
	}
}

// Nobody else makes the call that was approved for one.
func TestAnApprovalIsForWhoAsked(t *testing.T) {
	w := newWorld(t)
	w.supervise()
	if status, body := w.do("Trainee", "PUT", "/v1/agents/Trainee/status", `{"status": "offline"}`); status != http.StatusForbidden || !strings.Contains(body, "It is approval-1.") {
		t.Fatalf("%d %s", status, body)
	}
	w.approve("Ada", "approval-1")
	if status, body := w.do("Stranger", "PUT", "/v1/agents/Trainee/status", `{"status": "offline"}`); status != http.StatusForbidden {
		t.Errorf("%d %s", status, body)
	}
	if status, body := w.do("Trainee", "PUT", "/v1/agents/Trainee/status", `{"status": "offline"}`); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
}
