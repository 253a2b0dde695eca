package mcpserver_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/contact"
	"parley/internal/mcpbridge"
)

// bridge connects a client through its pipes.
func (w *world) bridge(name, version string, o *mcp.ClientOptions) *connection {
	w.t.Helper()
	secret := w.tokenOf(name)
	toBridge, fromClient := io.Pipe()
	toClient, fromBridge := io.Pipe()
	transport := &http.Transport{}
	b := &mcpbridge.Bridge{HTTP: &http.Client{Transport: transport}, Log: slog.New(slog.DiscardHandler), Patience: time.Minute,
		Find: func() (mcpbridge.Hub, error) { return mcpbridge.Hub{URL: w.web.URL, Token: secret}, nil }}
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		ended <- b.Run(ctx, toBridge, fromBridge)
		_ = fromBridge.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(w.t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = session.Close()
		_ = fromClient.Close()
		if err := <-ended; err != nil {
			w.t.Error(err)
		}
		cancel()
		transport.CloseIdleConnections()
	})
	return &connection{session, w}
}

// A call that waits goes on at the hub that comes after the one that died; so does one
// that is made while there is none.
func TestTheBridgeSurvivesARestartOfTheHub(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			coder := w.bridge("CoderBot", version, nil)
			if _, err := coder.ListTools(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			waited := make(chan string, 1)
			go func() {
				res, err := coder.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait_for_messages", Arguments: map[string]any{"wait_seconds": 600}})
				if err != nil {
					waited <- err.Error()
					return
				}
				waited <- textOf(res)
			}()
			w.connected("CoderBot")
			w.crash()
			listed := make(chan string, 1)
			go func() {
				res, err := coder.CallTool(t.Context(), &mcp.CallToolParams{Name: "my_tasks"})
				if err != nil {
					listed <- err.Error()
					return
				}
				listed <- textOf(res)
			}()
			w.start()
			if text := <-listed; text != "You have no open tasks." {
				t.Error(text)
			}
			id := w.delegate("Ada", "CoderBot", "Count the files.")
			if text := <-waited; !strings.Contains(text, id.String()) {
				t.Error(text)
			}
		})
	}
}

// connected waits until the hub knows that a client is there.
func (w *world) connected(name string) {
	w.t.Helper()
	for {
		a, err := w.hub.Reading.Agent(w.t.Context(), w.caller("Ada"), name)
		if err != nil {
			w.t.Fatal(err)
		}
		if a.ConnectedUntil > 0 {
			return
		}
	}
}

// A client hears of changes also after the hub was restarted, without subscribing again. What
// it no longer wants it does not hear of.
func TestTheBridgeKeepsSubscriptions(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			heard := make(chan string, 1000)
			coder := w.bridge("CoderBot", version, &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
				heard <- r.Params.URI
			}})
			const uri = "parley://channels/standup"
			coder.subscribe(version, uri)
			hear := func(text string) {
				t.Helper()
				if _, err := w.hub.Contacts.Post(t.Context(), w.caller("Ada"), contact.Post{Channel: "standup", Message: text}); err != nil {
					t.Fatal(err)
				}
				if got := <-heard; got != uri {
					t.Error(got)
				}
			}
			hear("Good morning.")
			for range 2 {
				w.crash()
				for len(heard) > 0 {
					<-heard
				}
				w.start()
				for !w.door.Load().Subscribed(uri) {
					runtime.Gosched()
				}
				if version < alone {
					if got := <-heard; got != uri { // it may have changed meanwhile
						t.Error(got)
					}
				}
				hear("Good morning again.")
			}
		})
	}
}
