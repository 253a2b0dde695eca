package contact_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/policy"
	"parley/internal/redaction"
	"parley/internal/store"
	"parley/internal/store/memtest"

	"github.com/google/go-cmp/cmp"
)

// desk is a team whose tasks are worked on by hand: no worker claims anything, no
// clock looks, no model thinks. A test can stand at any moment between two of
// them, also at those that last no time in a hub: after something has expired and
// before the clock has acted, after a lease is lost and before its turn knows.
type desk struct {
	*testing.T
	*contact.Service
	store      *memtest.Store
	dir        *directory.Directory
	redactions *redaction.Service
	team       parley.TeamID
	// other is somebody of another team.
	other access.Caller
}

// member is one of a desk's team.
type member struct {
	name   string
	kind   parley.AgentKind // native if empty
	role   string
	docs   string // what others may read of it
	rules  policy.Rules
	limits func(*parley.Limits)
}

// newDesk makes a team of Pat, a person, and these. The names alone make agents
// without rules.
func newDesk(t *testing.T, members ...any) *desk {
	t.Helper()
	d := &desk{T: t, store: memtest.Open(t), dir: directory.New()}
	control := access.New(d.store, d.dir, slog.New(slog.DiscardHandler))
	d.Service = contact.New(d.store, d.dir, control, nil, slog.New(slog.DiscardHandler))
	d.Docs = func(f directory.Docs) string { return f.Folder } // it stands for what is in it
	d.redactions = redaction.New(d.store, d.dir, control, d.Service, cabinet{}, cabinet{})
	if !slices.ContainsFunc(members, func(m any) bool { return asMember(m).name == "Pat" }) {
		members = append([]any{member{name: "Pat", kind: parley.Person}}, members...)
	}
	d.team = d.join("ours", members...)
	d.other = access.Caller{Team: d.join("theirs", "Stranger", "Neighbour")}
	d.other.Agent = d.dir.Everyone(d.other.Team)[0]
	return d
}

func (d *desk) join(name string, members ...any) parley.TeamID {
	d.Helper()
	agents := make([]*parley.Agent, len(members))
	for i, m := range members {
		m := asMember(m)
		agents[i] = &parley.Agent{Name: m.name, Kind: m.kind, Turns: m.settled().Turns}
	}
	team := d.store.Team(name, agents...)
	for i, m := range members {
		m := asMember(m)
		limits := m.settled()
		d.dir.Put(directory.Entry{ID: agents[i].ID, Team: team, Name: m.name, Kind: m.kind, Role: m.role,
			Docs: directory.Docs{Folder: m.docs}, Limits: &limits, Rules: &m.rules})
	}
	return team
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
func (d *desk) as(name string) access.Caller {
	d.Helper()
	return access.Caller{Team: d.team, Agent: d.id(name)}
}

// turn is somebody's turn on a task, under a lease.
func turn(l parley.Lease) access.Caller {
	return access.Caller{Team: l.Team, Agent: l.Agent, Task: l.Task, Token: l.Token, Budget: l.Budget}
}

// claim begins with a task, as a worker does.
func (d *desk) claim(id parley.TaskID) parley.Lease { return d.store.Claim(id, 1) }

// steal has another worker take a task over, as after a lost lease.
func (d *desk) steal(id parley.TaskID) parley.Lease {
	d.Helper()
	d.store.Requeue(id)
	return d.claim(id)
}

// park has a task wait.
func (d *desk) park(id parley.TaskID) {
	d.Helper()
	d.store.Change(id, func(t *parley.Task) { t.State, t.Worker = parley.Waiting, 0 })
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
func (d *desk) contact(c access.Caller, p parley.Pattern, name string) contact.Contact {
	d.Helper()
	made, err := d.try(c, p, contact.Request{Target: name, Message: "Please."})
	d.must(err)
	return made
}

// try contacts somebody. An ask's caller goes on as one does who is cut off: the
// task is as it is while its turn waits.
func (d *desk) try(c access.Caller, p parley.Pattern, r contact.Request) (contact.Contact, error) {
	d.Helper()
	switch p {
	case parley.Delegate:
		return d.Delegate(d.Context(), c, r)
	case parley.Notify:
		return d.Notify(d.Context(), c, r)
	case parley.QuestionPattern:
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
	out, err := d.EndTurn(d.Context(), parley.TurnEnd{Lease: l, Text: text, InboxRead: d.store.Task(l.Task).InboxRead})
	d.must(err)
	return out
}

// fails ends a turn without a result.
func (d *desk) fails(l parley.Lease, reason string) {
	d.Helper()
	_, err := d.EndTurn(d.Context(), parley.TurnEnd{Lease: l, Reason: reason})
	d.must(err)
}

func (d *desk) message(id parley.MessageID) (m parley.Message) {
	d.Helper()
	d.store.See(func(tx *store.Tx) (err error) { m, err = tx.Message(id); return err })
	return m
}

// inbox is what has come back to a task: a kind and a text for each.
func (d *desk) inbox(of parley.TaskID) (list []string) {
	d.Helper()
	d.store.See(func(tx *store.Tx) error {
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
	d.store.See(func(tx *store.Tx) error {
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
		messages, err := tx.Back(thread.ID, thread.Last, 0, 1<<20)
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
	d.store.See(func(tx *store.Tx) error {
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
	d.store.See(func(tx *store.Tx) error {
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
	err := d.unchanged("what a refusal leaves behind", try)
	if err == nil || !strings.Contains(parley.Public(err), want) && !strings.Contains(err.Error(), want) {
		d.Errorf("%v; want %q", err, want)
	}
}

// lost makes sure that somebody without the lease is told so and changes nothing.
func (d *desk) lost(what string, try func() error) {
	d.Helper()
	if err := d.unchanged(what+" without the lease leaves behind", try); !errors.Is(err, parley.ErrLost) {
		d.Errorf("%s without the lease: %v", what, err)
	}
}

// unchanged tries something, and compares all that is stored besides events.
func (d *desk) unchanged(what string, try func() error) error {
	d.Helper()
	before := d.store.Rows("event")
	err := try()
	d.equal(what, before, d.store.Rows("event"))
	return err
}

// errOf is what became of a call.
func errOf[T any](_ T, err error) error { return err }
