package httpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/api"
)

// lookAtAsk makes Ada ask Bob and look at the task. It returns when the stream
// is open.
func (w *world) lookAtAsk() (task string, resp *http.Response) {
	w.t.Helper()
	made, err := w.as("Ada").Contact(w.t.Context(), api.ContactRequest{Action: "ask", Agent: "Bob", Message: "May I?"})
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err = http.DefaultTransport.RoundTrip(w.request("Ada", http.MethodGet, "/v1/tasks/"+made.Task.ID+"/live", ""))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = resp.Body.Close() })
	return made.Task.ID, resp
}

func TestALiveStreamEndsWithTheTask(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.as("Ada"), w.as("Bob")
	task, resp := w.lookAtAsk()
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("it is %s", got)
	}
	if _, err := bob.Complete(t.Context(), task, "You may."); err != nil {
		t.Fatal(err)
	}
	text := readAll(t, resp.Body)
	if want := ": parley\n\nevent: end\ndata: {\"kind\":\"end\",\"state\":\"completed\"}\n\n"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	var kinds []string
	for l, err := range ada.Live(t.Context(), task) { // once it has ended
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, l.Kind+" "+l.State)
	}
	if strings.Join(kinds, ", ") != "end completed" {
		t.Errorf("afterwards: %v", kinds)
	}
}

// Somebody who may not read a task may not look at it either.
func TestLookingNeedsTheRightsOfReading(t *testing.T) {
	w := newWorld(t)
	made, err := w.as("Ada").Contact(t.Context(), api.ContactRequest{Action: "ask", Agent: "Bob", Message: "May I?"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Eve", "Joiner"} {
		for _, err := range w.as(name).Live(t.Context(), made.Task.ID) {
			if parley.KindOf(err) != parley.NotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
		if status, body := w.do(name, http.MethodGet, "/v1/tasks/"+made.Task.ID+"/live", ""); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if status, body := w.do("Ada", http.MethodGet, "/v1/tasks/task/live", ""); status != http.StatusUnprocessableEntity {
		t.Errorf("no task: %d %s", status, body)
	}
}

func TestStoppingEndsALook(t *testing.T) {
	w := newWorld(t)
	_, resp := w.lookAtAsk()
	w.close()
	if text := readAll(t, resp.Body); !strings.Contains(text, "event: problem") || !strings.Contains(text, "The hub is stopping.") {
		t.Errorf("it ended with %q", text)
	}
}

func readAll(t *testing.T, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
