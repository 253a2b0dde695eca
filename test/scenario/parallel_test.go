package scenario

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/app"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
)

// meeting is a toolset whose readers wait for each other.
type meeting struct {
	mu   sync.Mutex
	here int
	all  chan struct{}
	log  []string
}

func (m *meeting) note(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = append(m.log, what)
}

// tools are one that reads and returns once so many calls have arrived, and one that
// writes.
func (m *meeting) tools(readers int) map[string][]tool.Tool {
	m.all = make(chan struct{})
	act := func(category string) func(json.RawMessage) string {
		return func(json.RawMessage) string { return policy.Action(category, "x") }
	}
	read := func(ctx context.Context, _ tool.Call, args json.RawMessage) (tool.Result, error) {
		m.mu.Lock()
		m.here++
		if m.here == readers {
			close(m.all)
		}
		m.mu.Unlock()
		select {
		case <-m.all:
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
		if strings.Contains(string(args), "missing") {
			return tool.Result{}, parley.Errorf(parley.NotFound, "It is not there.")
		}
		m.note("read")
		return tool.Result{Text: "read " + string(args)}, nil
	}
	write := func(context.Context, tool.Call, json.RawMessage) (tool.Result, error) {
		m.note("written")
		return tool.Result{Text: "written"}, nil
	}
	return map[string][]tool.Tool{"meeting": {
		tool.Outside(json.RawMessage(`{}`), tool.Spec[json.RawMessage]{Name: "look", Replays: true, Action: act(policy.FileRead), Run: read}),
		tool.Outside(json.RawMessage(`{}`), tool.Spec[json.RawMessage]{Name: "write", Replays: true, Action: act(policy.FileWrite), Run: write}),
	}}
}

// meets gives an agent those tools and no need to ask for approval.
func meets(member *app.Member) {
	under(map[string]ruleset{"ReaderBot": {profile: "open"}})(member)
	member.Toolsets = []string{"meeting"}
}

// Calls of one step that only read run in parallel, each waiting here for the others.
// A call that writes waits for those before it. The results are in the order of the
// calls.
func TestCallsThatOnlyReadRunAtOnce(t *testing.T) {
	var m meeting
	Play(t, Team{Agents: []string{"ReaderBot"}, Tools: m.tools(3), Member: meets, Script: `
agents:
  ReaderBot:
    - steps:
        - calls: [{tool: look, args: {n: 1}}, {tool: look, args: {n: 2}}, {tool: look, args: {n: 3}}, {tool: write, args: {}}]
        - say: Done.
`}, func(s *Stage) {
		s.Equal("answer", "Done.", s.As("rutger").Ask("ReaderBot", "Go."))
		s.Equal("order", []string{"read", "read", "read", "written"}, m.log)
		s.Equal("results", []string{`read {"n":1}`, `read {"n":2}`, `read {"n":3}`, "written"}, s.readBy("ReaderBot"))
	})
}

// Of calls that run in parallel, one that fails fails alone.
func TestAReaderThatFailsFailsAlone(t *testing.T) {
	var m meeting
	Play(t, Team{Agents: []string{"ReaderBot"}, Tools: m.tools(2), Member: meets, Script: `
agents:
  ReaderBot:
    - steps:
        - calls: [{tool: look, args: {n: missing}}, {tool: look, args: {n: 2}}]
        - say: Done.
`}, func(s *Stage) {
		s.Equal("answer", "Done.", s.As("rutger").Ask("ReaderBot", "Go."))
		s.Equal("results", []string{"Error: It is not there.", `read {"n":2}`}, s.readBy("ReaderBot"))
	})
}

// readBy is the results that an agent's model was shown last.
func (s *Stage) readBy(agent string) (results []string) {
	shown := s.Models.Shown(agent)
	for _, msg := range shown[len(shown)-1].Messages {
		if msg.Role == model.ToolResult {
			results = append(results, msg.Text)
		}
	}
	return results
}
