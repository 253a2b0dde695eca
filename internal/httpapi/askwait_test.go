package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/api"
	"parley/client"
)

// askFor asks and waits in one request, and says how long that took.
func (w *world) askFor(t *testing.T, body string) (api.Contact, time.Duration) {
	t.Helper()
	began := time.Now()
	status, text := w.call("Ada", http.MethodPost, "/v1/contacts", body)
	var made api.Contact
	if err := json.Unmarshal([]byte(text), &made); err != nil || status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	return made, time.Since(began)
}

// completes has Bob answer task-101 after a while; the channel is closed when he has.
func (w *world) completes(after time.Duration) <-chan struct{} {
	replied := make(chan struct{})
	time.AfterFunc(after, func() {
		w.call("Bob", http.MethodPost, "/v1/tasks/task-101/complete", `{"result": "You may."}`)
		close(replied)
	})
	return replied
}

func TestAnAskThatWaitsIsAnsweredInOneRequest(t *testing.T) {
	w := newWorld(t)
	ada := w.as("Ada")
	for message, want := range map[string]api.Task{
		"What was the revenue?": {State: "completed", Result: "42 million."},
		"break":                 {State: "failed"},
	} {
		made, err := ada.Contact(t.Context(), api.ContactRequest{Action: "ask", Agent: "DataBot", Message: message, Wait: 60})
		if err != nil {
			t.Fatal(err)
		}
		if got := made.Task; got.State != want.State || got.Result != want.Result || got.Ended == nil || (got.ResultID != "") != (want.Result != "") {
			t.Errorf("%s: %+v", message, got)
		}
	}
	long := strings.Repeat("é", 510) // the answer is longer than a message may be
	made, err := ada.Contact(t.Context(), api.ContactRequest{Action: "ask", Agent: "WriterBot", Message: long, Wait: 60})
	if err != nil || made.Task.Result != "Done: "+long {
		t.Errorf("a long answer: %+v, %v", made.Task, err)
	}
	if made, err := ada.Contact(t.Context(), api.ContactRequest{Action: "notify", Agent: "Bob", Message: "Hello.", Wait: 60}); err != nil || made.Task != nil {
		t.Errorf("a notification: %+v, %v", made, err)
	}
	if status, text := w.do("Ada", "POST", "/v1/contacts", `{"action": "ask", "agent": "Bob", "message": "x", "wait": 61}`); status != http.StatusUnprocessableEntity {
		t.Errorf("too long: %d %s", status, text)
	}
}

func TestAnAskThatWaitsEndsWithTheTask(t *testing.T) {
	inside(t, func(t *testing.T, w *world) {
		replied := w.completes(5300 * time.Millisecond)
		made, took := w.askFor(t, `{"action": "ask", "agent": "Bob", "message": "May I?", "wait": 60}`)
		<-replied
		if made.Task.State != "completed" || made.Task.Result != "You may." || took != 5300*time.Millisecond {
			t.Errorf("after %s: %+v", took, made.Task)
		}
	})
}

// Nothing ends with the waiting: the task goes on, and the long poll has its end.
func TestAnAskThatWaitedInVainIsWaitedForAgain(t *testing.T) {
	inside(t, func(t *testing.T, w *world) {
		made, took := w.askFor(t, `{"action": "ask", "agent": "Bob", "message": "May I?", "wait": 7.5}`)
		if made.Task.ID != "task-101" || made.Task.State != "queued" || took != 7500*time.Millisecond {
			t.Fatalf("after %s: %+v", took, made.Task)
		}
		replied := w.completes(time.Second)
		task, took := w.poll(t, "60")
		<-replied
		if task.Result != "You may." || took != time.Second {
			t.Errorf("after %s: %+v", took, task)
		}
	})
}

func TestAnAskThatWaitedInVainIsShownAsItIs(t *testing.T) {
	inside(t, func(t *testing.T, w *world) {
		taken := make(chan struct{})
		time.AfterFunc(time.Second, func() {
			w.call("Joiner", http.MethodPost, "/v1/tasks/task-101/take", "")
			close(taken)
		})
		made, took := w.askFor(t, `{"action": "ask", "agent": "Joiner", "message": "May I?", "wait": 1.5}`)
		<-taken
		if made.Task.State != "running" || took != 1500*time.Millisecond {
			t.Errorf("after %s: %+v", took, made.Task)
		}
	})
}

// An ask waits no longer than its own time.
func TestAnAskThatWaitsHasItsOwnTime(t *testing.T) {
	inside(t, func(t *testing.T, w *world) {
		made, took := w.askFor(t, `{"action": "ask", "agent": "Bob", "message": "May I?", "wait": 60, "timeout_seconds": 3}`)
		if made.Task.State != "queued" || took != 3*time.Second {
			t.Errorf("after %s: %+v", took, made.Task)
		}
	})
}

// A request that is repeated waits for the task that the first one made, also beside it.
func TestARepeatedAskWaitsForTheSameTask(t *testing.T) {
	inside(t, func(t *testing.T, w *world) {
		replied := w.completes(9 * time.Second)
		const body = `{"action": "ask", "agent": "Bob", "message": "May I?", "wait": 60, "key": "once"}`
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if made, took := w.askFor(t, body); made.Task.ID != "task-101" || made.Task.Result != "You may." || took != 9*time.Second {
					t.Errorf("after %s: %+v", took, made.Task)
				}
			})
		}
		all.Wait()
		<-replied
		if made, took := w.askFor(t, body); made.Task.ID != "task-101" || made.Task.Result != "You may." || took != 0 {
			t.Errorf("afterwards, after %s: %+v", took, made.Task)
		}
	})
}

// A client that hangs up loses nothing: the key finds the task, and the answer.
func TestWhoHangsUpWhileAskingLosesNothing(t *testing.T) {
	inside(t, func(t *testing.T, w *world) {
		const body = `{"action": "ask", "agent": "Bob", "message": "May I?", "wait": 60, "key": "once"}`
		ctx, hangUp := context.WithCancel(t.Context())
		req := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/v1/contacts", strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+w.tokens["Ada"])
		left := make(chan struct{})
		go func() {
			w.server.Handler().ServeHTTP(httptest.NewRecorder(), req)
			close(left)
		}()
		synctest.Wait()
		hangUp()
		<-left
		replied := w.completes(4 * time.Second)
		made, took := w.askFor(t, body)
		<-replied
		if made.Task.ID != "task-101" || made.Task.Result != "You may." || took != 4*time.Second {
			t.Errorf("after %s: %+v", took, made.Task)
		}
	})
}

// A hub that stops answers with the task, since that is stored.
func TestStoppingAnswersAnAskThatWaits(t *testing.T) {
	w := newWorld(t)
	ada := w.as("Ada")
	type outcome struct {
		api.Contact
		error
	}
	asked := make(chan outcome, 1)
	go func() {
		made, err := ada.Contact(t.Context(), api.ContactRequest{Action: "ask", Agent: "Bob", Message: "May I?", Wait: 60})
		asked <- outcome{made, err}
	}()
	if _, err := w.as("Bob").Receive(t.Context(), client.Fetch{Wait: time.Minute}); err != nil {
		t.Fatal(err)
	}
	w.close()
	if got := <-asked; got.error != nil || got.Task == nil || got.Task.ID != "task-101" || got.Task.State != "queued" {
		t.Errorf("%+v, %v", got.Contact, got.error)
	}
}
