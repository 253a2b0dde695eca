package contact

import (
	"time"

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
	budget  parley.Budget   // of each task that is a tree of its own, in place of what its agent's limits say
	account *budget.Account // of the cause's tree, on which the mentions draw; nil if it has no budget
	// chain is the first task of the chain that the mentions are counted in, locked;
	// zero if they begin one.
	chain parley.Task

	to    []store.Recipient
	tasks []parley.Task
	away  []string // the names of those who are offline
	// unstarted are the names of those for whom the chain has caused too many turns.
	unstarted []string
}

// by says who mentions, and in which task. A person begins a new chain.
func (m *mentioning) by(author parley.Agent, cause, chain parley.Task, limits parley.Limits) {
	m.author, m.cause, m.limits = author, cause, limits
	if author.Kind != parley.Person {
		m.chain = chain
	}
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
	to := store.Recipient{ID: target.ID, Pulls: target.Pulls()}
	if target.Gone() {
		m.to, m.away = append(m.to, to), append(m.away, target.Name)
		return nil
	}
	d, err := policy.DecideMention(policy.Contact{Now: m.tx.Now, Sender: m.author, Target: target, Task: m.cause, Limits: m.limits})
	if err != nil {
		return m.s.errDepth(m.tx, err, m.cause, m.author, target)
	}
	if m.author.Kind != parley.Person && m.chain.Mentions+len(m.tasks) >= m.limits.MentionTurns {
		m.unstarted = append(m.unstarted, target.Name)
		return parley.ErrMentionTurns(m.limits.MentionTurns)
	}
	t := newTask(m.tx, order{pattern: parley.Mention, requester: m.author.ID, agent: target, thread: m.channel.Main,
		lifetime: m.limits.DelegationDeadline})
	t.Cause, t.DelegationDepth = m.cause.ID, d.DelegationDepth
	m.to, m.tasks = append(m.to, to), append(m.tasks, t)
	return nil
}

// payLater has the mentions of a closing text paid for. Those that the rate does not
// allow yet are put off until it does.
func (m *mentioning) payLater() {
	before := m.author.Rate
	for i := range m.tasks {
		t := &m.tasks[i]
		var wait time.Duration
		m.author.Rate, wait = policy.Reserve(m.tx.Steady, m.author, m.limits)
		if due := m.tx.Now.Add(wait); wait > 0 && due > t.Due {
			t.Due, t.Waits, t.Deadline = due, parley.WaitRate, due.Add(m.limits.DelegationDeadline)
		}
	}
	if m.author.Rate != before {
		m.tx.SetRate(m.author.ID, m.author.Rate)
	}
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

// open stores the tasks, once the message has its id, and counts them in their chain.
func (m *mentioning) open(request parley.Message) {
	for i := range m.tasks {
		t := &m.tasks[i]
		if t.Chain = m.chain.ID; m.chain.ID == 0 { // the first begins it
			if t.Chain = m.tasks[0].ID; i == 0 && m.author.Kind != parley.Person {
				t.Mentions, t.MentionsTold = len(m.tasks), len(m.unstarted) > 0
			}
		}
		t.Request, t.Title = request.ID, titleOf(request.Body)
		m.charge(t)
		m.tx.InsertTask(t)
		m.tx.Record(parley.Event{Team: t.Team, Kind: parley.EventTask, Actor: t.Requester, Target: t.Agent, Task: t.ID,
			Message: request.ID, Detail: "mention in " + m.channel.Place()})
	}
}

// tell counts the new tasks in the chain. If some were not started, the channel is
// told, once along the chain.
func (m *mentioning) tell() error {
	told := m.chain.MentionsTold || len(m.unstarted) > 0
	if m.chain.ID != 0 && (len(m.tasks) > 0 || told != m.chain.MentionsTold) {
		m.tx.SetMentions(m.chain.ID, m.chain.Mentions+len(m.tasks), told)
	}
	if len(m.unstarted) == 0 || m.chain.MentionsTold {
		return nil
	}
	notice := parley.Message{Team: m.channel.Team, Thread: m.channel.Main, Author: m.author.ID, Kind: parley.NoticeMessage,
		Body: parley.UnstartedText(m.unstarted, m.limits.MentionTurns)}
	var to []store.Recipient
	if m.channel.Kind != parley.Group {
		var err error
		if to, err = m.recipients(); err != nil {
			return err
		}
	}
	if err := m.tx.Post(&notice, to...); err != nil {
		return err
	}
	m.tx.Record(parley.Event{Team: notice.Team, Kind: parley.EventMessage, Actor: notice.Author, Task: m.cause.ID, Message: notice.ID,
		Detail: "notice in " + m.channel.Place()})
	return nil
}

// charge has a task draw on the budget of its cause, or gives it its own.
func (m *mentioning) charge(t *parley.Task) {
	if m.account == nil {
		endow(m.tx, t, m.budget.Over(m.s.dir.Limits(t.Agent).Budget))
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
	if f.author.ID == 0 { // it mentions nobody, or is a person
		if f.author, err = f.tx.Agent(t.Agent); err != nil {
			return nil, err
		}
	}
	chain := f.chain
	if chain.ID == t.ID {
		chain = *t // it is locked as the task itself
	}
	m.by(f.author, *t, chain, f.s.dir.Limits(t.Agent))
	for _, e := range f.s.mentioned(t.Team, t.Agent, text) {
		if err := f.mention(m, e); err != nil {
			return nil, err
		}
	}
	m.payLater()
	return m, nil
}

// lockMentions locks what the mentions of a closing text change, if it has any: the
// rate of its author and the first task of the chain. That comes before the lock of
// the task itself. mention is as in a lease.
func (f *finish) lockMentions(team parley.TeamID, agent parley.AgentID, task, mention parley.TaskID, text string) (err error) {
	if mention == 0 || f.s.access.IsPerson(agent) || len(f.s.mentioned(team, agent, clean(text))) == 0 {
		return nil
	}
	chain := mention
	if mention == task {
		chain = 0
	}
	f.author, f.chain, err = f.tx.MentionState(agent, chain)
	if chain == 0 {
		f.chain.ID = task
	}
	return err
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
			why = access.RefusalText("mention", err)
		}
	}
	if why != "" {
		f.tx.Record(parley.Event{Team: f.task.Team, Kind: parley.EventRefused, Actor: f.task.Agent, Target: e.ID, Task: f.task.ID,
			Detail: why})
	}
	return nil
}
