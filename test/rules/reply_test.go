package rules

import (
	"encoding/json"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/model"
)

// modelReplies lets one of the waiting models say something.
func (m *machine) modelReplies() {
	all := m.minds.of(m.life)
	newest := all[len(all)-1]
	th := rapid.SampledFrom(append(all, newest, newest)).Draw(m.T, "thought") // so that trees grow deep
	t := m.world.task(th.task)
	how := []string{"say", "call", "call", "call", "call", "call", "call", "break", "silent"}
	if t.turns > 1 || t.turn.replies > 0 { // so that it ends
		how = []string{"say", "say", "say", "say", "say", "call", "call", "break", "silent"}
	}
	switch rapid.SampledFrom(how).Draw(m.T, "reply") {
	case "say":
		m.says(th, t, m.name("reply"))
	case "silent":
		m.says(th, t, "")
	case "break":
		m.breaks(th, t)
	case "call":
		m.calls(th, t)
	}
}

// GoString is for the log of draws.
func (th *thought) GoString() string { return fmt.Sprintf("%s on %s", th.agent, th.task) }
func (t *task) GoString() string     { return t.id.String() }
func (c *call) GoString() string     { return c.body }
func (c *call) String() string {
	if c.tool == "contact_agent" {
		return fmt.Sprintf("%s %s %s", c.pattern, c.target, c.body)
	}
	return fmt.Sprintf("%s %s %d", c.tool, c.about, c.until)
}

func (m *machine) says(th *thought, t *task, text string) {
	m.replies(th, fmt.Sprintf("%s says %q on %s", th.agent, text, t.id), answer{reply: model.Reply{Text: text}}, drawCut(m.T),
		func() { m.world.closes(t, text) })
}

func (m *machine) breaks(th *thought, t *task) {
	m.replies(th, fmt.Sprintf("%s breaks on %s", th.agent, t.id), answer{err: &model.Error{Class: model.Refused, Message: "no credit."}},
		drawCut(m.T), func() { m.world.breaks(t, "no credit.") })
}

// calls is a reply with tool calls. What several turns do at once by themselves
// could come in any order, so only one of them has calls left to do after the
// one it waits in.
func (m *machine) calls(th *thought, t *task) {
	most, c := 3, drawCut(m.T)
	for _, other := range m.world.tasks {
		if other.state.Open() && other.turn != nil && len(other.turn.calls) > 1 {
			most, c = 1, cut{}
		}
	}
	n := rapid.IntRange(1, most).Draw(m.T, "calls")
	list := make([]*call, n)
	a := answer{}
	what := fmt.Sprintf("%s on %s:", th.agent, t.id)
	for i := range list {
		list[i] = m.drawCall(t)
		list[i].id = m.name("call")
		a.reply.Calls = append(a.reply.Calls, model.Call{ID: list[i].id, Name: list[i].tool, Args: list[i].args()})
		what += fmt.Sprintf(" %s;", list[i])
	}
	m.replies(th, what, a, c, func() { m.world.replies(t, list) })
}

func (m *machine) replies(th *thought, what string, a answer, c cut, follow func()) {
	c.arm(m.life)
	m.stage(what, func() { th.answer <- a }, follow)
	m.endCut(c)
}

func (m *machine) drawCall(t *task) *call {
	tools := []string{"contact", "contact", "contact", "contact", "contact", "contact", "await_task", "cancel_task", "sleep"}
	if len(m.world.children(t)) > 0 {
		tools = append(tools, "await_task", "await_task", "await_task", "cancel_task")
	}
	tool := rapid.SampledFrom(tools).Draw(m.T, "tool")
	if rapid.Bool().Draw(m.T, "patient") {
		for _, child := range m.world.children(t) {
			if child.state.Open() && child.callback == parley.CallbackLate {
				return &call{tool: "await_task", about: child.id}
			}
		}
	}
	switch tool {
	case "await_task", "cancel_task":
		about := m.anyTask()
		if own := m.world.children(t); len(own) > 0 && rapid.IntRange(0, 4).Draw(m.T, "other") < 4 {
			about = rapid.SampledFrom(own).Draw(m.T, "subtask")
		}
		return &call{tool: tool, about: about.id}
	case "sleep":
		seconds := rapid.IntRange(0, 300).Draw(m.T, "seconds")
		return &call{tool: tool, until: micros(time.Now().Truncate(time.Second).Add(time.Duration(seconds) * time.Second))}
	}
	return m.drawContact()
}

// args are what the model writes.
func (c *call) args() json.RawMessage {
	args := map[string]string{}
	switch c.tool {
	case "contact_agent":
		args = map[string]string{"action": string(c.pattern), "agentId": c.target, "message": c.body}
		if c.pattern == parley.Delegate {
			args["priority"] = c.priority.String()
		}
	case "await_task", "cancel_task":
		args["task_id"] = c.about.String()
	case "sleep":
		args["until"] = c.until.Time().UTC().Format(time.RFC3339)
	}
	raw, _ := json.Marshal(args)
	return raw
}

// staleThoughts are the models of hubs that were taken for dead.
func (m *machine) staleThoughts() (list []*thought) {
	for _, l := range m.ghosts {
		list = append(list, m.minds.of(l)...)
	}
	return list
}

// staleReplies lets a turn continue that has lost its lease without knowing. Whatever
// it tries, nothing changes.
func (m *machine) staleReplies() {
	th := rapid.SampledFrom(m.staleThoughts()).Draw(m.T, "thought")
	var a answer
	switch rapid.SampledFrom([]string{"say", "break", "call"}).Draw(m.T, "reply") {
	case "say":
		a.reply.Text = m.name("reply")
	case "break":
		a.err = &model.Error{Class: model.Refused, Message: "no credit."}
	case "call":
		c := m.drawCall(m.world.task(th.task))
		a.reply.Calls = []model.Call{{ID: m.name("call"), Name: c.tool, Args: c.args()}}
	}
	m.replies(th, fmt.Sprintf("%s goes on with %s, which is no longer its own", th.agent, th.task), a, drawCut(m.T), func() {})
}
