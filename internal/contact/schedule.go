package contact

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
	"parley/internal/timing"
)

// Scheduled is an entry of an agent's schedule, as its file has it.
type Scheduled struct {
	Team    parley.TeamID
	Agent   parley.AgentID
	Entry   string
	Timing  timing.Timing
	Message string
	Channel string // without its #; empty is the dm with the owner
	Budget  parley.Budget
	Owner   string // a person; empty is the one that the command line acts as
	// Skip says that a due time that nobody was there for is left out. Otherwise the last
	// one of those is made up for.
	Skip bool
}

// Occasion is what came of looking at an entry.
type Occasion struct {
	Next parley.Micros // when to look again
	Task parley.TaskID // that was made; 0 if none was
	Held bool          // nothing is made until somebody lets it go on
	Busy parley.TaskID // nothing is made until this task has ended: it is the entry's last
	Gone bool          // the entry is not, or not like this, in the files any more
}

// late is how late a due time may be made that is left out when it is missed.
const late = time.Minute

// MakeScheduled makes the work of an entry whose time has come, and moves its next time on,
// in one transaction. Whoever comes second finds that the time was moved, so there is one
// piece of work for a due time, whatever crashes and however many hubs look.
//
// Of several due times that have passed only the last is made. If it is refused, that is
// recorded, and the next time comes as usual. While the work of an earlier due time is open
// nothing is made: work would pile up behind a busy agent. Its end makes up for the last due
// time, unless missed ones are left out.
func (s *Service) MakeScheduled(ctx context.Context, e Scheduled) (Occasion, error) {
	var m scheduling
	try := func(refused error) error {
		return s.store.Update(ctx, func(tx *store.Tx) error {
			m = scheduling{s: s, tx: tx, Scheduled: e, refused: refused}
			return m.run()
		})
	}
	err := try(nil)
	if err != nil && isRefusal(err) {
		err = try(err)
	}
	return m.out, err
}

// isRefusal reports whether trying the same again would be of no use.
func isRefusal(err error) bool {
	switch parley.KindOf(err) {
	case parley.Internal:
		return false
	case parley.Unavailable:
		return parley.RuleOf(err) != "" // else it is the store
	}
	return true
}

// scheduling is one run of the transaction.
type scheduling struct {
	Scheduled
	s       *Service
	tx      *store.Tx
	refused error // why the work of this time cannot be made

	row parley.Schedule
	out Occasion
}

func (m *scheduling) run() (err error) {
	m.row, err = m.tx.LockSchedule(m.Team, m.Agent, m.Entry)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.row.Timing != m.Timing.String() {
		m.out.Gone = true // another hub has read the files since
		return nil
	}
	if m.out.Next = m.row.Next; err != nil || m.row.Next > m.tx.Now {
		return err
	}
	if m.out.Held, err = m.tx.ScheduleHeld(m.Team, m.Agent); err != nil || m.out.Held {
		return err
	}
	busy, err := m.busy()
	if err != nil || busy != 0 && !m.Skip {
		m.out.Busy = busy
		return err
	}
	first, now := m.row.Next.Time(), m.tx.Now.Time()
	last, passed := m.Timing.Passed(first, now)
	m.row.Next = micros(m.Timing.Next(first, now))
	switch {
	case busy != 0:
		m.miss(first, last, passed, m.row.Problem)
	case m.Skip && now.Sub(last) > late:
		m.miss(first, last, passed, "")
	default:
		if err := m.make(first, last, passed); err != nil {
			return err
		}
	}
	m.tx.UpdateSchedule(m.row)
	m.out.Next = m.row.Next
	return nil
}

// busy is the entry's last work if that is still open, which is noted as the reason why there
// is no new one; 0 otherwise.
func (m *scheduling) busy() (parley.TaskID, error) {
	t, err := m.tx.Task(m.row.Task)
	if errors.Is(err, store.ErrNotFound) || err == nil && !t.State.Open() {
		return 0, nil
	}
	if why := t.ID.String() + " of this entry is still open."; err == nil && m.row.Problem != why {
		m.row.Problem = why
		m.tx.UpdateSchedule(m.row)
	}
	return t.ID, err
}

// make asks for the work of the last due time that has passed.
func (m *scheduling) make(first, last time.Time, passed int) error {
	if m.refused != nil {
		m.row.Problem = parley.Clip(parley.Public(m.refused), parley.QuotedRunes)
		m.miss(first, last, passed, m.row.Problem)
		return nil
	}
	if passed > 1 {
		m.miss(first, time.Time{}, passed-1, "")
	}
	owner, err := m.owner()
	if err != nil {
		return err
	}
	c := access.Caller{Team: m.Team, Agent: owner}
	key := parley.ScheduleKey(m.Agent, m.Entry, micros(last))
	var message parley.MessageID
	if m.Channel == "" {
		message, err = m.delegate(c, key, last)
	} else {
		message, err = m.post(c, key)
	}
	if err != nil {
		return err
	}
	m.row.Last, m.row.Task, m.row.Problem = micros(last), m.out.Task, ""
	m.tx.Record(parley.Event{Team: m.Team, Kind: parley.EventScheduleMade, Actor: owner, Target: m.Agent, Task: m.out.Task, Message: message,
		Detail: m.Entry + ": due " + instant(last)})
	return nil
}

// miss records that no work is made for some due times. until is the last of them; zero if
// a later one is made.
func (m *scheduling) miss(first, until time.Time, n int, why string) {
	m.row.Missed += n
	detail := fmt.Sprintf("%s: %d due from %s", m.Entry, n, instant(first))
	if n == 1 {
		detail = m.Entry + ": due " + instant(first)
	} else if !until.IsZero() {
		detail += " to " + instant(until)
	}
	if why != "" {
		detail += ": " + why
	}
	m.tx.Record(parley.Event{Team: m.Team, Kind: parley.EventScheduleMissed, Target: m.Agent, Detail: detail})
}

// owner is in whose name the work is asked for.
func (m *scheduling) owner() (parley.AgentID, error) {
	if m.Owner == "" {
		e, ok := m.s.dir.Person(m.Team)
		if !ok {
			return 0, parley.Errorf(parley.Conflict, "There is no person in the team who could own the schedule.")
		}
		return e.ID, nil
	}
	e, err := m.s.dir.Find(m.Team, m.Owner)
	if err == nil && e.Kind != parley.Person {
		err = parley.Errorf(parley.Conflict, "The owner %s is not a person.", e.Name)
	}
	return e.ID, err
}

// delegate asks for the work in the dm with the owner, whose inbox gets the result.
func (m *scheduling) delegate(c access.Caller, key string, due time.Time) (parley.MessageID, error) {
	r := Request{Message: m.Message, Context: parley.ScheduledText(m.Entry, due.In(m.Timing.Zone())), Priority: parley.Normal, Budget: m.Budget, Key: key}
	o := opening{s: m.s, tx: m.tx, caller: c, request: r, pattern: parley.Delegate}
	err := o.run(m.Agent, nil)
	m.out.Task = o.task.ID
	return o.message.ID, err
}

// post asks for the work in a channel, where it is answered.
func (m *scheduling) post(c access.Caller, key string) (parley.MessageID, error) {
	e, ok := m.s.dir.Entry(m.Agent)
	if !ok || e.Retired {
		return 0, parley.Errorf(parley.NotFound, "The agent is gone from the files.")
	}
	text := parley.ScheduledPost(e.Name, m.Entry, m.Message)
	p := posting{mentioning: mentioning{s: m.s, tx: m.tx, budget: m.Budget}, caller: c,
		request: Post{Channel: m.Channel, Message: text, Key: key, mention: text}}
	if err := p.run(); err != nil {
		return 0, err
	}
	for _, t := range p.out.Tasks {
		if t.Agent == m.Agent {
			m.out.Task = t.ID
		}
	}
	if m.out.Task == 0 {
		return 0, parley.Errorf(parley.Conflict, "%s is offline (agent unavailable).", e.Name)
	}
	return p.out.Message, nil
}

func micros(t time.Time) parley.Micros { return parley.Micros(t.UnixMicro()) }

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
