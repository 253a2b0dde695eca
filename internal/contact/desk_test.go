package contact_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	zombiezen "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/policy"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

// desk is a team whose tasks are worked on by hand: no worker claims anything, no
// clock looks, no model thinks. A test can stand at any moment between two of
// them, also at those that last no time in a hub: after something has expired and
// before the clock has acted, after a lease is lost and before its turn knows.
//
// Desks stand on a database in memory, each with a team of its own; making one
// takes longer than most tests. So they are used one after the other, and some
// share one.
type desk struct {
	*testing.T
	*contact.Service
	store store.Store
	dir   *directory.Directory
	team  parley.TeamID
	// other is somebody of another team.
	other contact.Caller
}

// hand is the time of all desks: it goes on when a test says so.
type hand struct{ micros atomic.Int64 }

func (h *hand) now() time.Time { return time.UnixMicro(h.micros.Load()) }

// ground is what desks stand on.
type ground struct {
	*sqlite.Store
	hand  *hand
	teams int
	look  *zombiezen.Conn // past the program's own reading
}

// grounds hands them out: after so many desks a new one, since looking at all that
// is stored takes the longer the more there is.
type grounds struct {
	mu    sync.Mutex
	made  int
	last  *ground
	desks int // on the last
}

const mostDesks = 12

var shared grounds

func (g *grounds) next() (*ground, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil || g.desks == mostDesks {
		g.made++
		last, err := newGround(fmt.Sprint("contact-", g.made))
		if err != nil {
			return nil, err
		}
		g.last, g.desks = last, 0
	}
	g.desks++
	return g.last, nil
}

func newGround(name string) (*ground, error) {
	g := &ground{hand: &hand{}}
	g.hand.micros.Store(time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	var err error
	if g.Store, err = sqlite.OpenMemory(name, sqlite.Options{Clock: g.hand.now, Readers: 1}); err != nil {
		return nil, err
	}
	g.look, err = zombiezen.OpenConn("file:/"+name+"?vfs=memdb", zombiezen.OpenReadWrite|zombiezen.OpenURI)
	return g, err
}

// member is one of a desk's team.
type member struct {
	name   string
	kind   parley.AgentKind // native if empty
	role   string
	rules  policy.Rules
	limits func(*parley.Limits)
}

// newDesk makes a team of Pat, a person, and these. The names alone make agents
// without rules.
func newDesk(t *testing.T, members ...any) *desk {
	t.Helper()
	g, err := shared.next()
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{T: t, store: g, dir: directory.New()}
	d.Service = contact.New(g, d.dir, nil, slog.New(slog.DiscardHandler))
	if !slices.ContainsFunc(members, func(m any) bool { return asMember(m).name == "Pat" }) {
		members = append([]any{member{name: "Pat", kind: parley.Person}}, members...)
	}
	d.team = d.join(members...)
	d.other = contact.Caller{Team: d.join("Stranger", "Neighbour")}
	d.other.Agent = d.dir.Everyone(d.other.Team)[0]
	return d
}

func (d *desk) join(members ...any) parley.TeamID {
	d.Helper()
	g := d.store.(*ground)
	g.teams++
	team := parley.Team{Name: fmt.Sprint("team ", g.teams)}
	var agents []parley.Agent
	d.update(func(tx *store.Tx) error {
		tx.InsertTeam(&team)
		agents = nil
		for _, m := range members {
			m := asMember(m)
			a := parley.Agent{Team: team.ID, Name: m.name, Kind: m.kind, Turns: m.settled().Turns}
			tx.InsertAgent(&a)
			agents = append(agents, a)
		}
		return nil
	})
	for i, m := range members {
		m := asMember(m)
		limits := m.settled()
		d.dir.Put(directory.Entry{ID: agents[i].ID, Team: team.ID, Name: m.name, Kind: m.kind, Role: m.role, Limits: &limits, Rules: &m.rules})
	}
	return team.ID
}

func asMember(m any) member {
	if name, ok := m.(string); ok {
		m = member{name: name}
	}
	one := m.(member)
	if one.kind == "" {
		one.kind = parley.Native
	}
	return one
}

func (m member) settled() parley.Limits {
	l := parley.DefaultLimits()
	if m.limits != nil {
		m.limits(&l)
	}
	return l
}

func (d *desk) update(fn func(*store.Tx) error) {
	d.Helper()
	if err := d.store.Update(context.Background(), fn); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) view(fn func(*store.Tx) error) {
	d.Helper()
	if err := d.store.View(context.Background(), fn); err != nil {
		d.Fatal(err)
	}
}

// pass lets time go by. Nobody looks at the clock.
func (d *desk) pass(by time.Duration) {
	d.Helper()
	d.store.(*ground).hand.micros.Add(by.Microseconds())
}

func (d *desk) now() (now parley.Micros) {
	d.Helper()
	d.view(func(tx *store.Tx) error { now = tx.Now; return nil })
	return now
}

func (d *desk) id(name string) parley.AgentID {
	d.Helper()
	e, err := d.dir.Find(d.team, name)
	if err != nil {
		d.Fatal(err)
	}
	return e.ID
}

func (d *desk) name(id parley.AgentID) string {
	e, _ := d.dir.Entry(id)
	return e.Name
}

// as is somebody who speaks for no task.
func (d *desk) as(name string) contact.Caller {
	d.Helper()
	return contact.Caller{Team: d.team, Agent: d.id(name)}
}

// turn is somebody's turn on a task, under a lease.
func turn(l parley.Lease) contact.Caller {
	return contact.Caller{Team: l.Team, Agent: l.Agent, Task: l.Task, Token: l.Token, Budget: l.Budget}
}

// claim begins with a task, as a worker does.
func (d *desk) claim(id parley.TaskID) (l parley.Lease) {
	d.Helper()
	d.update(func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(id)
		if err != nil {
			return err
		}
		t := &tasks[0]
		t.State, t.Worker, t.Token = parley.Running, 1, t.Token+1
		tx.UpdateTask(t)
		tx.MarkDelivered(t.Request, t.Agent)
		l = t.Lease()
		return nil
	})
	return l
}

// change changes a task behind everybody's back.
func (d *desk) change(id parley.TaskID, how func(*parley.Task)) {
	d.Helper()
	d.update(func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(id)
		if err != nil {
			return err
		}
		how(&tasks[0])
		tx.UpdateTask(&tasks[0])
		return nil
	})
}

// steal has another worker take a task over, as after a lost lease.
func (d *desk) steal(id parley.TaskID) parley.Lease {
	d.Helper()
	d.change(id, func(t *parley.Task) { t.State, t.Worker = parley.Queued, 0 })
	return d.claim(id)
}

// working is somebody at work on a task that Pat asked for.
func (d *desk) working(name string) parley.Lease {
	d.Helper()
	made, err := d.Delegate(d.Context(), d.as("Pat"), contact.Request{Target: name, Message: "Begin."})
	d.must(err)
	return d.claim(made.Task.ID)
}

// below is somebody at work on a subtask.
func (d *desk) below(l parley.Lease, p parley.Pattern, name string) parley.Lease {
	d.Helper()
	return d.claim(d.contact(turn(l), p, name).Task.ID)
}

// contact contacts somebody and goes on, whatever the pattern.
func (d *desk) contact(c contact.Caller, p parley.Pattern, name string) contact.Contact {
	d.Helper()
	made, err := d.try(c, p, contact.Request{Target: name, Message: "Please."})
	d.must(err)
	return made
}

// try contacts somebody. An ask's caller goes on as one does who is cut off: the
// task is as it is while its turn waits.
func (d *desk) try(c contact.Caller, p parley.Pattern, r contact.Request) (contact.Contact, error) {
	d.Helper()
	switch p {
	case parley.Delegate:
		return d.Delegate(d.Context(), c, r)
	case parley.Notify:
		return d.Notify(d.Context(), c, r)
	case parley.Query:
		asked, err := d.Question(d.Context(), c, r)
		return contact.Contact{Question: asked.ID}, err
	}
	ctx, cut := context.WithCancelCause(d.Context())
	defer cut(nil)
	c.Slot = cutOff{func() { cut(errCutOff) }}
	a, err := d.Ask(ctx, c, r)
	if errors.Is(err, errCutOff) {
		err = nil
	}
	return a.Contact, err
}

var errCutOff = errors.New("cut off")

// cutOff is the place of an asker that is gone as soon as it begins to wait.
type cutOff struct{ gone func() }

func (c cutOff) Release()                          { c.gone() }
func (c cutOff) Acquire(ctx context.Context) error { return context.Cause(ctx) }

// end ends a turn with its closing text.
func (d *desk) end(l parley.Lease, text string) parley.Outcome {
	d.Helper()
	out, err := d.EndTurn(d.Context(), parley.TurnEnd{Lease: l, Text: text, InboxRead: d.task(l.Task).InboxRead})
	d.must(err)
	return out
}

// fails ends a turn without a result.
func (d *desk) fails(l parley.Lease, reason string) {
	d.Helper()
	_, err := d.EndTurn(d.Context(), parley.TurnEnd{Lease: l, Reason: reason})
	d.must(err)
}

func (d *desk) task(id parley.TaskID) (t parley.Task) {
	d.Helper()
	d.view(func(tx *store.Tx) (err error) { t, err = tx.Task(id); return err })
	return t
}

func (d *desk) message(id parley.MessageID) (m parley.Message) {
	d.Helper()
	d.view(func(tx *store.Tx) (err error) { m, err = tx.Message(id); return err })
	return m
}

// inbox is what has come back to a task: a kind and a text for each.
func (d *desk) inbox(of parley.TaskID) (list []string) {
	d.Helper()
	d.view(func(tx *store.Tx) error {
		messages, err := tx.Inbox(of, 0, 1<<20)
		for _, m := range messages {
			list = append(list, fmt.Sprintf("%s of %s: %s", m.Kind, d.name(m.Author), m.Body))
		}
		return err
	})
	return list
}

// talk is the main thread of two, oldest first: author, kind and text.
func (d *desk) talk(a, b string) (list []string) {
	d.Helper()
	d.view(func(tx *store.Tx) error {
		dm, err := tx.DM(d.id(a), d.id(b))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		thread, err := tx.Thread(dm.Main)
		if err != nil {
			return err
		}
		messages, err := tx.Back(thread.Last, 0, 1<<20)
		for _, m := range slices.Backward(messages) {
			list = append(list, fmt.Sprintf("%s %s: %s", d.name(m.Author), m.Kind, m.Body))
		}
		return err
	})
	return list
}

// events are those of a task or of all, without their times: kind, actor, target.
func (d *desk) events(of parley.TaskID) (list []string) {
	d.Helper()
	d.view(func(tx *store.Tx) error {
		events, _, err := tx.Events(d.team, "", 1<<20)
		for _, e := range events {
			if of == 0 || e.Task == of {
				list = append(list, strings.TrimSpace(fmt.Sprintf("%s by %s to %s %s", e.Kind, d.name(e.Actor), d.name(e.Target), e.Detail)))
			}
		}
		return err
	})
	return list
}

func (d *desk) delivery(m parley.MessageID, to string) (state string) {
	d.Helper()
	d.view(func(tx *store.Tx) error {
		list, err := tx.Deliveries(m)
		for _, one := range list {
			if one.Recipient == d.id(to) {
				state = one.State()
			}
		}
		return err
	})
	return state
}

func (d *desk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *desk) equal(what string, want, got any) {
	d.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		d.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// refused makes sure that something is refused with just this, and leaves nothing
// behind but its event.
func (d *desk) refused(want string, try func() error) {
	d.Helper()
	before := d.dump()
	err := try()
	if err == nil || !strings.Contains(parley.Public(err), want) && !strings.Contains(err.Error(), want) {
		d.Errorf("%v; want %q", err, want)
	}
	d.equal("what a refusal leaves behind", before, d.dump())
}

// lost makes sure that somebody without the lease is told so and changes nothing.
func (d *desk) lost(what string, try func() error) {
	d.Helper()
	before := d.dump()
	if err := try(); !errors.Is(err, parley.ErrLost) {
		d.Errorf("%s without the lease: %v", what, err)
	}
	d.equal(what+" without the lease leaves behind", before, d.dump())
}

// dump is all that is stored besides events, a line for each row.
func (d *desk) dump() (rows []string) {
	d.Helper()
	look := d.store.(*ground).look
	var tables []string
	d.must(sqlitex.ExecuteTransient(look, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'event' ORDER BY name`,
		&sqlitex.ExecOptions{ResultFunc: func(s *zombiezen.Stmt) error { tables = append(tables, s.ColumnText(0)); return nil }}))
	for _, table := range tables {
		d.must(sqlitex.ExecuteTransient(look, `SELECT * FROM "`+table+`"`, &sqlitex.ExecOptions{ResultFunc: func(s *zombiezen.Stmt) error {
			row := table + ":"
			for i := range s.ColumnCount() {
				row += fmt.Sprintf(" %s=%s", s.ColumnName(i), s.ColumnText(i))
			}
			rows = append(rows, row)
			return nil
		}}))
	}
	return rows
}
