package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/app"
	"parley/internal/gate"
	"parley/internal/httpapi"
	"parley/internal/mcpserver"
	"parley/internal/model/scripted"
	"parley/internal/store"
	"parley/internal/token"
)

// doors is a hub with its doors open at a port of this machine.
type doors struct {
	*running
	url    string
	tokens []string // of the person and the clients, as in members

	mcp  *mcpserver.Door
	stop context.CancelFunc
	done chan error
}

// openDoors opens the doors of a hub that works. Its limits for each token are never
// reached. orders are answered below /bench/; it may be nil.
func openDoors(ctx context.Context, h *running, orders http.Handler) (*doors, error) {
	d := &doors{running: h, done: make(chan error, 1)}
	if err := d.makeTokens(ctx); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d.url = "http://" + listener.Addr().String()
	log := slog.New(slog.DiscardHandler)
	g := gate.New(gate.Config{Store: h.Store, Log: log, Host: "127.0.0.1",
		Limits: gate.Limits{Streams: math.MaxInt32, Requests: math.MaxInt32, Failures: math.MaxInt32}})
	d.mcp = h.MCP(app.MCPConfig{Identify: g.Identify, Headers: gate.Headers, MessageBytes: parley.DefaultLimits().MessageBytes})
	cfg := httpapi.Config{Gate: g, Tokens: h.Tokens, Store: h.Store, Contacts: h.Contacts, Redactions: h.Redactions,
		Reading: h.Reading, Desk: h.Desk, Tools: h.Tools, Channels: h.Channels, Keepers: h.Keepers, Claims: h.Claims,
		Log: log, Version: app.Version(), Started: time.Now(), MessageBytes: parley.DefaultLimits().MessageBytes, Mount: map[string]http.Handler{"/mcp": d.mcp}}
	if orders != nil {
		cfg.Mount["/bench/"] = orders
	}
	ctx, d.stop = context.WithCancel(ctx)
	go func() { d.done <- httpapi.New(cfg).Run(ctx, listener) }()
	return d, nil
}

func (d *doors) makeTokens(ctx context.Context) error {
	d.tokens = make([]string, 1+d.clients)
	for i := range d.tokens {
		d.tokens[i] = token.New()
	}
	return d.Store.Update(ctx, func(tx *store.Tx) error {
		for i, secret := range d.tokens {
			tx.InsertToken(token.Hash(secret), parley.Token{Agent: d.ids[i]})
		}
		return nil
	})
}

// close closes the doors; the hub works on.
func (d *doors) close() error {
	d.mcp.Stop()
	d.stop()
	return <-d.done
}

// connectMCP joins as an MCP client does.
func connectMCP(ctx context.Context, url, token string) (*mcp.ClientSession, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	return c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: &bearer{token: token}}}, nil)
}

// bearer sends a token with each request, over connections of its own.
type bearer struct {
	http.Transport
	token string
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.Transport.RoundTrip(r)
}

// textOf is what a tool said.
func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// hubProcess is a hub with its doors in a process of its own, so that its memory is
// its own.
type hubProcess struct {
	*child
	opened
	http http.Client
}

// opened is how others reach a hub.
type opened struct {
	URL    string   `json:"url"`
	Tokens []string `json:"tokens"`
}

func startHub(ctx context.Context, e errand) (*hubProcess, error) {
	e.Do = doDoors
	c, err := startChild(ctx, e)
	if err != nil {
		return nil, err
	}
	h := &hubProcess{child: c}
	if err := c.hear(&h.opened); err != nil {
		return nil, errors.Join(err, c.kill())
	}
	return h, nil
}

// order has the hub's process do something that no door offers.
func (h *hubProcess) order(ctx context.Context, what string, answer any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/bench/"+what, nil)
	if err != nil {
		return err
	}
	resp, err := h.http.Do(req)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", what, resp.Status, text)
	}
	return json.Unmarshal(text, answer)
}

// doors runs a hub whose clients are another process.
func (e errand) doors(ctx context.Context) error {
	st, err := openStoreIn(ctx, e.Engine, e.Address, store.Memory(e.Memory))
	if err != nil {
		return err
	}
	h, err := start(ctx, st, newCrew(plan{natives: e.Natives, clients: e.Clients, pairs: 1}, 0, scripted.Noop()))
	if err != nil {
		return errors.Join(err, st.Close())
	}
	app.LimitMemory(store.Memory(e.Memory), slog.New(slog.DiscardHandler))
	go app.TendCollector(ctx)
	d, err := openDoors(ctx, h, newOrders(h))
	if err == nil {
		if err = tell(opened{URL: d.url, Tokens: d.tokens}); err == nil {
			<-ctx.Done()
		}
		err = errors.Join(err, d.close())
	}
	return errors.Join(err, h.end(), st.Close())
}
