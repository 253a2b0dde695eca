package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/app"
)

// The official client goes on as if nothing had happened, in the same session.
func TestAClientDoesNotNoticeThatTheHubWasRestarted(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			coder := w.connect("CoderBot", version, nil)
			before := coder.ID()
			id := w.delegate("Ada", "CoderBot", "Count the files.")
			if text := coder.says("wait_for_messages", nil); !strings.Contains(text, "Count the files.") {
				t.Fatal(text)
			}
			w.crash()
			if _, err := coder.CallTool(t.Context(), &mcp.CallToolParams{Name: "my_tasks"}); err == nil {
				t.Error("somebody answered while the hub was down")
			}
			w.start()
			if text := coder.says("wait_for_messages", nil); !strings.Contains(text, "Count the files.") || !strings.Contains(text, "handed out before") {
				t.Error("what was not confirmed does not come again:", text)
			}
			coder.says("task_complete", map[string]any{"task_id": id.String(), "result": "Twelve."})
			if coder.ID() != before {
				t.Errorf("session %q, before %q", coder.ID(), before)
			}
		})
	}
}

// Whose token it is decides, whatever the session.
func TestASessionOfSomebodyElseIsNotKnown(t *testing.T) {
	w := newWorld(t)
	coder := w.connect("CoderBot", withSessions, nil)
	for range 2 {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			status, body := w.send(method, w.tokenOf("ToolBot"), coder.ID(), map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
			if status != http.StatusNotFound || !strings.Contains(body, "There is no such session.") {
				t.Errorf("%s: %d, %s", method, status, body)
			}
		}
		coder.says("my_tasks", nil)
		w.crash() // and neither after a restart, when nothing is known of the session but its id
		w.start()
	}
}

// A session that its client has ended is over; one that was lost is not.
func TestAnEndedSessionIsOver(t *testing.T) {
	w := newWorld(t)
	coder := w.connect("CoderBot", withSessions, nil)
	ping := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
	if status, body := w.send(http.MethodPost, w.tokenOf("CoderBot"), coder.ID(), ping); status != http.StatusOK {
		t.Error(status, body)
	}
	if status, body := w.send(http.MethodDelete, w.tokenOf("CoderBot"), coder.ID(), nil); status != http.StatusNoContent {
		t.Error(status, body)
	}
	if status, body := w.send(http.MethodPost, w.tokenOf("CoderBot"), coder.ID(), ping); status != http.StatusNotFound {
		t.Error(status, body)
	}
}

// Every version of the protocol is served at the one address.
func TestEveryVersionIsServed(t *testing.T) {
	w := newWorld(t)
	for _, version := range mcp.SupportedProtocolVersions() {
		coder := w.connect("CoderBot", version, nil)
		if got := coder.InitializeResult().ProtocolVersion; got != version {
			t.Errorf("%s: %s", version, got)
		}
		coder.says("my_tasks", nil)
	}
	if got := mcp.SupportedProtocolVersions(); got[0] != "2026-07-28" || got[len(got)-1] != "2024-11-05" {
		t.Error(got)
	}
}

// Tools that the files give or take are offered and withdrawn while a session is open.
func TestAClientHearsOfNewTools(t *testing.T) {
	w := newWorld(t)
	heard := make(chan struct{}, 10)
	coder := w.connect("CoderBot", withSessions, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { heard <- struct{}{} }})
	coder.says("my_tasks", nil)
	w.rejoin(func(m *app.Member) {
		if m.Name == "CoderBot" {
			m.Toolsets = []string{"peers"}
		}
	})
	<-heard
	list, err := coder.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(list.Tools, func(tl *mcp.Tool) bool { return tl.Name == name })
	}
	if !has("call_agent") || has("contact_agent") || !has("wait_for_messages") {
		t.Error(list.Tools)
	}
	if _, err := coder.CallTool(t.Context(), &mcp.CallToolParams{Name: "contact_agent"}); err == nil {
		t.Error("a tool was called that was taken away")
	}
}

// send makes a request without the SDK.
func (w *world) send(method, token, session string, message any) (status int, body string) {
	w.t.Helper()
	raw, err := json.Marshal(message)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.web.URL+"/mcp", bytes.NewReader(raw))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}
