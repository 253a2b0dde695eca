package mcpserver_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client that is killed while it waits leaves nothing behind that would take its
// messages: the next one that comes in its name gets them.
func TestAClientIsKilledWhileItWaits(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			begun := make(chan struct{}, 1)
			victim := w.connect("CoderBot", version, &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
				select {
				case begun <- struct{}{}:
				default:
				}
			}})
			ended := make(chan error, 1)
			go func() {
				p := &mcp.CallToolParams{Name: "wait_for_messages", Arguments: map[string]any{"wait_seconds": 600}}
				p.SetProgressToken("t")
				_, err := victim.CallTool(t.Context(), p)
				ended <- err
			}()
			<-begun // it waits, and hears that it does
			w.web.CloseClientConnections()
			if err := <-ended; err == nil {
				t.Error("the call was answered")
			}
			id := w.delegate("Ada", "CoderBot", "Count the files.")
			next := w.connect("CoderBot", version, nil)
			res := next.call("wait_for_messages", nil)
			if text := textOf(res); !strings.Contains(text, "asks you to do "+id.String()) {
				t.Fatal(text)
			}
			// The response with which it was handed out is lost: it comes again, and says so.
			if text := next.says("wait_for_messages", nil); !strings.Contains(text, "asks you to do "+id.String()+", handed out before") {
				t.Error(text)
			}
			cursor := res.StructuredContent.(map[string]any)["cursor"]
			if text := next.says("wait_for_messages", map[string]any{"cursor": cursor, "wait_seconds": 0}); !strings.HasPrefix(text, "There is nothing new for you.") {
				t.Error("what was confirmed comes again:", text)
			}
		})
	}
}

// A call that waits returns as soon as something comes; what waits when the hub stops is
// answered.
func TestAWaitEndsWhenSomethingComes(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			coder := w.connect("CoderBot", version, nil)
			wait := func() chan string {
				said := make(chan string, 1)
				go func() {
					res, err := coder.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait_for_messages", Arguments: map[string]any{"wait_seconds": 600}})
					if err != nil {
						said <- err.Error()
						return
					}
					said <- textOf(res)
				}()
				return said
			}
			said := wait()
			w.connected("CoderBot")
			id := w.delegate("Ada", "CoderBot", "Count the files.")
			if text := <-said; !strings.Contains(text, id.String()) {
				t.Error(text)
			}
			coder.says("task_complete", map[string]any{"task_id": id.String(), "result": "Twelve."})
			if text := coder.says("read_inbox", nil); !strings.HasPrefix(text, "There is nothing new for you.") {
				t.Error("the end of a task confirms its message:", text)
			}
			said = wait()
			for !w.door.Load().Busy() {
				runtime.Gosched()
			}
			go w.door.Load().Stop()
			if text := <-said; !strings.Contains(text, "The hub is stopping.") {
				t.Error(text)
			}
		})
	}
}

func TestWaitIsRefusedWhatMakesNoSense(t *testing.T) {
	w := newWorld(t)
	coder := w.connect("CoderBot", alone, nil)
	for _, args := range []map[string]any{{"wait_seconds": -1}, {"wait_seconds": 601}, {"limit": 0}, {"limit": 51}, {"cursor": "!"}} {
		if res := coder.call("wait_for_messages", args); !res.IsError {
			t.Errorf("%v: %s", args, textOf(res))
		}
	}
}
