package notify_test

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
)

// A hub that dies while it tells leaves it to the next one, under the same id. What it
// still notes comes too late.
func TestADeadHubsNoticeIsToldAgain(t *testing.T) {
	w := newWorld(t)
	die := make(chan struct{})
	var told atomic.Bool
	rec := newReceiver(t, func(_ http.ResponseWriter, _ *http.Request, _ post) {
		if !told.Swap(true) {
			<-die
		}
	})
	dead := w.run(w.teller(quick, rec.target()))
	w.mail("Bot", "Ada", "one")
	w.mail("Bot", "Ada", "the end")
	one := <-rec.got
	next := w.run(w.teller(quick, rec.target()))
	if again := <-rec.got; again.ID != one.ID {
		t.Errorf("%s, then %s", one.body, again.body)
	}
	if got := rec.texts(); len(got) != 1 {
		t.Errorf("then %q", got)
	}
	next()
	close(die)
	dead()
	w.mail("Bot", "Ada", "another end")
	w.run(w.teller(quick, rec.target()))
	if got := rec.texts(); !slices.Equal(got, []string{"another end"}) {
		t.Errorf("then %q", got)
	}
}

// A crash between two people does not tell the first one again.
func TestEachPersonIsToldOnce(t *testing.T) {
	w := newWorld(t)
	tries := 0
	rec := newReceiver(t, func(rw http.ResponseWriter, _ *http.Request, p post) {
		if p.Person == "Rutger" && tries < 2 {
			tries++
			rw.WriteHeader(http.StatusBadGateway)
		}
	})
	teller := w.teller(quick, rec.target())
	w.want("something")
	w.mail("Bot", "Ada", "the end")
	w.run(teller)
	var people []string
	for p := range rec.got {
		people = append(people, p.Person)
		if p.Kind == "mail" {
			break
		}
	}
	if !slices.Equal(people, []string{"Ada", "Rutger", "Rutger", "Rutger", "Ada"}) {
		t.Errorf("told: %q", people)
	}
}
