package rules

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/contact"
	"parley/internal/store/sqlite"
)

// machine drives a real hub on a real database and the world beside it, one
// stage after the other: the test does something, the hub comes to rest, the
// world follows, and the two are compared.
type machine struct {
	*rapid.T
	path  string
	fault fault
	world *world
	minds *minds

	db     *sqlite.Store // nil while no hub is up
	life   *life         // the hub that is up
	ghosts []*life       // hubs that were taken for dead
	lives  []*life       // all there ever were
	asks   []*personAsk
	sent   []*call // contacts of people, which may be repeated
	names  int     // of contacts and replies
	log    []string
	traced bool // the log tells what is stored, too

	haunted bool         // hubs fall asleep and are taken over all the time
	awoken  atomic.Int64 // what they were at and went on with when they woke
}

// personAsk is a person who waits for an answer.
type personAsk struct {
	*call
	done   bool
	answer contact.Response
	err    error
}

func newMachine(t *rapid.T, path string, f fault) *machine {
	w := &world{dms: map[pair]*thread{}, resumed: map[*agent]int{}}
	w.places = rapid.SampledFrom([]int{plenty, plenty, 2, 1}).Draw(t, "places")
	w.agents = []*agent{
		{name: "Pat", person: true, limits: limits(8, 3, 3)},
		{name: "Quinn", person: true, limits: limits(8, 3, 3)},
		{name: "Ann", limits: limits(2, 1, 2)},
		{name: "Bob", limits: limits(1, 2, 1)},
		{name: "Cid", limits: limits(3, 2, 2)},
		{name: "Dee", limits: limits(8, 3, 1)},
	}
	return &machine{T: t, path: path, fault: f, world: w, minds: &minds{}}
}

// limits are small, so that a short run reaches them.
func limits(turns, asks, delegations int) parley.Limits {
	l := parley.DefaultLimits()
	l.Turns, l.AskDepth, l.DelegationDepth, l.Rate, l.Burst, l.Steps, l.Rescues = turns, asks, delegations, 6, 8, 4, 2
	l.AskTimeout, l.DelegationDeadline = 20*time.Second, 10*time.Minute
	l.Daily = parley.Budget{Tokens: 1 << 40} // so that every step reserves
	return l
}

// stage is one thing that happens: do it, let the hub come to rest, let the
// world follow, compare.
func (m *machine) stage(what string, do, follow func()) {
	m.Helper()
	align()
	m.log = append(m.log, time.Now().Format("15:04:05.000000 ")+what)
	w := m.world
	w.begins(micros(time.Now()))
	do()
	rest()
	if err := w.seen.look(micros(time.Now())); err != nil {
		m.Fatalf("%s: %v", what, err)
	}
	if m.traced {
		m.log = append(m.log, w.seen.digest())
	}
	w.now = micros(time.Now())
	w.cut = m.life != nil && m.life.isDead()
	w.reads = m.minds.reading(m.life)
	follow()
	w.settle()
	for _, th := range m.minds.take() {
		w.shows(th)
	}
	if w.cut {
		w.dies()
		w.excuse()
	}
	if err := w.compare(); err != nil {
		m.Fatalf("after %s: %v", what, err)
	}
	m.watch()
	m.checkAsks(what)
	m.checkStatus(what)
}

// align waits for the next whole microsecond, so that the small delays of the turns
// within it do not add up.
func align() {
	if over := within(); over > 0 {
		wait(time.Microsecond - over)
	}
	synctest.Wait() // what is due at this very moment comes first
}

// within is how far the present microsecond has come.
func within() time.Duration { return time.Duration(time.Now().Nanosecond()) % time.Microsecond }

// rest lets the hub come to rest. Turns continue at slightly different moments within
// the same stored microsecond (see apart).
func rest() {
	wait(mostApart - within())
	synctest.Wait()
}

// recheck compares everything once more.
func (m *machine) recheck() {
	err := m.world.seen.recheck(micros(time.Now()))
	if err == nil {
		err = m.world.compare()
	}
	if err != nil {
		m.Fatalf("in the end: %v", err)
	}
}

// finish ends whatever is left, so that nothing outlives the run. Time passes
// until the last goroutine is gone.
func (m *machine) finish() {
	if m.life != nil {
		m.end(m.life)
	}
	for _, l := range m.ghosts {
		m.end(l)
	}
	for _, l := range m.lives {
		if l.stop != nil {
			<-l.ran
		}
	}
	synctest.Wait()
	if m.db != nil {
		_ = m.db.Close()
	}
	if m.world.seen != nil {
		_ = m.world.seen.close()
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-hub"} {
		_ = os.Remove(m.path + suffix)
	}
}

// Fatalf says what went wrong, after what, and what the world looks like: where
// several things happen at once, the next run may take another course.
func (m *machine) Fatalf(format string, args ...any) {
	m.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, format, args...)
	fmt.Fprintf(&b, "\n%d places\n%s\n", m.world.places, strings.Join(m.log, "\n"))
	for _, t := range m.world.tasks {
		fmt.Fprintln(&b, t)
	}
	m.T.Fatalf("%s", b.String())
}

func (m *machine) name(kind string) string {
	m.names++
	return fmt.Sprintf("%s-%d", kind, m.names)
}
