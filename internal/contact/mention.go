package contact

import (
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/budget"
	"parley/internal/directory"
	"parley/internal/policy"
	"parley/internal/store"
)

// mentioned are those whom a text of the author's mentions, without the author.
func (s *Service) mentioned(team parley.TeamID, author parley.AgentID, text string) (list []directory.Entry) {
	known := func(folded string) bool { _, ok := s.dir.Lookup(team, folded); return ok }
	for _, folded := range parley.Mentions(text, known) {
		if e, ok := s.dir.Lookup(team, folded); ok && e.ID != author {
			list = append(list, e)
		}
	}
	return list
}

// mentioning turns the mentions of one message into tasks, in the transaction that
// stores it. Each is decided about, then the message is posted, then the tasks are
// opened.
type mentioning struct {
	s       *Service
	tx      *store.Tx
	channel parley.Channel
	author  parley.Agent
	cause   parley.Task // whose turn wrote the message; zero if none
	limits  parley.Limits
	account *budget.Account // of the cause's tree, on which the mentions draw; nil if it has no budget

	to    []store.Recipient
	tasks []parley.Task
	away  []string // the names of those who are offline
}

// by says who mentions, and in which task.
func (m *mentioning) by(author parley.Agent, cause parley.Task, limits parley.Limits) {
	m.author, m.cause, m.limits = author, cause, limits
}

// target reads who is mentioned, and whether it is in the channel.
func (m *mentioning) target(e directory.Entry) (a parley.Agent, member bool, err error) {
	if m.channel.Kind == parley.Group {
		member, err = m.tx.IsMember(m.channel.ID, e.ID)
	} else {
		member = e.ID == m.channel.A || e.ID == m.channel.B
	}
	if err == nil && member {
		a, err = m.tx.Agent(e.ID)
	}
	return a, member, err
}

// ruling asks the rules: a mention is a contact like any other.
func (m *mentioning) ruling(target parley.Agent) policy.Ruling {
	who, to := m.s.access.Party(m.author), m.s.access.Party(target)
	return policy.Authorize(&who, policy.Send(&to))
}

// plan makes the task of a mention. For somebody who is offline there is none:
// the message is stored, and its author is told.
func (m *mentioning) plan(target parley.Agent) error {
	m.to = append(m.to, store.Recipient{ID: target.ID, Pulls: target.Pulls()})
	if target.Gone() {
		m.away = append(m.away, target.Name)
		return nil
	}
	d, err := policy.DecideMention(policy.Contact{Now: m.tx.Now, Sender: m.author, Target: target, Task: m.cause, Limits: m.limits})
	if err != nil {
		return m.errDepth(err, target)
	}
	t := newTask(m.tx, order{pattern: parley.Mention, requester: m.author.ID, agent: target, thread: m.channel.Main,
		lifetime: m.limits.DelegationDeadline})
	t.Cause, t.DelegationDepth = m.cause.ID, d.DelegationDepth
	m.tasks = append(m.tasks, t)
	return nil
}

// errDepth names the chain that is too deep.
func (m *mentioning) errDepth(err *parley.Error, target parley.Agent) error {
	names := []string{target.Name, m.author.Name}
	for t := m.cause; t.ID != 0; {
		name, failed := m.s.name(m.tx, t.Requester)
		if failed != nil {
			return failed
		}
		names = append(names, name)
		above := max(t.Cause, t.Parent) // a task has one of them at most
		if above == 0 {
			break
		}
		if t, failed = m.tx.Task(above); failed != nil {
			return failed
		}
	}
	slices.Reverse(names)
	return err.WithHint("The chain is %s.", strings.Join(names, " → "))
}

// recipients are who the message is for, besides the author: in a dm both, who
// have a record of every message in it, else those who are mentioned. The others
// have their place in the channel.
func (m *mentioning) recipients() (to []store.Recipient, err error) {
	if m.channel.Kind == parley.Group {
		return m.to, nil
	}
	for _, id := range []parley.AgentID{m.channel.A, m.channel.B} {
		if id == m.author.ID {
			continue
		}
		pulls, err := m.s.pulls(m.tx, id)
		if err != nil {
			return nil, err
		}
		to = append(to, store.Recipient{ID: id, Pulls: pulls})
	}
	return to, nil
}

// open stores the tasks, once the message has its id.
func (m *mentioning) open(request parley.Message) {
	for i := range m.tasks {
		t := &m.tasks[i]
		t.Request, t.Title = request.ID, parley.Clip(request.Body, titleRunes)
		m.charge(t)
		m.tx.InsertTask(t)
		m.tx.Record(parley.Event{Team: t.Team, Kind: parley.EventTask, Actor: t.Requester, Target: t.Agent, Task: t.ID,
			Message: request.ID, Detail: "mention in " + m.channel.Place()})
	}
}

// charge has a task draw on the budget of its cause, or gives it its own.
func (m *mentioning) charge(t *parley.Task) {
	if m.account == nil {
		endow(m.tx, t, m.s.dir.Limits(t.Agent).Budget)
		return
	}
	t.Budget = m.cause.Budget
	m.account.AddTask()
}

// mentions decides about the mentions in the closing text of a turn in a
// channel. The reply stands whatever comes of them: one that is refused is put on
// record.
func (f *finish) mentions(text string) (*mentioning, error) {
	t := f.task
	thread, err := f.tx.Thread(t.Thread)
	if err != nil {
		return nil, err
	}
	m := &mentioning{s: f.s, tx: f.tx}
	if t.Budget != 0 {
		m.account = f.account
	}
	if m.channel, err = f.tx.Channel(thread.Channel); err != nil {
		return nil, err
	}
	author, err := f.tx.Agent(t.Agent)
	if err != nil {
		return nil, err
	}
	m.by(author, *t, f.s.dir.Limits(t.Agent))
	for _, e := range f.s.mentioned(t.Team, t.Agent, text) {
		if err := f.mention(m, e); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// afford refuses one more task than the tree of the cause has left.
func (m *mentioning) afford() error {
	if m.account == nil {
		return nil
	}
	return moreTasks(m.account, m.cause.ID, len(m.tasks)+1)
}

// mention plans one task, or records why there is none.
func (f *finish) mention(m *mentioning, e directory.Entry) error {
	target, member, err := m.target(e)
	if err != nil {
		return err
	}
	why := ""
	ruling := m.ruling(target)
	switch {
	case !member:
		why = access.RefusalText("mention", parley.ErrNotMember(e.Name, m.channel.Place()))
	case ruling.Err() != nil:
		why = "mention: " + ruling.Explained(ruling.Err())
	default:
		err := m.afford()
		if err == nil {
			err = m.plan(target)
		}
		if err != nil && parley.KindOf(err) != parley.Limited {
			return err
		}
		if err != nil {
			m.to = slices.DeleteFunc(m.to, func(r store.Recipient) bool { return r.ID == e.ID })
			why = access.RefusalText("mention", err)
		}
	}
	if why != "" {
		f.tx.Record(parley.Event{Team: f.task.Team, Kind: parley.EventRefused, Actor: f.task.Agent, Target: e.ID, Task: f.task.ID,
			Detail: why})
	}
	return nil
}
