package scenario

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/app"
	"parley/internal/mcpclient"
	"parley/internal/policy"
)

// printer is an outside server with a tool that looks and one that prints, which
// cannot be taken back.
type printer struct {
	url     string
	printed atomic.Int32
	begun   chan struct{} // a print that does not end by itself
	gone    chan struct{} // closed with the server
	jammed  atomic.Bool
}

func newPrinter(t *testing.T) *printer {
	t.Helper()
	p := &printer{begun: make(chan struct{}, 10), gone: make(chan struct{})}
	server := mcp.NewServer(&mcp.Implementation{Name: "printer", Version: "1"}, nil)
	type nothing struct{}
	mcp.AddTool(server, &mcp.Tool{Name: "look", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
			return said("It is on."), nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "print"},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
			p.printed.Add(1)
			if p.jammed.Load() {
				p.begun <- struct{}{}
				select {
				case <-ctx.Done():
				case <-p.gone: // the server waits for those that it serves
				}
			}
			return said("Printed."), nil, ctx.Err()
		})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() {
		close(p.gone)
		web.CloseClientConnections()
		web.Close()
	})
	p.url = web.URL
	return p
}

func said(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// office is a team whose PrintBot has the printer.
func (p *printer) office(script string, trust bool, change func(*app.Member)) Team {
	return Team{Agents: []string{"PrintBot"}, Script: script, Member: func(m *app.Member) {
		if m.Kind != parley.Native {
			return
		}
		m.Servers = []app.OutsideServer{{Server: mcpclient.Server{Name: "printer", URL: p.url, TrustReads: trust}}}
		m.Limits.Rescues = 1000
		if change != nil {
			change(m)
		}
	}}
}

// playReal plays in real time: a connection to a server is real too.
func playReal(t *testing.T, team Team, play func(s *Stage)) {
	t.Helper()
	t.Parallel()
	s := Raise(t, team, OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
	play(s)
	s.Stop()
	s.CheckPromises()
}

const printOnce = `agents: {PrintBot: [{steps: [{call: printer__print, args: {}}, {say: '{{result}}'}]}]}`

func TestAnOutsideToolNeedsApproval(t *testing.T) {
	for _, c := range []struct {
		decide func(s *Stage)
		want   string
		count  int32
	}{
		{func(s *Stage) { s.As("rutger").Approve(1) }, "Printed.", 1},
		{func(s *Stage) { s.As("rutger").Deny(1, "Save paper.") }, "Error: Approval denied for printer__print. Save paper.", 0},
	} {
		t.Run(c.want, func(t *testing.T) {
			p := newPrinter(t)
			playReal(t, p.office(printOnce, true, nil), func(s *Stage) {
				id := s.As("rutger").Delegate("PrintBot", "Print.")
				s.Until("it waits", func() bool { return s.Task(id).State == parley.Waiting })
				s.Equal("printed", int32(0), p.printed.Load())
				s.Equal("rule", "profile standard: ask tool:.*", s.Approval(1).Rule)
				c.decide(s)
				s.Wait(id)
				s.Equal("result", c.want, s.Result(id))
				s.Equal("printed", c.count, p.printed.Load())
			})
		})
	}
}

// A server's claim that a tool is harmless counts if the server is trusted; and the
// files say which tools an agent has at all.
func TestRulesOfOutsideTools(t *testing.T) {
	readOnly := func(m *app.Member) {
		m.Rules = ruled(ruleset{profile: "open"})
		m.Rules.ReadOnly = true
	}
	for name, c := range map[string]struct {
		call   string
		trust  bool
		change func(*app.Member)
		want   string
	}{
		"trusted":     {"look", true, nil, "It is on."},
		"open":        {"print", false, func(m *app.Member) { m.Rules = ruled(ruleset{profile: "open"}) }, "Printed."},
		"locked":      {"look", true, func(m *app.Member) { m.Rules = ruled(ruleset{profile: "locked"}) }, "Error: PrintBot's profile has nothing that allows tool:mcp_read:printer.look."},
		"read mode":   {"print", true, readOnly, "Error: PrintBot is in read mode: it uses no outside tool that is not trusted to read only."},
		"read, reads": {"look", true, readOnly, "It is on."},
		"left out":    {"print", true, func(m *app.Member) { m.Tools = []string{"printer__look", "sleep"} }, `Error: There is no tool "printer__print". There are sleep, printer__look.`},
		"all of it":   {"look", true, func(m *app.Member) { m.Tools = []string{"printer__*"} }, "It is on."},
		"supervised":  {"look", true, func(m *app.Member) { m.Rules = ruled(ruleset{behavior: policy.Supervised}) }, "It is on."},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPrinter(t)
			script := `agents: {PrintBot: [{steps: [{call: printer__` + c.call + `, args: {}}, {say: '{{result}}'}]}]}`
			playReal(t, p.office(script, c.trust, c.change), func(s *Stage) {
				s.Equal("answer", c.want, s.As("rutger").Ask("PrintBot", "Go."))
			})
		})
	}
}

// A call that was running when the hub died is not made again: the model must find
// out whether the page was printed.
func TestAnOutsideCallThatTheHubDiedIn(t *testing.T) {
	p := newPrinter(t)
	p.jammed.Store(true)
	file := filepath.Join(t.TempDir(), "parley.db")
	life := NewMortal(t, OpenFile(t, file))
	team := p.office(printOnce, false, func(m *app.Member) { m.Rules = ruled(ruleset{profile: "open"}) })
	team.Hub = func(c *app.HubConfig) { c.Grace = time.Second }
	s := Raise(t, team, life)
	id := s.As("rutger").Delegate("PrintBot", "Print.")
	<-p.begun
	life.Kill()
	after := OpenFile(t, Remains(t, file))
	s.Abandon()
	s2 := Raise(t, team, after)
	s2.Wait(id)
	s2.Equal("result", "Error: The call was interrupted; whether it took effect is unknown. Look before you try again.", s2.Result(id))
	s2.Equal("printed", int32(1), p.printed.Load())
	s2.Stop()
	s2.CheckPromises()
	life.Resume() // the process that was thought dead comes to an end, which writes to the log
	<-s.stopped
}

func TestCancellingATaskGivesUpItsOutsideCall(t *testing.T) {
	p := newPrinter(t)
	p.jammed.Store(true)
	playReal(t, p.office(printOnce, false, func(m *app.Member) { m.Rules = ruled(ruleset{profile: "open"}) }), func(s *Stage) {
		id := s.As("rutger").Delegate("PrintBot", "Print.")
		<-p.begun
		s.As("rutger").Cancel(id)
		s.Until("the agent is free", func() bool { return s.Status("PrintBot") == parley.StatusIdle })
		s.Equal("state", parley.Cancelled, s.Task(id).State)
	})
}

// Listing tools has no side effects; who may look at whose tools is a rule too.
func TestAManagerKeepsWhatOthersNeed(t *testing.T) {
	Play(t, Team{Script: idle, Agents: []string{"BossBot", "InternBot"}, Member: func(m *app.Member) {
		m.Tools = []string{"sleep"}
		if m.Name == "InternBot" {
			m.Tools, m.Rules = []string{}, ruled(ruleset{manager: "BossBot"})
		}
	}}, func(s *Stage) {
		inbox := []string{"wait_for_messages", "read_inbox", "reply", "ack", "task_complete", "task_fail", "task_update", "my_tasks"}
		for name, want := range map[string][]string{"BossBot": {"sleep", "approve_action", "deny_action"}, "InternBot": nil,
			"rutger": append(inbox, "sleep", "list_approvals")} { // a person's, over MCP
			box, err := s.Tools.Of(s.As("rutger").Caller, name)
			var got []string
			for _, tl := range box.Tools {
				got = append(got, tl.Name)
			}
			s.Equal("tools of "+name, want, got)
			s.Equal("error", error(nil), err)
		}
		_, err := s.Tools.Of(s.As("BossBot").Caller, "InternBot")
		s.Equal("an agent looks at another", parley.Denied, parley.KindOf(err))
	})
}
