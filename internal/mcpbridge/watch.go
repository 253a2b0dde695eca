package mcpbridge

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
)

// noteWatched remembers what the client has subscribed to, once the hub has agreed. The
// caller holds the lock.
func (b *Bridge) noteWatched(m, answer message) {
	var in struct {
		URI string `json:"uri"`
	}
	var out struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(m.params, &in) != nil || json.Unmarshal(answer.raw, &out) != nil || out.Error != nil {
		return
	}
	if m.method == "resources/subscribe" {
		b.watched[in.URI] = true
	} else {
		delete(b.watched, in.URI)
	}
}

// watchAgain makes the client's subscriptions anew: a hub that was restarted has none. What
// has changed meanwhile nobody knows, so the client is told to look at each of them.
func (b *Bridge) watchAgain(ctx context.Context) {
	b.mu.Lock()
	uris := make([]string, 0, len(b.watched))
	for uri := range b.watched {
		uris = append(uris, uri)
	}
	b.mu.Unlock()
	for _, uri := range uris {
		// A hub that still has it would count it twice.
		for _, method := range []string{"resources/unsubscribe", "resources/subscribe"} {
			m, _ := parse(raw(map[string]any{"jsonrpc": "2.0", "id": "watch-" + rand.Text(), "method": method, "params": map[string]any{"uri": uri}}))
			if resp, err := b.send(ctx, http.MethodPost, m); err == nil {
				_ = messages(resp, func([]byte) {}) // the client did not ask
				_ = resp.Body.Close()
			}
		}
		b.write(raw(map[string]any{"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": map[string]any{"uri": uri}}))
	}
}
