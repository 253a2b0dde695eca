package wake_test

import (
	"sync"
	"testing"

	"parley/internal/wake"
)

func poked(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

func TestAWatchHearsItsOwnSignalOnly(t *testing.T) {
	for _, c := range []struct {
		name      string
		published wake.Signal
		hears     bool
	}{
		{"the same", wake.Signal{Topic: wake.Ended, ID: 7}, true},
		{"another id", wake.Signal{Topic: wake.Ended, ID: 8}, false},
		{"another topic", wake.Signal{Topic: wake.Work, ID: 7}, false},
		{"any id", wake.Signal{Topic: wake.Ended}, true},
		{"any id of another topic", wake.Signal{Topic: wake.Work}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var bus wake.Bus
			ch, stop := bus.Watch(wake.Signal{Topic: wake.Ended, ID: 7})
			defer stop()
			bus.Publish([]wake.Signal{c.published})
			if got := poked(ch); got != c.hears {
				t.Errorf("heard: %v", got)
			}
		})
	}
}

func TestSignalsNobodyHasTakenBecomeOne(t *testing.T) {
	var bus wake.Bus
	s := wake.Signal{Topic: wake.Ended, ID: 7}
	ch, stop := bus.Watch(s)
	defer stop()
	for range 3 { // and Publish never blocks
		bus.Publish([]wake.Signal{s, s})
	}
	if !poked(ch) || poked(ch) {
		t.Error("want exactly one")
	}
	bus.Publish([]wake.Signal{s})
	if !poked(ch) {
		t.Error("a later one is lost")
	}
}

func TestWatchesMadeTwiceEndEachForItself(t *testing.T) {
	var bus wake.Bus
	s := wake.Signal{Topic: wake.Work, ID: 1}
	first, stopFirst := bus.Watch(s)
	second, stopSecond := bus.Watch(s)
	stopFirst()
	stopFirst() // ending twice does no harm
	bus.Publish([]wake.Signal{s})
	if poked(first) || !poked(second) {
		t.Error("the wrong watch was ended")
	}
	stopSecond()
	bus.Publish([]wake.Signal{s})
	if poked(second) {
		t.Error("heard after the end")
	}
}

func TestListenersHearEverySignalOfTheirTopic(t *testing.T) {
	var bus wake.Bus
	var heard []int64
	stop := bus.Listen(wake.Work, func(id int64) { heard = append(heard, id) })
	bus.Publish([]wake.Signal{{Topic: wake.Work, ID: 1}, {Topic: wake.Ended, ID: 2}, {Topic: wake.Work, ID: 3}, {Topic: wake.Work}})
	stop()
	stop()
	bus.Publish([]wake.Signal{{Topic: wake.Work, ID: 4}})
	if want := []int64{1, 3, 0}; len(heard) != 3 || heard[0] != want[0] || heard[1] != want[1] || heard[2] != want[2] {
		t.Errorf("heard %v, want %v", heard, want)
	}
}

func TestAListenerMayUseTheBus(t *testing.T) {
	var bus wake.Bus
	s := wake.Signal{Topic: wake.Events, ID: 1}
	ch, stop := bus.Watch(s)
	defer stop()
	defer bus.Listen(wake.Work, func(int64) { bus.Publish([]wake.Signal{s}) })()
	bus.Publish([]wake.Signal{{Topic: wake.Work, ID: 9}})
	if !poked(ch) {
		t.Error("not heard")
	}
}

func TestEverythingIsEachTopicOnce(t *testing.T) {
	seen := map[wake.Topic]bool{}
	for _, s := range wake.Everything() {
		if s.ID != 0 || seen[s.Topic] {
			t.Errorf("unexpected %+v", s)
		}
		seen[s.Topic] = true
	}
	for _, topic := range []wake.Topic{wake.Work, wake.Ended, wake.Cancelled, wake.TaskInbox, wake.Events, wake.Clock} {
		if !seen[topic] {
			t.Errorf("topic %d is missing", topic)
		}
	}
}

func TestTheBusIsSafeForConcurrentUse(t *testing.T) {
	var bus wake.Bus
	var wg sync.WaitGroup
	for i := range int64(8) {
		wg.Go(func() {
			for range 100 {
				s := wake.Signal{Topic: wake.Ended, ID: i % 3}
				ch, stop := bus.Watch(s)
				end := bus.Listen(wake.Ended, func(int64) {})
				bus.Publish([]wake.Signal{s})
				<-ch
				end()
				stop()
			}
		})
	}
	wg.Wait()
}

// Everything leaves no topic out: a listener of a missing topic would never learn of
// a lost signal.
func TestEverythingIsEveryTopic(t *testing.T) {
	all := map[wake.Topic]bool{}
	for _, s := range wake.Everything() {
		if s.ID != 0 {
			t.Errorf("topic %d is for %d alone", s.Topic, s.ID)
		}
		all[s.Topic] = true
	}
	for _, topic := range []wake.Topic{wake.Work, wake.Ended, wake.Cancelled, wake.TaskInbox, wake.Events, wake.Clock, wake.Redacted, wake.Team} {
		if !all[topic] {
			t.Errorf("topic %d is missing", topic)
		}
	}
}
