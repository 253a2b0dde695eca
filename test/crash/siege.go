package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"parley/client"
)

// clients is how many give jobs at once. There are few enough that a hub can finish
// their work between some kills. A task that is running at more kills than the limit
// of rescues is given up, which is correct but not what is tested here: the team has a high limit.
const clients = 6

// maxHubs is how many share a database at most.
const maxHubs = 3

// siege is a few hubs that are killed again and again under load, and a database that
// is looked at after each kill.
type siege struct {
	*ground
	places []*place
	random *rand.Rand
	seed   uint64
	open   func() (database, error)
	moods  moods
	// besides, if set, happens together with some of the kills.
	besides func()

	hubs   [maxHubs]*hub // nil: not running
	killed int
	frozen int
	dead   []int // the processes that were killed
}

// moods limit the moments of a kill.
type moods struct {
	starting time.Duration // this long after the start at most, up or not
	running  time.Duration // this long after the hub is up at most
	acks     int           // after this many acknowledgements at most
	frozen   time.Duration // how long a hub is frozen at most; 0: never
}

// tally adds up one or more sieges.
type tally struct {
	kills, freezes, contacts, acknowledged, unanswered, tasks, rescues, given int
	approved, denied                                                          int
}

func (t *tally) add(o tally) {
	t.kills += o.kills
	t.freezes += o.freezes
	t.contacts += o.contacts
	t.acknowledged += o.acknowledged
	t.unanswered += o.unanswered
	t.tasks += o.tasks
	t.rescues += o.rescues
	t.given += o.given
	t.approved += o.approved
	t.denied += o.denied
}

func (t tally) String() string {
	return fmt.Sprintf("%d kills, %d freezes: %d contacts, %d of them acknowledged, %d answers never came; %d tasks, %d rescues, %d tasks given up after too many; %d calls approved, %d denied",
		t.kills, t.freezes, t.contacts, t.acknowledged, t.unanswered, t.tasks, t.rescues, t.given, t.approved, t.denied)
}

// run kills, lets everything finish, and checks what is there.
func (s *siege) run(kills int) (sum tally) {
	s.Helper()
	s.killWhileNew(min(3, kills/3))
	gate, ledger := newGate(), newLedger()
	load := startLoad(gate, ledger, s.seed, clients)
	defer load.finish(0)
	reader := startReader(gate, s.seed)
	defer reader.stop()
	for s.killed+s.frozen < kills {
		if s.moods.frozen > 0 && s.random.IntN(2) == 0 {
			s.freezeOnce(gate, ledger)
		} else {
			s.killOnce(gate, ledger)
		}
		s.look(ledger, always)
		if s.Failed() {
			return sum
		}
	}
	for n := range s.places {
		s.ensure(n)
		s.admit(gate, n)
	}
	last := s.hubs[0].waitUp()
	if !load.finish(patience) {
		s.Errorf("the clients do not come to an end\n%s", s.hubs[0].lastWords())
	}
	s.settle(last)
	if r := s.look(ledger, always); r != nil {
		reader.finish(last, len(r.events))
	}
	for n := range s.places {
		s.hubs[n].stop()
	}
	r := s.look(ledger, s.atRest)
	if r == nil {
		return sum
	}
	if problems := reader.compare(r); len(problems) > 0 {
		s.Errorf("whoever followed the record over all kills:\n%s", lines(problems))
	}
	sum = ledger.tally()
	sum.kills, sum.freezes, sum.tasks = s.killed, s.frozen, len(r.tasks)
	sum.given, sum.rescues = r.rescues()
	sum.approved, sum.denied = r.decisions()
	return sum
}

// atRest is the check of the same name after kills. A hub that was killed on a shared
// database stays registered until its lease has expired, which may be after
// everything else has finished.
func (s *siege) atRest(r *record) []string {
	r.workers = slices.DeleteFunc(r.workers, func(name string) bool {
		return slices.ContainsFunc(s.dead, func(pid int) bool { return strings.HasSuffix(name, fmt.Sprint(":", pid)) })
	})
	return atRest(r)
}

// ensure starts a hub if it does not run.
func (s *siege) ensure(n int) *hub {
	s.Helper()
	if s.hubs[n] == nil {
		s.hubs[n] = s.start(s.places[n])
	}
	return s.hubs[n]
}

// killWhileNew kills hubs that are just making their database.
func (s *siege) killWhileNew(times int) {
	for range times {
		n := s.random.IntN(len(s.places))
		s.moment(s.ensure(n).ended, s.moods.starting)
		s.kill(n)
	}
}

// killOnce runs hubs under load and kills one at a random moment. With several
// places the others mostly run, but not always.
func (s *siege) killOnce(gate *gate, ledger *ledger) {
	s.Helper()
	victim := s.random.IntN(len(s.places))
	early := s.hubs[victim] == nil && s.random.IntN(7) == 0
	for n := range s.places {
		if n == victim || s.random.IntN(3) > 0 {
			s.ensure(n)
		}
		if s.hubs[n] != nil && !(early && n == victim) {
			s.admit(gate, n)
		}
	}
	h := s.hubs[victim]
	switch {
	case early: // while it takes over what was left
		s.moment(h.ended, s.moods.starting)
	case s.random.IntN(2) == 0:
		s.moment(h.ended, s.moods.running)
	default:
		s.acknowledgements(h, ledger, 1+s.random.IntN(s.moods.acks))
	}
	s.kill(victim)
	gate.shut(victim)
	if s.besides != nil && s.random.IntN(8) == 0 {
		s.besides()
	}
}

// admit lets the clients in once a hub is up.
func (s *siege) admit(gate *gate, n int) {
	s.Helper()
	if c := s.hubs[n].waitUp(); !gate.has(n) {
		gate.open(n, c)
	}
}

func (s *siege) kill(n int) {
	s.Helper()
	h := s.hubs[n]
	if !h.alive() {
		s.Errorf("the hub ended by itself: %v\n%s", h.how(), h.lastWords())
	}
	h.kill()
	s.dead = append(s.dead, h.cmd.Process.Pid)
	s.hubs[n] = nil
	s.killed++
}

// moment waits for a random time, the only wait here that is not for something.
func (s *siege) moment(ended <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(time.Duration(s.random.Int64N(int64(most))))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ended:
	}
}

// acknowledgements waits for n of them, but not for long: all clients may be
// waiting for work that is only taken over later.
func (s *siege) acknowledgements(h *hub, l *ledger, n int) {
	enough := l.total() + n
	limit := time.NewTimer(2 * s.moods.running)
	defer limit.Stop()
	for l.total() < enough {
		select {
		case <-l.acked:
		case <-limit.C:
			return
		case <-h.ended:
			return
		}
	}
}

// look reads the database and holds it against the promises and against what
// the clients know.
func (s *siege) look(l *ledger, promises func(*record) []string) *record {
	s.Helper()
	before, decided := l.snapshot(), l.acknowledged()
	db, err := s.open()
	if err != nil {
		s.Errorf("the database cannot be read after %d kills: %v", s.killed, err)
		return nil
	}
	r, err := read(db)
	if err := errors.Join(err, db.close()); err != nil {
		s.Errorf("the database cannot be read after %d kills: %v", s.killed, err)
		return nil
	}
	problems := append(promises(r), compare(r, before, l.snapshot())...)
	problems = append(problems, compareDecisions(r, decided)...)
	if problems = append(problems, l.complaints()...); len(problems) > 0 {
		s.Errorf("after %d kills:\n%s", s.killed, lines(problems))
	}
	return r
}

// settle waits until no task is open.
func (g *ground) settle(c *client.Client) {
	g.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	stop := g.decideAll(ctx, c)
	defer stop()
	for {
		open, err := c.Tasks(ctx, client.TaskFilter{Open: true})
		if err == nil && len(open) == 0 {
			return
		}
		if err == nil {
			_, err = c.WaitTask(ctx, open[0].ID, 0)
		}
		if err != nil {
			g.Errorf("work is left that does not come to an end: %v: %s", err, describeTasks(c))
			return
		}
	}
}

func describeTasks(c *client.Client) string {
	open, err := c.Tasks(context.Background(), client.TaskFilter{Open: true, Limit: 5})
	if err != nil {
		return err.Error()
	}
	text := ""
	for _, t := range open {
		text += fmt.Sprintf("\n%s of %s is %s: %s (rescues %d, open children %d)", t.ID, t.Agent, t.State, t.Title, t.Rescues, t.Open)
	}
	return text
}
