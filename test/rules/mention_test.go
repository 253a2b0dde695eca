package rules

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/contact"
	"parley/internal/store"
)

// chain is the reference: what one message of a person or one task has led to, however
// many others were asked in between.
type chain struct {
	turns int  // by mentions that agents wrote
	told  bool // the channel knows that there are no more
}

// mention takes in a text of an agent: who of the mentioned begins a turn, and who does
// not.
func (c *chain) mention(limit int, author string, names []string) (begin, not []string) {
	for _, name := range names {
		switch {
		case name == author:
		case c.turns < limit:
			c.turns, begin = c.turns+1, append(begin, name)
		default:
			not = append(not, name)
		}
	}
	return begin, not
}

// mentioners are agents that mention each other in a channel, and hand work on.
type mentioners struct {
	*house
	chains  map[parley.TaskID]*chain
	last    map[string]*chain // by which each was last mentioned, since a person wrote
	notices []string          // that the channel must have, oldest first
	full    int               // how many chains came to their end
}

// Along a chain of causes mentions by agents begin so many turns and no more, through
// delegations, asks, retries and crashes. The channel is told once, and a person begins
// anew.
func TestMentionsAlongAChainAreBounded(t *testing.T) {
	dir := t.TempDir()
	n, full := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		rapid.SyncTest(rt, func(rt *rapid.T) {
			limit := rapid.IntRange(1, 5).Draw(rt, "limit")
			m := &mentioners{chains: map[parley.TaskID]*chain{}, last: map[string]*chain{},
				house: newHouse(rt, filepath.Join(dir, fmt.Sprint(n)), func(l *parley.Limits) { l.MentionTurns = limit }, agents...)}
			defer m.closes()
			m.opens()
			m.Repeat(map[string]func(*rapid.T){"step": func(*rapid.T) { m.act() }})
			full += m.full
		})
	})
	if full == 0 && !t.Failed() {
		t.Error("no chain ever reached the limit")
	}
}

var agents = []string{"Ann", "Bob", "Cid"}

func (m *mentioners) act() {
	thoughts := m.minds.of(m.life)
	what := []string{"post", "delegate", "outside", "retry", "restart"}
	if len(thoughts) > 0 {
		what = append(what, slices.Repeat([]string{"reply"}, 20)...)
	}
	switch rapid.SampledFrom(what).Draw(m.T, "what") {
	case "reply":
		m.reply(rapid.SampledFrom(thoughts).Draw(m.T, "thought"))
	case "post":
		names := m.names()
		m.note("Pat posts", fmt.Sprint(names))
		m.post("Pat", names)
		c := &chain{}
		clear(m.last)
		for _, name := range names {
			m.last[name] = c
		}
		m.follow(c, names...)
	case "delegate":
		to := rapid.SampledFrom(agents).Draw(m.T, "to")
		m.note("Pat delegates to", to)
		_, err := m.life.hub.Contacts.Delegate(m.life.ctx, m.as("Pat"), requestTo(to))
		m.must(err)
		m.follow(&chain{}, to)
	case "outside":
		m.outside()
	case "retry":
		m.retry()
	case "restart":
		m.restarts()
		m.follow(nil)
	}
}

// names are some of the agents, in any order.
func (m *mentioners) names() []string {
	return rapid.Permutation(agents).Draw(m.T, "order")[:rapid.IntRange(1, len(agents)).Draw(m.T, "mentioned")]
}

func text(names []string) string { return "Well, @" + strings.Join(names, " and @") + "?" }

func (m *mentioners) post(by string, names []string) {
	_, err := m.life.hub.Contacts.Post(m.life.ctx, m.as(by), contact.Post{Channel: "room", Message: text(names)})
	m.must(err)
	rest()
}

// outside is an agent that works on nothing and posts all the same: its post counts in
// the chain that has mentioned it last, or begins one.
func (m *mentioners) outside() {
	by, names := rapid.SampledFrom(agents).Draw(m.T, "by"), m.names()
	c := m.last[by]
	if c == nil {
		c = &chain{}
	}
	m.note(by, "posts outside of tasks", fmt.Sprint(names))
	m.post(by, names)
	m.follow(c, m.mention(c, by, names)...)
}

// retry repeats a task that failed. It may not be allowed; then nothing happens.
func (m *mentioners) retry() {
	var failed []parley.Task
	for _, t := range m.tasks() {
		if t.State == parley.TaskFailed {
			failed = append(failed, t)
		}
	}
	if len(failed) == 0 {
		return
	}
	old := failed[rapid.IntRange(0, len(failed)-1).Draw(m.T, "task")]
	made, err := m.life.hub.Contacts.Retry(m.life.ctx, m.as("Pat"), old.ID)
	m.note("retry", old.ID.String(), fmt.Sprint(err))
	if err != nil {
		m.follow(nil)
		return
	}
	if made.Pattern == parley.Mention { // the message is repeated in the channel
		if m.name(old.Requester) == "Pat" {
			clear(m.last)
		}
		m.last[m.name(made.Agent)] = m.chains[old.ID]
	}
	m.follow(m.chains[old.ID], m.name(made.Agent))
}

// reply lets a model mention others, hand work on, or end.
func (m *mentioners) reply(th *thought) {
	c := m.chains[th.task]
	names, other := m.names(), rapid.SampledFrom(agents).Draw(m.T, "other")
	how := rapid.SampledFrom([]string{"post", "delegate", "ask", "say", "say", "break"}).Draw(m.T, "how")
	m.note(th.agent, "on", th.task.String(), how, fmt.Sprint(names), "or", other)
	var begin []string
	var a answer
	switch how {
	case "post":
		a = calling(toolCall("send_channel_message", map[string]string{"channel": "room", "content": text(names)}))
		begin = m.mention(c, th.agent, names)
	case "delegate", "ask":
		a = calling(contactCall(parley.Pattern(how), other))
		if other != th.agent {
			begin = []string{other}
		}
	case "say":
		a = says(text(names))
		if m.task(th.task).Pattern == parley.Mention { // else it is said in a dm
			begin = m.mention(c, th.agent, names)
		}
	case "break":
		a = breaks("no credit.")
	}
	m.answers(th, a)
	m.follow(c, begin...)
}

// mention asks the reference.
func (m *mentioners) mention(c *chain, author string, names []string) []string {
	begin, not := c.mention(m.limits.MentionTurns, author, names)
	for _, name := range begin {
		m.last[name] = c
	}
	if len(not) > 0 && !c.told {
		c.told = true
		m.full++
		m.notices = append(m.notices, parley.UnstartedText(not, m.limits.MentionTurns))
	}
	return begin
}

// follow compares the hub with the reference: these have begun with something new, as
// part of a chain, and nobody else.
func (m *mentioners) follow(c *chain, begin ...string) {
	m.Helper()
	rest()
	got := []string{}
	for _, t := range m.tasks() {
		if m.chains[t.ID] == nil {
			got, m.chains[t.ID] = append(got, m.name(t.Agent)), c
		}
	}
	if !slices.Equal(begin, got) {
		m.wrong("%v began; want %v", got, begin)
	}
	if got := m.told(); !slices.Equal(m.notices, got) {
		m.wrong("the channel reads %q; want %q", got, m.notices)
	}
}

// told are the notices in the channel.
func (m *mentioners) told() (list []string) {
	m.view(func(tx *store.Tx) error {
		room, err := tx.Group(m.life.team, "room")
		if err != nil {
			return err
		}
		thread, err := tx.Thread(room.Main)
		if err != nil {
			return err
		}
		messages, err := tx.Back(thread.ID, thread.Last, 0, crowd)
		for _, one := range slices.Backward(messages) {
			if one.Kind == parley.NoticeMessage {
				list = append(list, one.Body)
			}
		}
		return err
	})
	return list
}
