package rules

import (
	"context"

	"parley"
)

// checkAsks compares the answers that people got with those that they should have
// got.
func (m *machine) checkAsks(what string) {
	if m.world.cut {
		return
	}
	var still []*personAsk
	for _, p := range m.asks {
		t := p.made
		over := refuse(parley.Timeout, "%s", timeoutText(t, p.at)).andHint()
		text, failed := answerText(t)
		var want *refusal
		switch {
		case !t.state.Open() && m.world.seen.endedAt(t) == t.waitUntil && over.is(p.err):
			continue // it ended at the very moment when the time was over: either is right
		case !t.state.Open() && failed:
			want = refuse(parley.Failed, "%s", text)
		case !t.state.Open():
		case m.world.now >= t.waitUntil:
			want, text = over, ""
		case p.done:
			m.Fatalf("after %s: %s was answered %q, %v before its end", what, t.id, p.answer.Text, p.err)
		default:
			still = append(still, p)
			continue
		}
		if !p.done {
			m.Fatalf("after %s: nobody told the one who waits for %s", what, t.id)
		}
		if !want.is(p.err) || p.err == nil && p.answer.Text != text {
			m.Fatalf("after %s: the one who asked for %s got %q, %v; want %q, %v", what, t.id, p.answer.Text, p.err, text, want)
		}
	}
	m.asks = still
}

// checkStatus compares the agents as the hub lists them.
func (m *machine) checkStatus(what string) {
	if m.life == nil || m.life.isDead() {
		return
	}
	list, err := m.life.hub.Reading.Agents(context.Background(), m.caller(m.world.agent("Pat")))
	if err != nil {
		m.Fatalf("after %s: %v", what, err)
	}
	for _, got := range list {
		if want := m.world.status(m.world.agent(got.Name)); got.Status != want {
			m.Fatalf("after %s: %s is %s; want %s", what, got.Name, got.Status, want)
		}
	}
}
