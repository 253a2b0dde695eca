package notify_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/pgtest"
	"parley/internal/store"
	"parley/internal/store/postgres"
)

// twoHubs are two hubs with the same team on one database.
func twoHubs(t *testing.T) (*world, *world) {
	t.Helper()
	dsn := pgtest.DSN(t)
	open := func() store.Store {
		st, err := postgres.Open(t.Context(), dsn, postgres.Options{MaxConns: 4})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	return joinWorld(t, open()), joinWorld(t, open())
}

// Of two hubs on one database each telling is one hub's, in the order of the record.
func TestTwoHubsTellOnce(t *testing.T) {
	one, two := twoHubs(t)
	rec := newReceiver(t, nil)
	timing := quick
	timing.Lease = 5 * time.Minute // nobody takes anything over here, however slow the machine is
	for _, w := range []*world{one, two} {
		w.run(w.teller(timing, rec.target()))
	}
	const messages = 30
	ended := make(chan struct{}, 2)
	for i, w := range []*world{one, two} {
		go func() {
			for n := range messages {
				w.mail("Bot", "Ada", fmt.Sprintf("%d from %d", n, i))
			}
			ended <- struct{}{}
		}()
	}
	<-ended
	<-ended
	one.mail("Bot", "Ada", "the end")
	counts := map[string]int{}
	for _, text := range rec.texts() {
		counts[text]++
	}
	if len(counts) != 2*messages+1 {
		t.Errorf("%d of %d were told", len(counts), 2*messages+1)
	}
	for text, n := range counts {
		if n != 1 {
			t.Errorf("%q was told %d times", text, n)
		}
	}
}

// When a hub dies while it tells, another one takes over after the lease, with the same
// id. The dead one's answer comes too late and changes nothing.
func TestAnotherHubTakesOver(t *testing.T) {
	one, two := twoHubs(t)
	die := make(chan struct{})
	var told atomic.Bool
	rec := newReceiver(t, func(_ http.ResponseWriter, _ *http.Request, _ post) {
		if !told.Swap(true) {
			<-die
		}
	})
	short := quick
	short.Lease = time.Second
	dead := one.run(one.teller(short, rec.target()))
	one.mail("Bot", "Ada", "one")
	lost := <-rec.got
	two.run(two.teller(quick, rec.target()))
	if again := <-rec.got; again.ID != lost.ID {
		t.Errorf("%s, then %s", lost.body, again.body)
	}
	close(die)
	dead()
	two.mail("Bot", "Ada", "the end")
	if got := rec.texts(); len(got) != 1 {
		t.Errorf("then %q", got)
	}
}
