package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/internal/bubbletest"
)

// inside runs a test on a hub without a network, in a bubble. Time passes only
// when everyone waits, so "at once" can be told from "soon".
func inside(t *testing.T, play func(t *testing.T, w *world)) {
	bubbletest.Test(t, func(t *testing.T) {
		w := assemble(t, time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- w.hub.Run(ctx) }()
		play(t, w)
		cancel()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		if err := w.store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// call makes a request without a network.
func (w *world) call(as, method, path, body string) (int, string) {
	req := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+w.tokens[as])
	answer := httptest.NewRecorder()
	w.server.Handler().ServeHTTP(answer, req)
	return answer.Code, answer.Body.String()
}

// poll waits for a task and says how long it took.
func (w *world) poll(t *testing.T, seconds string) (api.Task, time.Duration) {
	began := time.Now()
	status, body := w.call("Ada", http.MethodGet, "/v1/tasks/task-101/wait?seconds="+seconds, "")
	var task api.Task
	if err := json.Unmarshal([]byte(body), &task); err != nil || status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	return task, time.Since(began)
}

const askBob = `{"action": "ask", "agent": "Bob", "message": "May I?"}`

func TestALongPollEndsWithTheTask(t *testing.T) {
	inside(t, func(t *testing.T, w *world) {
		w.call("Ada", http.MethodPost, "/v1/contacts", askBob)
		replied := make(chan struct{})
		time.AfterFunc(5300*time.Millisecond, func() {
			w.call("Bob", http.MethodPost, "/v1/tasks/task-101/complete", `{"result": "You may."}`)
			close(replied)
		})
		task, took := w.poll(t, "60")
		<-replied
		if task.State != "completed" || task.Result != "You may." {
			t.Errorf("the task: %+v", task)
		}
		if took != 5300*time.Millisecond {
			t.Errorf("the poll ended after %s, and the task after 5.3s", took)
		}
	})
}

func TestALongPollEndsWhenItsTimeIsOver(t *testing.T) {
	inside(t, func(t *testing.T, w *world) {
		w.call("Ada", http.MethodPost, "/v1/contacts", askBob)
		if task, took := w.poll(t, "7.5"); task.State != "queued" || took != 7500*time.Millisecond {
			t.Errorf("%s after %s", task.State, took)
		}
		if task, took := w.poll(t, "0"); task.State != "queued" || took != 0 {
			t.Errorf("%s after %s", task.State, took)
		}
	})
}

// Fetching a reply does not mark it as seen.
func TestWaitingMarksNothingAsSeen(t *testing.T) {
	w := newWorld(t)
	ada := w.as("Ada")
	made, err := ada.Contact(t.Context(), api.ContactRequest{Action: "ask", Agent: "DataBot", Message: "What was the revenue?"})
	if err != nil {
		t.Fatal(err)
	}
	task, err := ada.WaitTask(t.Context(), made.Task.ID, time.Minute)
	if err != nil || task.Result != "42 million." {
		t.Fatalf("%+v, %v", task, err)
	}
	if m, err := ada.Message(t.Context(), task.ResultID); err != nil || m.Deliveries[0].State != "accepted" {
		t.Errorf("before: %+v, %v", m.Deliveries, err)
	}
	if err := ada.MarkSeen(t.Context(), task.ResultID); err != nil {
		t.Fatal(err)
	}
	if m, err := ada.Message(t.Context(), task.ResultID); err != nil || m.Deliveries[0].State != "seen" {
		t.Errorf("after: %+v, %v", m.Deliveries, err)
	}
}

func TestStoppingEndsWhatWaits(t *testing.T) {
	w := newWorld(t)
	ada := w.as("Ada")
	made, err := ada.Contact(t.Context(), api.ContactRequest{Action: "ask", Agent: "Bob", Message: "May I?"})
	if err != nil {
		t.Fatal(err)
	}
	polled := make(chan error, 1)
	go func() {
		_, err := ada.WaitTask(t.Context(), made.Task.ID, 0)
		polled <- err
	}()
	connected, streamed := make(chan struct{}), make(chan string, 1)
	go func() {
		resp, err := http.DefaultTransport.RoundTrip(w.request("Ada", http.MethodGet, "/v1/events?after=now", ""))
		if err != nil {
			streamed <- err.Error()
			return
		}
		close(connected)
		defer resp.Body.Close()
		var text strings.Builder
		buf := make([]byte, 1<<10)
		for err == nil {
			var n int
			n, err = resp.Body.Read(buf)
			text.Write(buf[:n])
		}
		streamed <- text.String()
	}()
	<-connected
	w.close()
	if log := w.log.String(); strings.Contains(log, "some requests were cut off") {
		t.Errorf("something was waited for in vain:\n%s", log)
	}
	if err := <-polled; parley.KindOf(err) != parley.Unavailable {
		t.Errorf("the poll ended with %v", err)
	}
	if text := <-streamed; !strings.Contains(text, "event: problem") || !strings.Contains(text, "The hub is stopping.") {
		t.Errorf("the stream ended with %q", text)
	}
	if _, err := ada.Hub(t.Context()); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("afterwards: %v", err)
	}
}
