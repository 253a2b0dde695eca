package store

import (
	"time"

	"parley"
)

// Hot is what the only writer of a database remembers of rows that it has just read or
// written: the two agents of a contact, their dm, its thread, the task at work. A contact
// in an ongoing conversation then reads nothing before it writes.
//
// It is right because nobody else writes to the file, and because whatever changes a row
// either says so here or makes Hot forget the table (Forget). After a rollback all of
// it is forgotten. A hub that shares its database has none. It belongs to the writer's
// goroutine; a nil Hot remembers nothing.
type Hot struct {
	agents  map[parley.AgentID]parley.Agent // without their rates
	rates   map[parley.AgentID]parley.Rate
	mail    map[parley.AgentID]bool // whether there is unread mail
	dms     map[dmKey]parley.Channel
	threads map[parley.ThreadID]parley.Thread
	tasks   map[parley.TaskID]parley.Task
	// lastStep is the time of the newest step; 0 before it is known. It never goes back,
	// so a rollback may leave it as it is.
	lastStep parley.Micros
}

// dmKey are the two of a dm, the smaller id first.
type dmKey struct{ a, b parley.AgentID }

// hotRows is how many rows of a table are remembered. One more, and it begins anew.
const hotRows = 1 << 14

// NewHot is for a driver with one writer.
func NewHot() *Hot {
	h := &Hot{}
	h.ForgetAll()
	return h
}

// HotTables are the tables whose changes Hot has to hear of.
var HotTables = []string{"agent", "rate", "delivery", "channel", "thread", "task"}

// Forget drops what is known of a table, after a statement that changed it without
// saying what.
func (h *Hot) Forget(table string) {
	switch table {
	case "agent":
		h.agents = map[parley.AgentID]parley.Agent{}
	case "rate":
		h.rates = map[parley.AgentID]parley.Rate{}
	case "delivery":
		h.mail = map[parley.AgentID]bool{}
	case "channel":
		h.dms = map[dmKey]parley.Channel{}
	case "thread":
		h.threads = map[parley.ThreadID]parley.Thread{}
	case "task":
		h.tasks = map[parley.TaskID]parley.Task{}
	}
}

// ForgetAll drops everything, after a rollback.
func (h *Hot) ForgetAll() {
	for _, table := range HotTables {
		h.Forget(table)
	}
}

// keep adds to one of the maps.
func keep[K comparable, V any](m map[K]V, k K, v V) {
	if len(m) >= hotRows {
		clear(m)
	}
	m[k] = v
}

// parties finds what a contact has to know about its two agents.
func (h *Hot) parties(from, to parley.AgentID, s *ContactState) bool {
	if h == nil {
		return false
	}
	sender, ok1 := h.agents[from]
	target, ok2 := h.agents[to]
	rate, ok3 := h.rates[from]
	mail, ok4 := h.mail[to]
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return false
	}
	sender.Rate = rate
	s.Sender, s.Target, s.Mail = sender, target, mail
	return true
}

func (h *Hot) keepParties(s *ContactState) {
	if h == nil || s.Sender.ID == 0 || s.Target.ID == 0 {
		return
	}
	sender := s.Sender
	sender.Rate = parley.Rate{}
	keep(h.agents, sender.ID, sender)
	keep(h.agents, s.Target.ID, s.Target)
	keep(h.rates, sender.ID, s.Sender.Rate)
	keep(h.mail, s.Target.ID, s.Mail)
}

// dm finds the channel of two and its main thread.
func (h *Hot) dm(a, b parley.AgentID) (c parley.Channel, t parley.Thread, ok bool) {
	if h == nil {
		return c, t, false
	}
	if c, ok = h.dms[dmKey{a, b}]; ok {
		t, ok = h.threads[c.Main]
	}
	return c, t, ok
}

func (h *Hot) keepDM(c parley.Channel, t parley.Thread) {
	if h != nil && c.ID != 0 {
		keep(h.dms, dmKey{c.A, c.B}, c)
		keep(h.threads, t.ID, t)
	}
}

func (h *Hot) thread(id parley.ThreadID) (t parley.Thread, ok bool) {
	if h != nil {
		t, ok = h.threads[id]
	}
	return t, ok
}

func (h *Hot) keepThread(t parley.Thread) {
	if h != nil {
		keep(h.threads, t.ID, t)
	}
}

func (h *Hot) forgetThread(id parley.ThreadID) {
	if h != nil {
		delete(h.threads, id)
	}
}

func (h *Hot) forgetAgent(id parley.AgentID) {
	if h != nil {
		delete(h.agents, id)
	}
}

func (h *Hot) setRate(id parley.AgentID, r parley.Rate) {
	if h != nil {
		r.Debt = r.Debt.Truncate(time.Microsecond) // as it is stored
		keep(h.rates, id, r)
	}
}

// mailCame hears of a new delivery.
func (h *Hot) mailCame(r Recipient) {
	if h != nil && r.Mail {
		keep(h.mail, r.ID, true)
	}
}

// mailSeen hears that something was marked. What has no unread mail gets none by that.
func (h *Hot) mailSeen(by parley.AgentID) {
	if h != nil && h.mail[by] {
		delete(h.mail, by)
	}
}

func (h *Hot) task(id parley.TaskID) (t parley.Task, ok bool) {
	if h != nil {
		t, ok = h.tasks[id]
	}
	return t, ok
}

// keepTask takes a task as it was read. One that has ended is in Recent.
func (h *Hot) keepTask(t parley.Task) {
	if h != nil && t.ID != 0 && t.State.Open() {
		keep(h.tasks, t.ID, t)
	}
}

// inserted takes a task as InsertTask has stored it.
func (h *Hot) inserted(t *parley.Task) {
	if h == nil {
		return
	}
	stored := *t
	stored.Title = Storable(t.Title)
	stored.OpenChildren, stored.InboxCount, stored.InboxRead, stored.Turns, stored.Rescues = 0, 0, 0, 0, 0
	stored.Result, stored.Error, stored.EndedBy, stored.EndedAt, stored.Approvals = 0, "", 0, 0, 0
	stored.Dependents, stored.Provider, stored.ProviderSince = 0, "", 0
	h.keepTask(stored)
}

// updated takes what UpdateTask has stored.
func (h *Hot) updated(t *parley.Task) {
	known, ok := h.task(t.ID)
	if !ok {
		return
	}
	if !t.State.Open() {
		delete(h.tasks, t.ID)
		return
	}
	known.State, known.Callback, known.Due, known.Deadline, known.WaitUntil = t.State, t.Callback, t.Due, t.Deadline, t.WaitUntil
	known.Worker, known.Token, known.Rescues, known.Error, known.EndedBy = t.Worker, t.Token, t.Rescues, Storable(t.Error), t.EndedBy
	known.StartedAt, known.EndedAt, known.Waits = t.StartedAt, t.EndedAt, t.Waits
	h.tasks[t.ID] = known
	h.progressed(t)
}

// progressed takes what UpdateProgress has stored.
func (h *Hot) progressed(t *parley.Task) {
	known, ok := h.task(t.ID)
	if !ok {
		return
	}
	known.Turns, known.InboxCount, known.InboxRead = t.Turns, t.InboxCount, t.InboxRead
	known.OpenChildren, known.Result, known.Approvals = t.OpenChildren, t.Result, t.Approvals
	h.tasks[t.ID] = known
}
