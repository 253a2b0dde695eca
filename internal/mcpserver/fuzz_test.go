package mcpserver_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// bodies are requests to begin from: all that a client says, and mistakes.
var bodies = []string{
	``, `null`, `[]`, `{}`, `7`, `{"jsonrpc": "2.0"}`, `{"jsonrpc": "1.0", "id": 1, "method": "ping"}`, `{"jsonrpc": "2.0", "id": {}, "method": "ping"}`, `{"jsonrpc": "2.0", "id": null, "method": "ping"}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": null}`, `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 7}}`,
	`{"jsonrpc": "2.0", "method": "notifications/initialized"}`, `{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}`,
	`{"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {"cursor": "x"}}`, `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "my_tasks", "arguments": {}}}`, `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "reply", "arguments": {"message": "msg-1", "text": "Hi."}}}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ack", "arguments": [1]}}`, `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 1}}`, `{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait_for_messages", "arguments": {"wait_seconds": 0, "cursor": "gA"}, "_meta": {"progressToken": []}}}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "parley://tasks/task-1"}}`, `{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "::"}}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}`, `{"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": "parley://channels/standup"}}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "resources/templates/list"}`, `{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "join", "arguments": {"x": 1}}}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "prompts/list"}`, `{"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": {"ref": {"type": "ref/resource", "uri": "parley://tasks/{id}"}, "argument": {"name": "id", "value": "t"}}}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": {"ref": null}}`, `{"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "loud"}}`,
	`{"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}`, `{"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen"}`,
	`{"jsonrpc": "2.0", "id": 1, "result": {}}`, `{"jsonrpc": "2.0", "id": 1, "error": {"code": 1e99, "message": ""}}`, `[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 1, "method": "ping"}]`,
}

// Whatever a client that has a token posts, the door answers with no 5xx, and nothing
// panics: a panic in a handler ends this test too, since no server recovers it here.
func FuzzRequest(f *testing.F) {
	w := newWorld(f)
	w.delegate("Ada", "CoderBot", "Count the files.")
	session := w.connect("CoderBot", withSessions, nil).ID()
	for i, body := range bodies {
		f.Add([]byte(body), alone, "", "")
		f.Add([]byte(body), withSessions, session, []string{"tools/call", "ping", ""}[i%3])
	}
	f.Add([]byte(bodies[9]), "", "", "")
	f.Add([]byte(bodies[15]), "2099-01-01", "7.2025-06-18.n.X", "tools/list")
	f.Add([]byte(bodies[15]), withSessions, session+"x", "") // one that was lost and is made anew
	secret := w.tokenOf("CoderBot")
	f.Fuzz(func(t *testing.T, body []byte, version, id, method string) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // then the client is gone
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", bytes.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + secret}}
		for name, value := range map[string]string{"Mcp-Protocol-Version": version, "Mcp-Session-Id": id, "Mcp-Method": method} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		out := httptest.NewRecorder()
		w.web.Config.Handler.ServeHTTP(out, r)
		if out.Code >= 500 {
			t.Fatalf("%d %s", out.Code, out.Body)
		}
	})
}
