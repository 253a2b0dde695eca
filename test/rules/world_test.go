package rules

import (
	"fmt"
	"slices"
	"time"

	"parley"
)

// world is the model: what the rules say is the case. It has no database, no
// goroutines and no leases, and derives wherever the hub keeps count: how many
// children are open is counted anew each time it matters.
//
// Something happens in a world because the test does it, and then by itself,
// until nothing more can happen (settle). The hub does the latter on many
// goroutines, and a crash cuts it short anywhere. Where the rules leave open
// what happens first, or whether it still happens, the world looks at what is
// stored and checks that it was allowed.
type world struct {
	now    parley.Micros
	agents []*agent
	tasks  []*task // in the order of their ids
	dms    map[pair]*thread

	places   int  // turns that the hub runs at once
	claims   bool // a hub is up and takes work
	cut      bool // the hub died somewhere on the way
	starting bool // a hub has just begun to take work
	stage    int  // counts what the test did
	claimed  []*task
	resumed  map[*agent]int // turns that came back from an ask in this stage

	seen  *stored                           // what is stored, after the hub has come to rest
	reads map[parley.TaskID]map[string]bool // what the models that have the word read
}

type agent struct {
	id     parley.AgentID
	name   string
	person bool
	limits parley.Limits

	offline       bool
	sleepingUntil parley.Micros
	contacts      []parley.Micros // that it has started, when
}

// missing is what a bucket lacks that all contacts so far have drawn on, as the time
// that refilling it takes.
func (a *agent) missing(now parley.Micros) time.Duration {
	lacks, last := time.Duration(0), parley.Micros(0)
	for _, at := range append(slices.Clone(a.contacts), now) {
		lacks, last = max(0, lacks-at.Since(last))+time.Minute/time.Duration(a.limits.Rate), at
	}
	return lacks - time.Minute/time.Duration(a.limits.Rate) // now is no contact
}

// mustWait is how long it takes until the agent may start one more contact.
func (a *agent) mustWait(now parley.Micros) time.Duration {
	one := time.Minute / time.Duration(a.limits.Rate)
	return a.missing(now) + one - time.Duration(a.limits.Burst)*one
}

// rate is what is stored of the agent's bucket.
func (a *agent) rate() parley.Rate {
	if len(a.contacts) == 0 {
		return parley.Rate{}
	}
	last := a.contacts[len(a.contacts)-1]
	return parley.Rate{At: last, Debt: a.missing(last)}
}

func (a *agent) sleeping(now parley.Micros) bool { return a.sleepingUntil > now }

// one reports whether the agent runs strictly one turn at a time, even while that
// waits.
func (a *agent) one() bool { return a.limits.Turns == 1 }

type task struct {
	id        parley.TaskID
	parent    *task
	retryOf   *task
	pattern   parley.Pattern
	requester *agent
	agent     *agent
	in        *thread
	request   *message
	priority  parley.Priority

	state     parley.State
	callback  parley.Callback
	due       parley.Micros
	deadline  parley.Micros
	waitUntil parley.Micros
	givenUp   int // the stage in which its asker did, if it did
	asks      int // depth
	hops      int // depth of delegation

	inbox   []*message
	read    int // of the inbox
	arrived int // in the inbox when this stage began
	turns   int
	taken   int // claims, each with a token of its own
	rescues int
	result  *message
	failure string
	endedBy *agent

	turn   *turn
	start  *start // of the turn, until it is stored
	begun  int    // the stage in which the turn began
	sight  *start // what its model was shown since the last stored step
	worked bool   // somebody is on it: false after the hub died
	said   []line // the conversation after the request
	inLine bool   // its turn waited for a place when this stage began
	fresh  bool   // it became claimable in this stage, by something that races with claims
}

type turn struct {
	replies int
	results int
	failed  int     // replies in a row with a call that failed
	counted bool    // the last reply is among them
	limited bool    // the last failure was a refusal by the rate
	calls   []*call // of the last reply, those without a result
}

// start is the beginning of a turn that is not stored yet: the hub gives the
// model a moment first. If it dies before, the turn never was.
type start struct {
	at     parley.Micros
	read   int // of the inbox, before
	said   int // lines, before
	stored bool
}

// line is one entry of a conversation as the model reads it.
type line struct {
	role string
	text string
	// loose texts are hints that the rules do not spell out: only the beginning
	// counts.
	loose bool
	shows *message // whose text it is
}

type message struct {
	id       parley.MessageID
	stage    int
	author   *agent
	to       *agent
	kind     parley.MessageKind
	body     string
	priority parley.Priority
	task     *task
	shown    bool     // it was part of a model's request
	showing  []*start // steps that show it, stored or not yet
	taken    bool     // into a turn, between two steps
	glimpsed bool     // it stood in the history of another task than the one it goes to
	excused  bool     // stored as seen by a hub that died before it could show it
}

// thread is the conversation of a pair.
type thread struct {
	messages []*message
}

type pair struct{ a, b string }

func pairOf(x, y *agent) pair {
	if x.name > y.name {
		x, y = y, x
	}
	return pair{x.name, y.name}
}

func (w *world) dm(x, y *agent) *thread {
	p := pairOf(x, y)
	if w.dms[p] == nil {
		w.dms[p] = &thread{}
	}
	return w.dms[p]
}

func (w *world) agent(name string) *agent {
	for _, a := range w.agents {
		if a.name == name {
			return a
		}
	}
	return nil
}

func (w *world) task(id parley.TaskID) *task {
	for _, t := range w.tasks {
		if t.id == id {
			return t
		}
	}
	return nil
}

// add takes in a task under the id that the hub gave it.
func (w *world) add(t *task, id parley.TaskID) {
	t.id = id
	w.tasks = append(w.tasks, t)
	slices.SortFunc(w.tasks, func(a, b *task) int { return int(a.id - b.id) })
}

func (w *world) post(in *thread, m *message) *message {
	m.stage = w.stage
	in.messages = append(in.messages, m)
	return m
}

func (w *world) children(of *task) (list []*task) {
	for _, t := range w.tasks {
		if t.parent == of {
			list = append(list, t)
		}
	}
	return list
}

// open counts the delegations of a task that have not ended.
func (w *world) open(of *task) (n int) {
	for _, t := range w.children(of) {
		if t.callback == parley.CallbackResult && t.state.Open() {
			n++
		}
	}
	return n
}

// below is the subtree of a task without itself, parents first.
func (w *world) below(of *task) (list []*task) {
	for _, t := range w.children(of) {
		list = append(list, t)
		list = append(list, w.below(t)...)
	}
	return list
}

func (t *task) root() *task {
	for t.parent != nil {
		t = t.parent
	}
	return t
}

// awaited reports whether somebody waits for the end of the task.
func (t *task) awaited(now parley.Micros) bool {
	return t.pattern == parley.Ask && (t.callback == parley.CallbackNone || t.callback == parley.CallbackReply) && t.waitUntil > now
}

// asking is the subtask whose answer the task's turn waits for.
func (t *task) asking() *task {
	if t.turn == nil || len(t.turn.calls) == 0 {
		return nil
	}
	if c := t.turn.calls[0]; c.pattern == parley.Ask {
		return c.made
	}
	return nil
}

// wantsPlace reports whether the task's turn waits for nothing but a slot.
func (t *task) wantsPlace(now parley.Micros) bool {
	a := t.asking()
	return a != nil && t.worked && t.state == parley.Running && (!a.state.Open() || a.waitUntil <= now)
}

// failuresInARow stop a turn.
const failuresInARow = 5

// thinking reports whether the model is thinking.
func (t *task) thinking() bool {
	return t.state == parley.Running && t.worked && t.turn != nil && len(t.turn.calls) == 0 &&
		t.turn.replies < t.agent.limits.Steps && t.turn.failed < failuresInARow
}

// String tells what matters of a task when something went wrong.
func (t *task) String() string {
	s := fmt.Sprintf("%s %s of %s for %s: %s", t.id, t.pattern, t.agent.name, t.requester.name, t.state)
	if t.parent != nil {
		s += " below " + t.parent.id.String()
	}
	if t.due > 0 {
		s += " due " + t.due.Time().Format("15:04:05.000000")
	}
	s += " until " + t.deadline.Time().Format("15:04:05.000000")
	if t.turn != nil {
		s += fmt.Sprintf(", turn %d: %d replies, %d results, calls %v", t.turns, t.turn.replies, t.turn.results, t.turn.calls)
	}
	if a := t.asking(); a != nil {
		s += " asking " + a.id.String()
	}
	return s
}

// status is derived: offline > sleeping > working > awaiting_delegation > idle.
func (w *world) status(a *agent) parley.Status {
	var running, waiting bool
	for _, t := range w.tasks {
		if t.agent == a {
			running = running || t.state == parley.Running
			waiting = waiting || t.state == parley.Waiting
		}
	}
	switch {
	case a.offline:
		return parley.StatusOffline
	case a.sleeping(w.now):
		return parley.StatusSleeping
	case running:
		return parley.StatusWorking
	case waiting:
		return parley.StatusAwaitingDelegation
	}
	return parley.StatusIdle
}

// next is when time alone makes something happen; 0 if never.
func (w *world) next() (at parley.Micros) {
	sooner := func(when parley.Micros) {
		if when > w.now && (at == 0 || when < at) {
			at = when
		}
	}
	for _, t := range w.tasks {
		if !t.state.Open() {
			continue
		}
		sooner(t.deadline)
		sooner(t.deadline.Add(pause))
		sooner(t.due)
		if t.due > 0 {
			sooner(t.due.Add(pause))
		}
		sooner(t.waitUntil)
	}
	return at
}

// pause is how long the hub may put off storing that a turn began, and looking
// at the clock.
const pause = 50 * time.Millisecond

func micros(t time.Time) parley.Micros { return parley.Micros(t.UnixMicro()) }
