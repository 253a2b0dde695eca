package crash

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/model/wiretest"
)

// The hub dies while a reply comes in, in the middle of a tool call's arguments.
// Nothing of the reply counts: it is asked for again, in the same words, and its
// call is made once.
func TestKilledInAStreamedReply(t *testing.T) {
	forEngines(t, func(t *testing.T, on engine, kind, name string) {
		middle := newMoment()
		write := wiretest.Reply{Text: "I note it.", Piece: 4,
			Calls: []wiretest.Call{{ID: "c1", Name: "shell", Args: `{"command":"echo noted >> note.txt"}`}}}
		cut := write
		cut.Hold, cut.Held, cut.Pause = make(chan struct{}), middle.reach, 13
		th := newThinker(newGround(t), on, kind, name, wiretest.InTurn(cut, write, wiretest.Reply{Text: "Noted."}), "")
		ended, r := th.killed(th.await("half a reply is sent", middle))
		if ended.Result != "Noted." || th.note() != "noted\n" {
			t.Errorf("the result is %q, and the note %q", ended.Result, th.note())
		}
		th.checkShown(3, "exit code 0")
		asked := th.model.Requests()
		if diff := cmp.Diff(asked[0].Messages, asked[1].Messages); diff != "" {
			t.Errorf("the reply was asked for again in other words: %s", diff)
		}
		checkSteps(t, r, 4) // a reply, the call that begins, its result, a reply
	})
}

// The hub dies while a command runs. The one before it is not run again, its own
// processes end, and the model is told.
func TestKilledInACommand(t *testing.T) {
	forEngines(t, func(t *testing.T, on engine, kind, name string) {
		argument := strconv.Itoa(60_000_000 + os.Getpid())
		g := newGround(t)
		th := newThinker(g, on, kind, name, wiretest.InTurn(
			wiretest.Reply{Calls: []wiretest.Call{
				{ID: "c1", Name: "shell", Args: `{"command":"echo one >> note.txt"}`},
				{ID: "c2", Name: "shell", Args: `{"command":"echo two >> note.txt; sleep ` + argument + ` & sleep ` + argument + `"}`},
			}},
			wiretest.Reply{Calls: []wiretest.Call{{ID: "c3", Name: "read_file", Args: `{"path":"note.txt"}`}}},
			wiretest.Reply{Text: "Both were done."}), "")
		ended, _ := th.killed(func() {
			g.eventually("the second command runs", func(context.Context) (bool, error) { return running(argument) == 2, nil })
		})
		if ended.Result != "Both were done." || th.note() != "one\ntwo\n" {
			t.Errorf("the result is %q, and the note %q", ended.Result, th.note())
		}
		th.checkShown(3, "exit code 0", interrupted, "note.txt, lines 1-2 of 2")
		g.eventually("the command has ended", func(context.Context) (bool, error) { return running(argument) == 0, nil })
	})
}

// The hub dies while an outside tool is at work. It is not called again, and the
// model is told.
func TestKilledInAnOutsideTool(t *testing.T) {
	forEngines(t, func(t *testing.T, on engine, kind, name string) {
		middle := newMoment()
		calls := new(atomic.Int64)
		desk := startDesk(t, func(ctx context.Context) {
			calls.Add(1)
			middle.reach()
			<-ctx.Done()
		})
		th := newThinker(newGround(t), on, kind, name, wiretest.InTurn(
			wiretest.Reply{Calls: []wiretest.Call{{ID: "c1", Name: "desk__book", Args: `{"room":"blue"}`}}},
			wiretest.Reply{Text: "Whether it is booked is unknown."}), fmt.Sprintf("{type: http, url: %q}", desk))
		ended, r := th.killed(th.await("the tool is called", middle))
		if ended.Result != "Whether it is booked is unknown." || calls.Load() != 1 {
			t.Errorf("the result is %q after %d calls", ended.Result, calls.Load())
		}
		th.checkShown(2, interrupted)
		checkSteps(t, r, 4)
	})
}

// The same with a server that is a process of the hub's: it is called once, ends
// with the hub, and the next hub starts another.
func TestKilledInAToolOfAProcess(t *testing.T) {
	forEngines(t, func(t *testing.T, on engine, kind, name string) {
		g := newGround(t)
		booked := fmt.Sprintf("booked-%d", os.Getpid()) // in the workspace, which the server runs in
		th := newThinker(g, on, kind, name, wiretest.InTurn(
			wiretest.Reply{Calls: []wiretest.Call{{ID: "c1", Name: "desk__book", Args: `{"room":"blue"}`}}},
			wiretest.Reply{Text: "Whether it is booked is unknown."}),
			fmt.Sprintf("{command: %q, env: {%s: %q}}", os.Args[0], deskEnv, booked))
		file := filepath.Join(th.place.team, booked)
		var process int
		ended, r := th.killed(func() {
			g.eventually("the tool is called", func(context.Context) (bool, error) {
				text, _ := os.ReadFile(file) // it may not be there yet
				_, err := fmt.Sscanln(string(text), &process, new(string))
				return err == nil, err
			})
		})
		text, err := os.ReadFile(file)
		if want := fmt.Sprintln(process, "blue"); err != nil || string(text) != want || ended.Result != "Whether it is booked is unknown." {
			t.Errorf("the result is %q, and it was called by %q, %v", ended.Result, text, err)
		}
		g.eventually("the servers of both hubs have ended", func(context.Context) (bool, error) { return len(deskProcesses(booked)) == 0, nil })
		th.checkShown(2, interrupted)
		checkSteps(t, r, 4)
	})
}

// deskProcesses are the servers that write to a file, and what confines them.
func deskProcesses(file string) (list []string) {
	found, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, environ := range found {
		data, _ := os.ReadFile(environ) // it may have ended
		if strings.Contains(string(data), deskEnv+"="+file+"\x00") {
			list = append(list, filepath.Base(filepath.Dir(environ)))
		}
	}
	return list
}

// startDesk is an outside server with one tool. It ends with the test.
func startDesk(t *testing.T, book func(ctx context.Context)) (address string) {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "book", Description: "Books a room."},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ struct {
			Room string `json:"room"`
		}) (*mcp.CallToolResult, any, error) {
			ended, end := context.WithCancel(ctx)
			defer end()
			defer context.AfterFunc(t.Context(), end)()
			book(ended)
			return &mcp.CallToolResult{}, nil, nil
		})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	return web.URL
}

// checkSteps counts what is stored of the only task.
func checkSteps(t *testing.T, r *record, want int) {
	t.Helper()
	if len(r.tasks) != 1 || len(r.steps) != 1 {
		t.Fatalf("%d tasks", len(r.tasks))
	}
	for id, steps := range r.steps {
		var kinds []string
		for _, s := range steps {
			kinds = append(kinds, fmt.Sprint(s.kind))
		}
		if len(steps) != want {
			t.Errorf("task-%d has the steps %s", id, strings.Join(kinds, ", "))
		}
	}
}

// running counts the processes that sleep so long.
func running(argument string) (count int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		data, _ := os.ReadFile(file) // it may have ended
		if string(data) == "sleep\x00"+argument+"\x00" {
			count++
		}
	}
	return count
}
