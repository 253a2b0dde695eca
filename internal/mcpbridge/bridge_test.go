package mcpbridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/mcpbridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hub answers requests as a test wants, and counts the calls of each tool.
type hub struct {
	mu       sync.Mutex
	sessions map[string]bool
	begun    int
	calls    map[string]int
	keys     map[string]bool
}

// counted is what the hub has counted of a tool.
func (h *hub) counted(tool string) (calls, keys, begun int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[tool], len(h.keys), h.begun
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var in struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name string
			Meta map[string]string `json:"_meta"`
		}
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &in)
	id := r.Header.Get("Mcp-Session-Id")
	switch {
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case in.Method == "initialize":
		h.begun++
		id = fmt.Sprintf("session-%d", h.begun)
		h.sessions[id] = true
		w.Header().Set("Mcp-Session-Id", id)
		answer(w, in.ID, `{"protocolVersion":"2025-06-18"}`)
	case !h.sessions[id]:
		w.WriteHeader(http.StatusNotFound)
	case in.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case in.Method == "tools/list":
		answer(w, in.ID, `{"tools":[{"name":"safe","_meta":{"parley/repeatable":true}},{"name":"shell"}]}`)
	default:
		h.calls[in.Params.Name]++
		h.keys[in.Params.Meta["parley/key"]] = true
		if h.calls[in.Params.Name] == 1 && in.Params.Name != "quick" {
			panic(http.ErrAbortHandler) // the hub dies in the middle of the call
		}
		answer(w, in.ID, `{"content":[{"type":"text","text":"done"}]}`)
	}
}

func answer(w http.ResponseWriter, id json.RawMessage, result string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", id, result)
}

// client is at the other end of the pipes.
type client struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Reader
}

func start(t *testing.T, h *hub) *client {
	t.Helper()
	h.sessions, h.calls, h.keys = map[string]bool{}, map[string]int{}, map[string]bool{}
	web := httptest.NewServer(h)
	toBridge, in := io.Pipe()
	out, fromBridge := io.Pipe()
	transport := &http.Transport{}
	b := &mcpbridge.Bridge{HTTP: &http.Client{Transport: transport}, Log: slog.New(slog.DiscardHandler), Patience: time.Minute,
		Find: func() (mcpbridge.Hub, error) { return mcpbridge.Hub{URL: web.URL, Token: "t"}, nil }}
	ended := make(chan error, 1)
	go func() {
		ended <- b.Run(context.Background(), toBridge, fromBridge)
		_ = fromBridge.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		transport.CloseIdleConnections()
		web.Close()
	})
	c := &client{t, in, bufio.NewReader(out)}
	c.ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`)
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	return c
}

func (c *client) say(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// ask returns the next line.
func (c *client) ask(line string) string {
	c.t.Helper()
	c.say(line)
	got, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSpace(got)
}

// What cannot be repeated is not: the client reads that nobody knows.
func TestACallOfUnknownOutcomeIsNotRepeated(t *testing.T) {
	h := &hub{}
	c := start(t, h)
	got := c.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"shell"}}`)
	calls, _, _ := h.counted("shell")
	if !strings.Contains(got, `"id":3`) || !strings.Contains(got, "Whether the call took effect is unknown") || calls != 1 {
		t.Errorf("%s, called %d times", got, calls)
	}
}

// What the same key lets find again is repeated, with that key and the client's id.
func TestARepeatableCallIsRepeatedWithItsKey(t *testing.T) {
	h := &hub{}
	c := start(t, h)
	got := c.ask(`{"jsonrpc":"2.0","id":"three","method":"tools/call","params":{"name":"safe"}}`)
	calls, keys, _ := h.counted("safe")
	if !strings.Contains(got, `"id":"three"`) || !strings.Contains(got, "done") || calls != 2 || keys != 1 {
		t.Errorf("%s, called %d times with %d keys", got, calls, keys)
	}
}

// A session that the hub does not know is begun again behind the client's back.
func TestALostSessionIsBegunAgain(t *testing.T) {
	h := &hub{}
	c := start(t, h)
	h.mu.Lock()
	clear(h.sessions)
	h.mu.Unlock()
	got := c.ask(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"quick"}}`)
	if _, _, begun := h.counted("quick"); !strings.Contains(got, "done") || begun != 2 {
		t.Errorf("%s, begun %d times", got, begun)
	}
}

func TestWhatIsNoMessageIsRefused(t *testing.T) {
	c := start(t, &hub{})
	if got := c.ask(`{nonsense`); !strings.Contains(got, "-32700") {
		t.Error(got)
	}
}
