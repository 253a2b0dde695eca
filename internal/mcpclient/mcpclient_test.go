package mcpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/mcpclient"
	"parley/internal/tool"
)

// running is a server that a test has started.
type running struct {
	t       *testing.T
	servers *mcpclient.Servers
	conn    *mcpclient.Conn
	stop    func()
}

func start(t *testing.T, def mcpclient.Server, log *slog.Logger) running {
	t.Helper()
	servers := mcpclient.New(log)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	conn := servers.Add(def)
	go func() {
		defer close(ended)
		servers.Run(ctx)
	}()
	stop := sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	t.Cleanup(stop)
	<-conn.Ready()
	return running{t, servers, conn, stop}
}

func (r running) call(name, text string) (string, error) {
	r.t.Helper()
	return r.callWithin(r.t.Context(), name, text)
}

func (r running) callWithin(ctx context.Context, name, text string) (string, error) {
	r.t.Helper()
	tl, ok := tool.Find(r.conn.Tools(), "test__"+name)
	if !ok {
		r.t.Fatalf("there is no tool %s: %+v", name, r.conn.State())
	}
	args, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := tl.Prepare(args).Run(ctx, tool.Call{})
	return res.Text, err
}

func (r running) must(name, text string) string {
	r.t.Helper()
	res, err := r.call(name, text)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// eventually waits for what happens in another process.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for !is() {
		select {
		case <-deadline:
			t.Errorf("it did not happen that %s", what)
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestToolsAreListedAndCalled(t *testing.T) {
	r := start(t, self("usual"), quiet())
	if got := r.must("echo", "Hello."); got != "Hello." {
		t.Errorf("echo says %q", got)
	}
	if got := r.must("mixed", ""); got != "one\n\n[An image, image/png, 5 bytes, which cannot be shown here.]\n\n[A resource: file:///a]\n\nfile:///b:\ntwo" {
		t.Errorf("mixed says %q", got)
	}
	if _, err := r.call("fail", ""); parley.KindOf(err) != parley.Failed || err.Error() != "the disk is full" {
		t.Errorf("fail says %v", err)
	}
	got := r.must("huge", "")
	if len(got) > 65<<10 || !strings.HasSuffix(got, "[This is the beginning of a result of 2097152 bytes; the rest was left out. Ask for less.]") {
		t.Errorf("huge has %d bytes", len(got))
	}
	for _, tl := range r.conn.Tools() {
		if tl.Replays || tl.Contacts || !strings.HasPrefix(tl.Name, "test__") || tl.Description == "" {
			t.Errorf("%+v", tl)
		}
	}
	echo, _ := tool.Find(r.conn.Tools(), "test__echo")
	if _, err := echo.Prepare(json.RawMessage(`[`)).Run(t.Context(), tool.Call{}); parley.KindOf(err) != parley.Invalid {
		t.Errorf("broken arguments get %v", err)
	}
}

// The server's claim that a tool only reads counts only if the files say so.
func TestActionsOfTools(t *testing.T) {
	for trust, want := range map[bool]string{false: "tool:mcp:test.echo", true: "tool:mcp_read:test.echo"} {
		def := self("usual")
		def.TrustReads = trust
		r := start(t, def, quiet())
		for name, want := range map[string]string{"echo": want, "fail": "tool:mcp:test.fail"} {
			tl, _ := tool.Find(r.conn.Tools(), "test__"+name)
			if got, _ := tl.ActionOf(nil); got != want {
				t.Errorf("trust %v: %s is %q", trust, name, got)
			}
		}
	}
}

func TestAProcessSeesOnlyWhatItNeeds(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-the-hub")
	t.Setenv("TRACKER_TOKEN", "secret-of-the-tracker")
	def := self("usual")
	def.Env["TEST_SECRET"], def.Env["LITERAL"], def.Env["OTHER"] = "${TRACKER_TOKEN}", "as it is", "${UNSET:-default}"
	log := &journal{}
	r := start(t, def, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	env := strings.Split(r.must("env", ""), "\n")
	for _, want := range []string{"TEST_SECRET=secret-of-the-tracker", "LITERAL=as it is", "OTHER=default", "PATH=" + os.Getenv("PATH")} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if slices.ContainsFunc(env, func(s string) bool { return strings.Contains(s, "OPENAI") }) {
		t.Error("the hub's key is there")
	}
	if text := log.String(); !strings.Contains(text, "hello from") || strings.Contains(text, "secret-of") {
		t.Errorf("logged:\n%s", text)
	}
}

func TestWhatIsWrongIsSaidWithoutSecrets(t *testing.T) {
	t.Setenv("TRACKER_TOKEN", "secret-of-the-tracker")
	broken := self("broken")
	broken.Env["TEST_SECRET"] = "${TRACKER_TOKEN}"
	unset := self("usual")
	unset.Env["KEY"] = "${NOT_SET_AT_ALL}"
	for _, c := range []struct {
		def  mcpclient.Server
		want string
	}{
		{mcpclient.Server{Name: "test", Command: "no-such-command-here"}, `the command "no-such-command-here" was not found`},
		{mcpclient.Server{Name: "test", Command: "server_test.go", Dir: "."}, "server_test.go"},
		{unset, "the environment variable NOT_SET_AT_ALL is not set"},
		{broken, "it wrote: no such database: …"},
		{mcpclient.Server{Name: "test", URL: "not an address"}, "its url is not an address like https://example.com/mcp"},
	} {
		state := mcpclient.Check(t.Context(), c.def, quiet())
		if state.Up || !strings.Contains(state.Problem, c.want) || strings.Contains(state.Problem, "secret-of") {
			t.Errorf("%+v, want %q", state, c.want)
		}
	}
}

func TestCheckEndsWhatItStarted(t *testing.T) {
	log := &journal{}
	state := mcpclient.Check(t.Context(), self("usual"), slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if !state.Up || state.Tools == 0 || state.Problem != "" {
		t.Errorf("%+v", state)
	}
	var pid int
	_, rest, _ := strings.Cut(log.String(), "hello from ")
	if _, err := fmt.Sscan(rest, &pid); err != nil || !gone(pid) {
		t.Errorf("process %d is left, %v", pid, err)
	}
}

func TestAServerThatDiesDuringACallIsStartedAgain(t *testing.T) {
	r := start(t, self("usual"), quiet())
	before := r.must("pid", "")
	_, err := r.call("die", "")
	if parley.KindOf(err) != parley.Unavailable || !strings.Contains(err.Error(), "lost during the call. Whether the call took effect is unknown") {
		t.Errorf("the call gets %v", err)
	}
	eventually(t, "it is seen to be down", func() bool { return !r.conn.State().Up })
	_, err = r.call("echo", "")
	if parley.KindOf(err) != parley.Unavailable || !strings.Contains(err.Error(), "The MCP server test is not running: it has ended.") {
		t.Errorf("meanwhile a call gets %v", err)
	}
	eventually(t, "it is up again", func() bool { return r.conn.State().Up })
	if after := r.must("pid", ""); after == before {
		t.Error("it is the same process")
	}
}

func TestAServerThatDiesWhileIdleIsBack(t *testing.T) {
	r := start(t, self("usual"), quiet())
	before := r.must("pid", "")
	pid, err := strconv.Atoi(before)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "another process is up", func() bool {
		text, err := r.call("pid", "")
		return err == nil && text != before
	})
}

func TestANewToolIsOffered(t *testing.T) {
	r := start(t, self("usual"), quiet())
	if _, there := tool.Find(r.conn.Tools(), "test__grown"); there {
		t.Fatal("it is there already")
	}
	r.must("grow", "")
	eventually(t, "the new tool is listed", func() bool {
		_, there := tool.Find(r.conn.Tools(), "test__grown")
		return there
	})
	if got := r.must("grown", ""); got != "I am new." {
		t.Errorf("it says %q", got)
	}
}

func TestACallIsGivenUp(t *testing.T) {
	r := start(t, self("usual"), quiet())
	file := filepath.Join(t.TempDir(), "slow")
	read := func() string { text, _ := os.ReadFile(file); return string(text) }
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("the turn was stopped")
	go func() {
		eventually(t, "the call has begun", func() bool { return read() == "begun\n" })
		cancel(stopped)
	}()
	if _, err := r.callWithin(ctx, "slow", file); !errors.Is(err, stopped) {
		t.Errorf("the call gets %v", err)
	}
	eventually(t, "the server hears of it", func() bool { return read() == "begun\ngiven up\n" })
	r.must("echo", "It goes on.")
}

func TestACallThatTakesTooLong(t *testing.T) {
	def := self("usual")
	def.Timeout = 50 * time.Millisecond
	slow := filepath.Join(t.TempDir(), "slow") // before the server, which writes there until it is stopped
	r := start(t, def, quiet())
	_, err := r.call("slow", slow)
	if parley.KindOf(err) != parley.Timeout || !strings.HasPrefix(err.Error(), "The MCP server test did not answer within 50ms.") {
		t.Errorf("the call gets %v", err)
	}
}

func TestTheStopEndsTheProcess(t *testing.T) {
	for _, mode := range []string{"usual", "stubborn"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := start(t, self(mode), quiet())
			pid, err := strconv.Atoi(r.must("pid", ""))
			if err != nil {
				t.Fatal(err)
			}
			r.stop()
			if !gone(pid) {
				t.Errorf("process %d is left", pid)
			}
			if _, err := r.call("echo", ""); parley.KindOf(err) != parley.Unavailable {
				t.Errorf("a call gets %v", err)
			}
		})
	}
}

func TestSchemasThatNoProviderAcceptsAreMended(t *testing.T) {
	r := start(t, self("raw"), quiet())
	for _, tl := range r.conn.Tools() {
		if !json.Valid(tl.Schema) || !bytes.Contains(tl.Schema, []byte(`"type":"object"`)) || len(tl.Name) > 64 || len(tl.Description) > 4<<10 {
			t.Errorf("%s: %s", tl.Name, tl.Schema)
		}
	}
	typeless, _ := tool.Find(r.conn.Tools(), "test__typeless")
	if got := string(typeless.Schema); got != `{"properties":{"a":{"type":"string"}},"type":"object"}` {
		t.Errorf("mended to %s", got)
	}
	if n := len(r.conn.Tools()); n != 4 { // of two with the same name only the first
		t.Errorf("%d tools", n)
	}
	if got := r.must("typeless", ""); got != "(no text)" {
		t.Errorf("it says %q", got)
	}
}

// Over HTTP there is no process: the server belongs to somebody else, and comes and
// goes by itself.
func TestAServerOverHTTP(t *testing.T) {
	t.Setenv("TRACKER_TOKEN", "secret-of-the-tracker")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newServer() }, nil)
	var mu sync.Mutex
	refusing := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		refused := refusing || r.Header.Get("Authorization") != "Bearer secret-of-the-tracker"
		mu.Unlock()
		if refused {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	def := mcpclient.Server{Name: "test", URL: server.URL, Headers: map[string]string{"Authorization": "Bearer ${TRACKER_TOKEN}"}}
	r := start(t, def, quiet())
	if got := r.must("echo", "Hello."); got != "Hello." {
		t.Errorf("echo says %q", got)
	}
	r.must("grow", "")
	eventually(t, "the new tool is listed", func() bool {
		_, there := tool.Find(r.conn.Tools(), "test__grown")
		return there
	})
	set := func(to bool) {
		mu.Lock()
		defer mu.Unlock()
		refusing = to
	}
	set(true)
	if _, err := r.call("echo", ""); parley.KindOf(err) != parley.Unavailable {
		t.Errorf("a call gets %v", err)
	}
	eventually(t, "it is seen to be down", func() bool { return !r.conn.State().Up })
	set(false)
	eventually(t, "it is back", func() bool { return r.conn.State().Up })
	if got := r.must("echo", "Again."); got != "Again." {
		t.Errorf("echo says %q", got)
	}
	def.Headers = nil
	if state := mcpclient.Check(t.Context(), def, quiet()); state.Up || !strings.Contains(state.Problem, "Unauthorized") {
		t.Errorf("without a token: %+v", state)
	}
}

// journal is a log that a test can read while it is written.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
