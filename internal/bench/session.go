package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/model/scripted"
	"parley/internal/store"
	"parley/internal/wake"
)

// session is a hub on a filled database, ready to be measured.
type session struct {
	*running
	stored int    // messages
	roots  []root // once somebody delegates
}

// root is a task that a client holds, into which results come.
type root struct {
	client  int // its place among the members
	targets []int
	task    parley.TaskID
	arrived <-chan struct{}
	unwatch func()
	results int // how many must have come
}

// openSession starts a hub on a database that holds so many messages, or is
// empty and is to hold them.
func (b *bench) openSession(ctx context.Context, e engine, address string, messages int, empty bool) (*session, error) {
	st, err := openStore(ctx, e.name(), address)
	if err != nil {
		return nil, err
	}
	s := &session{stored: messages}
	c := newCrew(b.plan, messages, scripted.Noop())
	if empty {
		if s.stored, err = b.fill(ctx, e, st, c, messages); err != nil {
			return nil, errors.Join(err, st.Close())
		}
	}
	if s.running, err = start(ctx, st, c); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return s, nil
}

func (b *bench) fill(ctx context.Context, e engine, st store.Store, c *crew, messages int) (int, error) {
	h, err := join(ctx, st, c)
	if err != nil {
		return 0, err
	}
	const every = 100_000
	stored, err := fill(ctx, h, messages, e.fillers(), func(stored int) {
		if stored/every > (stored-fillBatch)/every {
			b.say("%s: %s of %s messages stored", e.name(), count(stored), count(messages))
		}
	})
	if err == nil {
		err = countAsIndexed(ctx, st)
	}
	return stored, err
}

// openRoots gives each client a task to work on, by the person.
func (s *session) openRoots(ctx context.Context) error {
	if s.roots != nil {
		return nil
	}
	roots := make([]root, s.clients)
	for _, p := range s.delegate {
		roots[p.from-1].targets = append(roots[p.from-1].targets, p.to)
	}
	for i := range roots {
		r := &roots[i]
		r.client = 1 + i
		opened, err := s.Contacts.Delegate(ctx, s.caller(0),
			contact.Request{Target: s.members[r.client].Name, Message: "Have everything looked at."})
		if err != nil {
			return err
		}
		r.task = opened.Task.ID
		r.arrived, r.unwatch = s.Store.Bus().Watch(wake.Signal{Topic: wake.TaskInbox, ID: int64(r.task)})
	}
	s.roots = roots
	return nil
}

// closeRoots ends the clients' tasks, so that the next session finds none.
func (s *session) closeRoots(ctx context.Context) error {
	for _, r := range s.roots {
		r.unwatch()
		if err := s.Contacts.Reply(ctx, s.caller(r.client), r.task, "Everything was looked at."); err != nil {
			return err
		}
	}
	return nil
}

// close leaves the database as another session expects it.
func (s *session) close(ctx context.Context) error {
	return errors.Join(s.closeRoots(ctx), s.abandon())
}

// abandon leaves a database that nobody needs any more.
func (s *session) abandon() error { return errors.Join(s.end(), s.Store.Close()) }

// operation finds how to do one contact, and how many messages that stores.
func (s *session) operation(ctx context.Context, what string, callers int) (op operation, messages int, err error) {
	switch what {
	case notify:
		return s.notifyOnce, 1, nil
	case ask:
		return s.askOnce, 2, nil
	default:
		return func(ctx context.Context, caller int, r *rand.Rand) error {
			return s.delegateOnce(ctx, s.rootOf(caller, callers, r), r)
		}, 3, s.openRoots(ctx)
	}
}

func (s *session) notifyOnce(ctx context.Context, _ int, r *rand.Rand) error {
	from, to := s.choose(s.notify, r)
	_, err := s.Contacts.Notify(ctx, s.caller(from), contact.Request{Target: s.members[to].Name, Message: body(r)})
	return err
}

func (s *session) askOnce(ctx context.Context, _ int, r *rand.Rand) error {
	from, to := s.choose(s.ask, r)
	answer, err := s.Contacts.Ask(ctx, s.caller(from), contact.Request{Target: s.members[to].Name, Message: body(r)})
	if err == nil && answer.Text != "ok" {
		return fmt.Errorf("an ask was answered %q", answer.Text)
	}
	return err
}

// delegateOnce ends when the result is committed to the inbox of the client's
// task.
func (s *session) delegateOnce(ctx context.Context, t *root, r *rand.Rand) error {
	c := s.caller(t.client)
	c.Task = t.task
	to := t.targets[r.IntN(len(t.targets))]
	if _, err := s.Contacts.Delegate(ctx, c, contact.Request{Target: s.members[to].Name, Message: body(r)}); err != nil {
		return err
	}
	t.results++
	timer := time.NewTimer(resultLimit)
	defer timer.Stop()
	select {
	case <-t.arrived:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return fmt.Errorf("no result of a delegation came within %v", resultLimit)
	}
}

// resultLimit is far beyond what a result takes; one that has not come by then
// is lost.
const resultLimit = 30 * time.Second

// rootOf picks one of the tasks that this caller has to itself.
func (s *session) rootOf(caller, callers int, r *rand.Rand) *root {
	return &s.roots[share{caller, callers}.pick(r, len(s.roots))]
}

func (s *session) choose(pairs []pair, r *rand.Rand) (from, to int) {
	p := pairs[r.IntN(len(pairs))]
	return p.from, p.to
}

func (s *session) caller(member int) access.Caller {
	return access.Caller{Team: s.team.ID, Agent: s.ids[member]}
}

// settle waits until nothing of a slice is under way, and makes sure that no
// result was counted that is not there.
func (s *session) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, resultLimit, errors.New("tasks stay open that nobody waits for"))
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		busy, err := s.busy(ctx)
		if err != nil || !busy {
			return errors.Join(err, s.checkResults(ctx))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-again.C:
		}
	}
}

func (s *session) busy(ctx context.Context) (busy bool, err error) {
	err = s.Store.View(ctx, func(tx *store.Tx) error {
		open, err := tx.OpenTasks(s.team.ID)
		for _, id := range s.natives() {
			busy = busy || open[id] != parley.OpenTasks{}
		}
		return err
	})
	return busy, err
}

func (s *session) checkResults(ctx context.Context) error {
	return s.Store.View(ctx, func(tx *store.Tx) error {
		for _, r := range s.roots {
			t, err := tx.Task(r.task)
			if err != nil {
				return err
			}
			if t.InboxCount != r.results {
				return fmt.Errorf("%d of %d results are in the inbox of %s", t.InboxCount, r.results, r.task)
			}
		}
		return nil
	})
}
