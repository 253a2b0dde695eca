package rules

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/directory"
	"parley/internal/store"
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
}

// personAsk is a person who waits for an answer.
type personAsk struct {
	*call
	done   bool
	answer contact.Answer
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
	l.Turns, l.AskDepth, l.DelegationDepth, l.Rate, l.Steps, l.Rescues = turns, asks, delegations, 6, 4, 2
	l.AskTimeout, l.DelegationDeadline = 20*time.Second, 10*time.Minute
	return l
}

// stage is one thing that happens: do it, let the hub come to rest, let the
// world follow, compare.
func (m *machine) stage(what string, do, follow func()) {
	m.Helper()
	m.log = append(m.log, time.Now().Format("15:04:05.000000 ")+what)
	w := m.world
	w.begins(micros(time.Now()))
	do()
	synctest.Wait()
	if err := w.seen.look(micros(time.Now())); err != nil {
		m.Fatalf("%s: %v", what, err)
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

// open opens the database; for the first time with the fault that the run is
// to find.
func (m *machine) open() {
	db, err := sqlite.Open(m.path, sqlite.Options{Synchronous: "OFF", Readers: 1})
	if err != nil {
		m.Fatalf("%v", err)
	}
	m.db = db
	if m.world.seen != nil {
		return
	}
	if m.world.seen, err = openStored(m.path); err != nil {
		m.Fatalf("%v", err)
	}
	if err := m.fault.install(m.world.seen); err != nil {
		m.Fatalf("%v", err)
	}
}

// start brings a hub up in two stages: it takes over what is left of the one
// before, and then it takes work.
func (m *machine) start(c cut) {
	if m.db == nil {
		m.open()
	}
	l := m.newLife()
	m.life = l
	c.arm(l)
	m.stage("start", func() { m.join(l) }, func() { m.learn(); m.world.rescue() })
	if m.died() {
		return
	}
	m.stage("work", func() {
		ctx, stop := context.WithCancel(context.Background())
		l.stop = stop
		go func() { l.ran <- l.hub.Run(ctx) }()
	}, func() { m.world.claims, m.world.starting = true, true })
	m.world.starting = false
	if c.armed {
		m.kill()
	}
}

func (m *machine) newLife() *life {
	l := &life{Store: m.fault.wrap(m.path, m.db), ran: make(chan error, 1), ended: make(chan struct{})}
	l.patient = rapid.Bool().Draw(m.T, "patient")
	grace := hardly
	if l.patient {
		grace = 40 * time.Second
	}
	l.ctx, l.leave = context.WithCancel(context.Background())
	l.hear()
	l.hub = app.NewHub(app.HubConfig{Store: l, Log: slog.New(slog.DiscardHandler), Workers: m.world.places, Poll: time.Hour, Grace: grace})
	m.lives = append(m.lives, l)
	return l
}

// hardly is the time that an impatient stop gives.
const hardly = time.Microsecond

// join does what a program does before its hub works. Only death keeps it from
// succeeding.
func (m *machine) join(l *life) {
	roster := app.Roster{Team: parley.MainTeam}
	for _, a := range m.world.agents {
		member := app.Member{Name: a.name, Kind: parley.Native, Model: mind{m.minds, l}, Limits: a.limits}
		if a.person {
			member.Kind, member.Model = parley.Person, nil
		}
		roster.Members = append(roster.Members, member)
	}
	team, err := l.hub.Join(l.ctx, roster)
	if err == nil {
		l.team = team.ID
		err = l.hub.Start(l.ctx)
	}
	if err != nil && !l.isDead() {
		m.Fatalf("the hub does not start: %v", err)
	}
}

// learn takes the ids that the agents were given.
func (m *machine) learn() {
	for id, a := range m.world.seen.agents {
		m.world.agent(a.Name).id = id
	}
}

// died reports whether the hub was killed in this stage, and buries it.
func (m *machine) died() bool {
	if m.life == nil || !m.life.isDead() {
		return false
	}
	m.kill()
	return true
}

// kill ends a hub as kill -9 does: what it holds in memory is gone, and so is
// everybody who waits at its doors.
func (m *machine) kill() {
	m.world.excuse()
	for _, l := range append(m.ghosts, m.life) {
		m.end(l)
	}
	m.ghosts, m.life, m.asks = nil, nil, nil
	m.world.dies()
	synctest.Wait()
	if rapid.Bool().Draw(m.T, "reopen") { // else only the hub is another one, which is quicker
		m.closeStore()
	}
}

func (m *machine) end(l *life) {
	l.die()
	close(l.ended)
	l.leave()
	l.unhear()
	if l.stop != nil {
		l.stop()
	}
}

func (m *machine) closeStore() {
	if err := m.db.Close(); err != nil {
		m.Fatalf("closing the store: %v", err)
	}
	m.db = nil
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

// pass lets time go by, from one thing that happens by itself to the next.
func (m *machine) pass(d time.Duration, c cut) {
	target := time.Now().Add(d)
	if m.life != nil {
		c.arm(m.life)
	}
	for m.life != nil {
		next := m.world.next()
		if next == 0 || next.Time().After(target) {
			break
		}
		m.stage("time", func() { wait(time.Until(next.Time())) }, func() {})
		if m.died() {
			return
		}
	}
	if m.life == nil || d < pause {
		wait(time.Until(target))
		m.world.now = micros(time.Now())
		return
	}
	m.stage("time", func() { wait(time.Until(target)) }, func() {})
	m.endCut(c)
}

// wait lets the time of the bubble pass.
func wait(d time.Duration) {
	if d > 0 {
		<-time.After(d)
	}
}

// checkAsks holds what people got for an answer against what they should have.
func (m *machine) checkAsks(what string) {
	if m.world.cut {
		return
	}
	var still []*personAsk
	for _, p := range m.asks {
		t := p.made
		text, failed := answerText(t)
		var want *refusal
		switch {
		case !t.state.Open() && failed:
			want = refuse(parley.Failed, "%s", text)
		case !t.state.Open():
		case m.world.now >= t.waitUntil:
			want, text = refuse(parley.Timeout, "%s", timeoutText(t, p.at)).andHint(), ""
		case p.done:
			m.Fatalf("after %s: %s was answered %q, %v before its end", what, t.id, p.answer.Text, p.err)
		default:
			still = append(still, p)
			continue
		}
		if !p.done {
			m.Fatalf("after %s: nobody told the one who waits for %s", what, t.id)
		}
		if !want.is(p.err) || p.err == nil && p.answer.Text != text {
			m.Fatalf("after %s: the one who asked for %s got %q, %v; want %q, %v", what, t.id, p.answer.Text, p.err, text, want)
		}
	}
	m.asks = still
}

// checkStatus compares the agents as the hub lists them.
func (m *machine) checkStatus(what string) {
	if m.life == nil || m.life.isDead() {
		return
	}
	list, err := directory.List(context.Background(), m.life, m.life.hub.Directory, m.life.team)
	if err != nil {
		m.Fatalf("after %s: %v", what, err)
	}
	for _, got := range list {
		if want := m.world.status(m.world.agent(got.Name)); got.Status != want {
			m.Fatalf("after %s: %s is %s; want %s", what, got.Name, got.Status, want)
		}
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

var _ store.Store = (*life)(nil)
