package app_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"parley/api"
	"parley/internal/model"
	"parley/internal/model/wiretest"
)

// look opens the live stream of a task. It returns when it is open: from then on
// nothing is missed.
func (r *running) look(task string) (next func() api.Live) {
	r.t.Helper()
	token, err := os.ReadFile(filepath.Join(r.Data, "hub.token"))
	if err != nil {
		r.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.URL+"/v1/tasks/"+task+"/live", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	connections := &http.Transport{}
	resp, err := connections.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		r.t.Fatal(resp, err)
	}
	r.t.Cleanup(func() { _ = resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	return func() (l api.Live) {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(data), &l); err != nil {
					r.t.Error(err)
				}
				return l
			}
		}
		return l
	}
}

// told puts what was seen live into one line.
func told(l api.Live) string {
	switch l.Kind {
	case "text":
		return l.Text
	case "tool":
		return "<tool " + l.Tool + ">"
	case "end":
		return "<end " + l.State + ">"
	}
	return "<" + l.Kind + ">"
}

// A reply is seen while it comes: before its provider has sent the rest, with a
// tool on the way, a connection that breaks off in the middle, and a key that the
// provider echoes in pieces.
func TestAReplyIsSeenWhileItComes(t *testing.T) {
	looking, rest := make(chan struct{}), make(chan struct{})
	var broken atomic.Bool
	server := wiretest.Start(t, func(r wiretest.Request) wiretest.Reply {
		last := r.Messages[len(r.Messages)-1]
		switch {
		case last.Role != model.ToolResult:
			return wiretest.Reply{Text: "I look.", Piece: 3, Hold: looking, Calls: []wiretest.Call{{ID: "a", Name: "list_agents", Args: "{}"}}}
		case broken.CompareAndSwap(false, true):
			return wiretest.Reply{Text: "Void, all of it.", Piece: 4, Cut: 700}
		}
		return wiretest.Reply{Text: "It is " + secretKey + ".", Piece: 6, Hold: rest, Pause: 2}
	})
	r := up(t, abroad(t, "trial/llama3:8b", server, ""))
	task := r.contact("ask", "DataBot").ID
	next := r.look(task)
	close(looking)
	seen := ""
	for l := next(); l.Kind != ""; l = next() {
		seen += told(l)
		if strings.HasSuffix(seen, "<restart>It is ") {
			close(rest) // only what was seen makes the provider go on
		}
	}
	void, after, _ := strings.Cut(strings.TrimPrefix(seen, "<step>"), "<restart>") // the turn may have begun before the look
	if !strings.HasPrefix(void, "I look.<tool list_agents><step>Void") {
		t.Errorf("until the connection broke off: %q", void)
	}
	if want := "It is [key].<end completed>"; after != want {
		t.Errorf("after that: %q, want %q", after, want)
	}
	if got, err := r.client().Task(t.Context(), task); err != nil || got.Result != "It is [key]." {
		t.Errorf("the result: %+v, %v", got, err)
	}
}
