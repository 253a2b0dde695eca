package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
)

// pairs are agents with dms, each of two of them.
type pairs struct {
	*testing.T
	*Store
	dsn    string
	agents []parley.Agent
}

func newPairs(t *testing.T, n int, o Options) *pairs {
	t.Helper()
	dsn := patient(t, pgtest.DSN(t))
	p := &pairs{T: t, Store: open(t, dsn, o), dsn: dsn}
	p.fill(n)
	return p
}

func (p *pairs) fill(n int) {
	p.Helper()
	p.agents = make([]parley.Agent, 2*n)
	if err := p.Update(p.Context(), func(tx *store.Tx) error {
		for i := range p.agents {
			p.agents[i] = parley.Agent{Team: 1, Name: fmt.Sprint(i), Kind: parley.Native}
			tx.InsertAgent(&p.agents[i])
		}
		for i := range n {
			if _, err := tx.EnsureDM(1, p.agents[2*i].ID, p.agents[2*i+1].ID); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		p.Fatal(err)
	}
}

// notify is a contact within a pair, as the product makes it.
func (p *pairs) notify(pair int) func(*store.Tx) error {
	return func(tx *store.Tx) error { return notify(tx, p.agents[2*pair], p.agents[2*pair+1]) }
}

// batch runs closures in one batch, in the order in which they are given.
func (p *pairs) batch(closures ...func(*store.Tx) error) []*member {
	b, waiting := batch{store: p.Store}, []*member{}
	for _, fn := range closures {
		waiting = append(waiting, &member{fn: fn, recent: &p.recent, ended: make(chan struct{})})
	}
	b.run(waiting)
	for _, m := range b.members {
		<-m.ended
	}
	return b.members
}

// stored checks that the messages of a pair are numbered without a gap, and that each
// was counted.
func (p *pairs) stored(pair, want int) {
	p.Helper()
	if err := p.View(p.Context(), func(tx *store.Tx) error {
		from, to := p.agents[2*pair].ID, p.agents[2*pair+1].ID
		sender, err := tx.Agent(from)
		if err != nil {
			return err
		}
		dm, err := tx.DM(from, to)
		if err != nil {
			return err
		}
		thread, err := tx.Thread(dm.Main)
		if err != nil {
			return err
		}
		list, err := tx.Back(thread.ID, thread.Last, 0, want+10)
		if err != nil {
			return err
		}
		numbers := []int{}
		for _, m := range slices.Backward(list) {
			numbers = append(numbers, m.N)
		}
		for i, n := range numbers {
			if n != i+1 {
				p.Errorf("pair %d: messages with the numbers %v", pair, numbers)
				break
			}
		}
		if debt := sender.Rate.Debt.Microseconds(); len(list) != want || thread.Count != want || debt != int64(want) {
			p.Errorf("pair %d: %d messages, a count of %d, %d drawn from the rate, want %d", pair, len(list), thread.Count, debt, want)
		}
		return nil
	}); err != nil {
		p.Error(err)
	}
}

// What several callers do is one transaction of two round trips.
func TestABatchIsOneTransaction(t *testing.T) {
	p := newPairs(t, 5, Options{})
	p.batch(p.notify(0)) // draws ids, and prepares nothing: one alone is no batch
	end := p.Count()
	closures := make([]func(*store.Tx) error, 5)
	for i := range closures {
		closures[i] = p.notify(i)
	}
	for i, m := range p.batch(closures...) {
		if m.alone || m.result != nil {
			t.Errorf("member %d: alone %v, %v", i, m.alone, m.result)
		}
	}
	counts := end()
	if counts.Updates != 1 || counts.UpdateTrips > 4 { // two more at most fetch ids
		t.Errorf("%d transactions with %d round trips", counts.Updates, counts.UpdateTrips)
	}
	for i := range closures {
		p.stored(i, 1)
	}
}

var errRefused = errors.New("refused")

// Whatever members do, those that can be are stored, those that refuse are told so, and
// the others have to run by themselves. The order in which they come changes nothing.
func TestMembersOfABatchAreIndependent(t *testing.T) {
	p := newPairs(t, 20, Options{})
	strange := func(then func(tx *store.Tx) error) func(int) func(*store.Tx) error {
		return func(pair int) func(*store.Tx) error {
			return func(tx *store.Tx) error {
				if err := p.notify(pair)(tx); err != nil {
					return err
				}
				return then(tx)
			}
		}
	}
	first := func(do func(*store.Tx) error) func(int) func(*store.Tx) error {
		return func(pair int) func(*store.Tx) error {
			return func(tx *store.Tx) error {
				if err := do(tx); err != nil {
					return err
				}
				return p.notify(pair)(tx)
			}
		}
	}
	kinds := []struct {
		name    string
		closure func(pair int) func(*store.Tx) error
		alone   bool
		says    string // the error
	}{
		{"plain", p.notify, false, ""},
		{"refuses at once", func(int) func(*store.Tx) error { return func(*store.Tx) error { return errRefused } }, false, "refused"},
		{"refuses after it has written", strange(func(*store.Tx) error { return errRefused }), false, "refused"},
		{"panics", strange(func(*store.Tx) error { panic("at the disco") }), false, "at the disco"},
		{"writes nothing", func(int) func(*store.Tx) error {
			return func(tx *store.Tx) error { _, err := tx.Agent(p.agents[0].ID); return err }
		}, false, ""},
		{"asks for nobody", first(func(tx *store.Tx) error {
			_, err := tx.ContactState(p.agents[0].ID, 99999, 0, "")
			return err
		}), false, "no such row"},
		{"writes something else", strange(func(tx *store.Tx) error { return token("other")(tx) }), true, ""},
		{"reads after it has written", strange(func(tx *store.Tx) error { _, err := tx.Agent(p.agents[0].ID); return err }), true, ""},
		{"hides why it ended", strange(func(tx *store.Tx) error { _, _ = tx.Agent(p.agents[0].ID); return errRefused }), true, ""},
		{"locks something else", first(func(tx *store.Tx) error { _, err := tx.LockAgent(p.agents[39].ID); return err }), true, ""},
		{"writes too much", strange(func(tx *store.Tx) error {
			tx.Record(parley.Event{Team: 1, Detail: strings.Repeat("x", maxBytes)})
			return nil
		}), true, ""},
		{"reads too often", first(func(tx *store.Tx) error {
			for range maxRounds {
				if _, err := tx.Agent(p.agents[0].ID); err != nil {
					return err
				}
			}
			return nil
		}), true, ""},
	}
	want := make([]int, len(kinds)+1)
	for seed := range 30 {
		order := rand.New(rand.NewPCG(uint64(seed), 0)).Perm(len(kinds) + 1)
		closures := make([]func(*store.Tx) error, len(order))
		for i, k := range order {
			if closures[i] = p.notify(k); k < len(kinds) {
				closures[i] = kinds[k].closure(k)
			}
		}
		for i, m := range p.batch(closures...) {
			k := order[i]
			if k == len(kinds) {
				k = 0 // one more that is plain
			}
			said := fmt.Sprint(m.result)
			if m.alone != kinds[k].alone || (m.result == nil) != (kinds[k].says == "") || !strings.Contains(said, kinds[k].says) {
				t.Errorf("order %d, %s: alone %v, %v", seed, kinds[k].name, m.alone, m.result)
			}
		}
		want[0]++
		want[len(kinds)]++
	}
	for pair, n := range want {
		p.stored(pair, n)
	}
	if n := tokens(t, connect(t, p.dsn), "other"); n != 0 {
		t.Error("something of a member was stored that was sent away")
	}
}

// Two members that change the same row do not see each other, so the second has to come
// after the first.
func TestOfTwoMembersWithOneRowTheSecondRunsByItself(t *testing.T) {
	p := newPairs(t, 2, Options{})
	list := p.batch(p.notify(0), p.notify(0), p.notify(1))
	if list[0].alone || !list[1].alone || list[2].alone {
		t.Errorf("alone: %v, %v, %v", list[0].alone, list[1].alone, list[2].alone)
	}
	p.stored(0, 1)
	p.stored(1, 1)
}

// A batch does not wait for a row that another transaction holds.
func TestARowThatIsHeldIsLeftToOneByItself(t *testing.T) {
	for _, table := range []string{`rate WHERE agent_id = $1`, `thread WHERE id = (SELECT main_thread FROM channel WHERE a_id = $1)`} {
		p := newPairs(t, 2, Options{})
		c := connect(t, p.dsn)
		exec(t, c, `SET search_path = parley; BEGIN`)
		number(t, c, `SELECT 1 FROM `+table+` FOR UPDATE`, int64(p.agents[0].ID))
		list := p.batch(p.notify(0), p.notify(1))
		if !list[0].alone || list[1].alone {
			t.Errorf("%s: alone: %v, %v", table, list[0].alone, list[1].alone)
		}
		exec(t, c, `ROLLBACK`)
		p.stored(0, 0)
		p.stored(1, 1)
	}
}

// If the batch cannot be stored, nothing of it is, and each runs by itself: the one that is
// to blame is told so, and the others are stored.
func TestABatchThatFailsIsRunOneByOne(t *testing.T) {
	p := newPairs(t, 3, Options{Crowd: -1})
	exec(t, connect(t, p.dsn), `SET search_path = parley;
		CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF NEW.actor_id = `+fmt.Sprint(p.agents[0].ID)+` THEN RAISE EXCEPTION 'not this one'; END IF; RETURN NEW; END $$;
		CREATE TRIGGER fail BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION fail();`)
	for i, m := range p.batch(p.notify(0), p.notify(1), p.notify(2)) {
		if !m.alone || m.result != nil {
			t.Errorf("member %d: alone %v, %v", i, m.alone, m.result)
		}
	}
	for i := range 3 {
		p.stored(i, 0)
		err := p.Update(store.Gathered(t.Context()), p.notify(i))
		if (err != nil) != (i == 0) {
			t.Errorf("%d by itself: %v", i, err)
		}
	}
	p.stored(0, 0)
	p.stored(1, 1)
	p.stored(2, 1)
}

// If a read fails, all members run by themselves, wherever they are in their closures.
func TestABatchWhoseReadFailsLetsEverybodyGo(t *testing.T) {
	p := newPairs(t, 3, Options{})
	c := connect(t, p.dsn)
	look := func(tx *store.Tx) error { _, err := tx.Agent(p.agents[0].ID); return err }
	closures := []func(*store.Tx) error{
		p.notify(0), // has ended when it happens
		func(tx *store.Tx) error { // waits for its second read
			if err := look(tx); err != nil {
				return err
			}
			exec(t, c, terminateOthers)
			return p.notify(1)(tx)
		},
		func(tx *store.Tx) error { // and this one does not want to know
			_, _ = look(tx), look(tx)
			return p.notify(2)(tx)
		},
		func(*store.Tx) error { return errRefused },
	}
	for first := range closures {
		order := slices.Concat(closures[first:], closures[:first])
		for i, m := range p.batch(order...) {
			if !m.alone || m.result != nil {
				t.Errorf("from %d on, member %d: alone %v, %v", first, i, m.alone, m.result)
			}
		}
	}
	for pair := range 3 {
		p.stored(pair, 0)
	}
}

// Who panics over a row does so by itself, and the connection is not used again.
func TestAPanicOverARowEndsNoLane(t *testing.T) {
	p := newPairs(t, 2, Options{})
	b, list := batch{store: p.Store}, []*member{}
	for range 3 {
		list = append(list, &member{fn: p.notify(0), recent: &p.recent, ended: make(chan struct{})})
	}
	list[1].fn = func(*store.Tx) error {
		return list[1].Query(store.Query{SQL: `SELECT id FROM agent WHERE id = $1`, Args: []any{int64(p.agents[0].ID)},
			Row: func(store.Row) { panic("at the row") }})
	}
	b.run(list)
	for i, m := range list {
		if <-m.ended; !m.alone || m.result != nil {
			t.Errorf("member %d: alone %v, %v", i, m.alone, m.result)
		}
	}
	p.stored(0, 0)
	for _, m := range p.batch(p.notify(0), p.notify(1)) {
		if m.alone || m.result != nil {
			t.Errorf("afterwards: alone %v, %v", m.alone, m.result)
		}
	}
	p.stored(0, 1)
}

// Nobody knows whether an unanswered COMMIT took effect, so no member runs again.
func TestALostCommitOfABatchIsUnknownToAll(t *testing.T) {
	u := database(t)
	direct := &pairs{T: t, Store: open(t, u.String(), Options{}), dsn: u.String()}
	direct.fill(2)
	proxy := newProxy(t, u)
	p := &pairs{T: t, Store: open(t, proxy.dsn, Options{}), agents: direct.agents}
	runs := 0
	list := p.batch(p.notify(0), func(tx *store.Tx) error {
		runs++
		err := p.notify(1)(tx)
		proxy.swallowReplies()
		return err
	})
	for i, m := range list {
		if m.alone || parley.KindOf(m.result) != parley.Unavailable || !strings.Contains(parley.Public(m.result), "unknown") {
			t.Errorf("member %d: alone %v, %v", i, m.alone, m.result)
		}
	}
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
	direct.stored(0, 1) // it was stored; the test is what it says
	direct.stored(1, 1)
}

// Whoever gives up before a batch has taken its closure is told so, and it never runs.
func TestWhoeverGivesUpInTimeDoesNotRun(t *testing.T) {
	p := newPairs(t, 1, Options{Crowd: -1})
	p.lanes.running = laneCount // nobody takes what waits
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- p.Update(store.Gathered(ctx), p.notify(0)) }()
	for waiting := 0; waiting == 0; runtime.Gosched() {
		p.lanes.mu.Lock()
		waiting = len(p.lanes.waiting)
		p.lanes.mu.Unlock()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	p.runLane()
	p.stored(0, 0)
}

// The same where a batch waits for a connection.
func TestWhoeverGivesUpBeforeThereIsAConnectionDoesNotRun(t *testing.T) {
	p := newPairs(t, 1, Options{Crowd: -1, MaxConns: 1})
	held, err := p.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Update(store.Gathered(ctx), p.notify(0)) }()
	for taken := false; !taken; runtime.Gosched() {
		p.lanes.mu.Lock()
		taken = p.lanes.running == 1 && len(p.lanes.waiting) == 0
		p.lanes.mu.Unlock()
	}
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for the connection")
	}
	held.Release()
	p.stored(0, 0)
}

// Many callers at once: some are refused, some give up, some collide. Every contact is
// stored once or not at all, as its caller was told.
func TestManyCallersAreToldWhatWasStored(t *testing.T) {
	const callers, each, n = 24, 25, 4
	p := newPairs(t, n, Options{Crowd: -1})
	var stored [n]atomic.Int64
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(caller), 1))
			for range each {
				pair, how := r.IntN(n), r.IntN(5)
				ctx, cancel := context.WithCancel(store.Gathered(t.Context()))
				if how == 0 {
					go cancel()
				}
				err := p.Update(ctx, func(tx *store.Tx) error {
					if err := p.notify(pair)(tx); err != nil {
						return err
					}
					switch how {
					case 1:
						return errRefused
					case 2:
						return token(fmt.Sprint(caller, r.Uint64()))(tx)
					}
					return nil
				})
				cancel()
				switch {
				case err == nil:
					stored[pair].Add(1)
				case how == 0 && errors.Is(err, context.Canceled), how == 1 && errors.Is(err, errRefused):
				default:
					t.Errorf("%d: %v", how, err)
				}
			}
		})
	}
	all.Wait()
	for pair := range n {
		p.stored(pair, int(stored[pair].Load()))
	}
}
