package bridge_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/bridge"
)

var errHungUp = errors.New("the connection was lost")

// tooEarly is how a program puts off what it cannot say yet.
var tooEarly = &bridge.Failure{Reason: "it is too early", After: time.Millisecond}

// A part whose answer was lost may be in the chat, with words that are redacted before its
// outcome is known. It is found and taken away, whichever way the program knows.
func TestARedactedPartThatWasTriedIsTakenAway(t *testing.T) {
	ways := map[string]func(p *program, post bridge.Post) (bridge.Settled, error){
		"it is found":                   func(p *program, post bridge.Post) (bridge.Settled, error) { return p.found(post) },
		"its key makes no second one":   func(*program, bridge.Post) (bridge.Settled, error) { return bridge.Harmless, nil },
		"it is not known for some time": func(p *program, post bridge.Post) (bridge.Settled, error) { return p.found(post) },
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.link("Ada")
			redacted, early := false, 3
			w.chat.post = func(n int, p bridge.Post) (bool, error) {
				if p.Part == 2 && !redacted {
					return true, errHungUp
				}
				return true, nil
			}
			w.chat.settle = func(p bridge.Post) (bridge.Settled, error) {
				if !redacted || strings.Contains(name, "time") && early > 0 {
					early--
					return bridge.Unknown, tooEarly
				}
				return way(w.chat, p)
			}
			w.run()
			secret := strings.Repeat("The password is hunter2. ", 30)
			made := w.notify("Helper", "Ada", secret)
			w.chat.until("the second part", func() bool { return len(w.chat.all()) == 2 })
			w.redact(made.Message)
			w.chat.do(func() { redacted = true })
			w.chat.until("that it is taken away", func() bool { return w.chat.count("Ada", "hunter2") == 0 })
			w.notify("Helper", "Ada", "the next one")
			w.chat.find("Ada", "the next one")
			if all := w.chat.all(); len(all) != 2 || !strings.Contains(all[0].Text, "redacted") {
				t.Errorf("%+v", all)
			}
		})
	}
}

// One that the program cannot find is left, and nothing else waits for it.
func TestARedactedPartThatCannotBeFound(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	redacted := false
	w.chat.post = func(n int, p bridge.Post) (bool, error) {
		if p.Part == 2 && !redacted {
			return false, errHungUp
		}
		return true, nil
	}
	w.chat.settle = func(p bridge.Post) (bridge.Settled, error) {
		if !redacted {
			return bridge.Unknown, tooEarly
		}
		return bridge.Unknown, nil
	}
	w.run()
	made := w.notify("Helper", "Ada", strings.Repeat("The password is hunter2. ", 30))
	w.chat.until("the second try", func() bool { w.chat.mu.Lock(); defer w.chat.mu.Unlock(); return len(w.chat.asked) == 2 })
	w.redact(made.Message)
	w.chat.do(func() { redacted = true })
	w.notify("Helper", "Ada", "the next one")
	w.chat.find("Ada", "the next one")
	w.chat.until("that the first part says so", func() bool { return w.chat.count("Ada", "hunter2") == 0 })
}

// An approval is decided while nobody knows whether its post is there. If it is, it shows
// the decision in the end.
func TestAPostOfUnknownOutcomeIsBroughtUpToDate(t *testing.T) {
	for name, way := range map[string]func(p *program, post bridge.Post) (bridge.Settled, error){
		"it is found":                 func(p *program, post bridge.Post) (bridge.Settled, error) { return p.found(post) },
		"its key makes no second one": func(*program, bridge.Post) (bridge.Settled, error) { return bridge.Harmless, nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.link("Ada")
			w.chat.post = func(n int, p bridge.Post) (bool, error) {
				if n == 1 {
					return true, errHungUp
				}
				return true, nil
			}
			followed := false
			w.chat.settle = func(p bridge.Post) (bridge.Settled, error) {
				if !followed {
					return bridge.Unknown, tooEarly
				}
				return way(w.chat, p)
			}
			w.run()
			id := w.want("Trainee", "something")
			if post := w.chat.find("Ada", id.String()); len(post.Buttons) == 0 {
				t.Errorf("%+v", post)
			}
			if _, err := w.hub.Contacts.Approve(t.Context(), w.as("Rutger"), parley.ApprovalRef{ID: id}); err != nil {
				t.Fatal(err)
			}
			w.chat.until("that the change is noted", func() bool { next := w.next(); return len(next) == 1 && next[0].Stale > 0 })
			w.chat.do(func() { followed = true })
			if post := w.chat.find("Ada", "It was approved by Rutger."); len(post.Buttons) != 0 || w.chat.count("Ada", id.String()) != 1 {
				t.Errorf("%+v", w.chat.all())
			}
		})
	}
}

// A try whose outcome is not known stays in doubt, whatever the program says to later ones.
func TestADoubtStays(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	w.chat.post = func(n int, p bridge.Post) (bool, error) {
		switch n {
		case 1:
			return true, errHungUp
		case 2:
			return false, &bridge.Failure{Reason: "too many", After: time.Millisecond}
		}
		return true, nil
	}
	b, _ := w.run()
	w.notify("Helper", "Ada", "once")
	w.notify("Helper", "Ada", "the next one")
	w.chat.find("Ada", "the next one")
	w.chat.mu.Lock()
	equal(t, "may be there already", again(w.chat.asked), []bool{false, true, true, false})
	w.chat.mu.Unlock()
	if s, err := b.State(t.Context()); err != nil || s.Repeats == 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A program that cannot be asked what became of a post does not hold the others up: where
// it refuses to say, the post is tried as perhaps a repeat, and where it never answers, it is
// given up after a day.
func TestAnOutcomeThatNobodyTells(t *testing.T) {
	w := newWorld(t)
	w.link("Ada")
	w.chat.post = func(n int, p bridge.Post) (bool, error) {
		if strings.Contains(p.Text, "lost") && !p.Again {
			return false, errHungUp
		}
		return true, nil
	}
	var problem error = &bridge.Failure{Reason: "you may not look", Refused: true}
	w.chat.settle = func(p bridge.Post) (bridge.Settled, error) { return bridge.Unknown, problem }
	b, _ := w.run()
	w.notify("Helper", "Ada", "lost first")
	if post := w.chat.find("Ada", "lost first"); !post.Again {
		t.Errorf("%+v", post)
	}
	w.chat.do(func() { problem = errHungUp })
	w.notify("Helper", "Ada", "lost for ever")
	w.notify("Helper", "Ada", "the next one")
	w.chat.until("the try", func() bool {
		w.chat.mu.Lock()
		defer w.chat.mu.Unlock()
		return strings.Contains(w.chat.asked[len(w.chat.asked)-1].Text, "for ever")
	})
	w.ahead.Store(int64(25 * time.Hour))
	w.chat.find("Ada", "the next one")
	if s, err := b.State(t.Context()); err != nil || s.GivenUp != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// No post of another database has the same key, so that a bot that is used again does not
// take an old post for its own.
func TestKeysBelongToTheDatabase(t *testing.T) {
	seen := map[string]bool{}
	for range 2 {
		w := newWorld(t)
		w.link("Ada")
		w.chat.post = func(n int, p bridge.Post) (bool, error) {
			if n == 1 {
				return false, errHungUp
			}
			return true, nil
		}
		w.run()
		w.notify("Helper", "Ada", "Hello.")
		w.chat.find("Ada", "Hello.")
		w.chat.mu.Lock()
		first, second := w.chat.asked[0].Key, w.chat.asked[1].Key
		w.chat.mu.Unlock()
		if first != second || seen[first] || !regexp.MustCompile(`^[A-Za-z0-9]{10,25}$`).MatchString(first) {
			t.Errorf("%q, then %q", first, second)
		}
		seen[first] = true
	}
}

// A hub whose lease has run out, and that nobody followed, goes on with everything.
func TestALeaseThatRanOutIsTakenAgain(t *testing.T) {
	w := newWorld(t)
	w.store = joint{w.store}
	w.timing.Lease = 3 * time.Second // it is renewed after a second
	w.link("Ada")
	w.run()
	w.notify("Helper", "Ada", "before")
	w.chat.find("Ada", "before")
	w.ahead.Store(int64(time.Hour)) // as if it had slept
	w.notify("Helper", "Ada", "after")
	w.chat.find("Ada", "after")
	w.chat.take(said("1", "@Ada", "Ada", "/pause"))
	w.chat.find("Ada", "The team is paused")
	if n := w.chat.count("Ada", "after"); n != 1 {
		t.Errorf("posted %d times", n)
	}
}

// Of two hubs one has the connection. When it stops, the other goes on at once.
func TestOneHubHasTheConnection(t *testing.T) {
	w := newWorld(t)
	w.store = joint{w.store}
	w.timing.Lease = time.Second
	w.link("Ada")
	first, stop := w.run()
	other := *w
	other.chat = newProgram(t)
	other.during(other.bridge().Run)
	w.notify("Helper", "Ada", "one")
	w.chat.find("Ada", "one")
	if n := len(other.chat.all()); n != 0 {
		t.Errorf("the other has posted %d", n)
	}
	if s, err := first.State(t.Context()); err != nil || !s.Held {
		t.Errorf("%+v, %v", s, err)
	}
	stop()
	w.notify("Helper", "Ada", "two")
	other.chat.find("Ada", "two")
	if len(w.chat.all()) != 1 || len(other.chat.all()) != 1 {
		t.Errorf("%+v and %+v", w.chat.all(), other.chat.all())
	}
}
