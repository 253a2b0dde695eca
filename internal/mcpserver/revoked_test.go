package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// A client whose token is revoked while it waits is told so: it gets an answer.
func TestAWaitWhoseTokenIsRevokedIsAnswered(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			ctx, stop := context.WithCancel(t.Context())
			ran := make(chan struct{})
			go func() { defer close(ran); w.gate.Run(ctx) }()
			defer func() { stop(); <-ran }()
			for range 5 {
				coder := w.connect("CoderBot", version, nil)
				said := make(chan string, 1)
				go func() { said <- w.wait(version, coder.ID()) }()
				for !w.door.Load().Busy() {
					runtime.Gosched()
				}
				w.revoke("CoderBot")
				if text := <-said; !strings.Contains(text, "This token was revoked.") {
					t.Errorf("the answer is %q", text)
				}
				delete(w.tokens, "CoderBot")
			}
		})
	}
}

// wait waits for messages as CoderBot and returns what is answered.
func (w *world) wait(version, session string) string {
	params := map[string]any{"name": "wait_for_messages", "arguments": map[string]any{"wait_seconds": 600}}
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Authorization": {"Bearer " + w.tokens["CoderBot"]}, "Mcp-Protocol-Version": {version}}
	if version == alone {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientInfo": map[string]any{"name": "t", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{}}
		header["Mcp-Method"], header["Mcp-Name"] = []string{"tools/call"}, []string{"wait_for_messages"}
	} else {
		header["Mcp-Session-Id"] = []string{session}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
	if err != nil {
		return err.Error()
	}
	r, err := http.NewRequest(http.MethodPost, w.web.URL+"/mcp", bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	r.Header = header
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return resp.Status + " " + string(text)
}
