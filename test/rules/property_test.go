// Package rules compares the hub with a model of its rules.
//
// The model (world) is written from what the product promises, not from how it is
// built: tasks, inboxes, callbacks, deliveries, statuses, depth, rate and states,
// single-threaded and in memory. The test (machine) drives a real hub on a real
// database through random contacts, time-outs, cancels, retries, sleeps, stops,
// crashes and workers that lost their lease, lets the world follow, and compares the
// two after every step.
//
// Time is that of a bubble and models think only when the test says so, so that the
// hub comes to rest after each step. What several turns did at the same moment may be
// in any order, and a crash may have cut it short anywhere. There the world looks at
// what is stored, and the comparison shows whether that was allowed and happened
// completely.
//
// The world knows neither channels nor approvals. Mentions along a chain and rounds of
// delegations have small references of their own, beside a real hub (house).
//
//	go test ./test/rules -rapid.checks=1000     a long run
//	go test ./test/rules -rapid.seed=N          the run that failed, again
package rules

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMain sets the defaults of a short run: few, but long enough to get
// somewhere. The command line and rapid's own environment go before them.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"checks": "15", "steps": "50"} {
		if _, given := os.LookupEnv("RAPID_" + strings.ToUpper(name)); given {
			continue
		}
		if err := flag.Set("rapid."+name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func TestRules(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		rapid.SyncTest(rt, func(rt *rapid.T) { run(rt, filepath.Join(dir, fmt.Sprint(n)), fault{}) })
	})
}

// The same where hubs fall asleep all the time, others take over, and turns that
// have lost their lease come back.
func TestTurnsThatLostTheirLease(t *testing.T) {
	dir := t.TempDir()
	n, awoken := 0, int64(0)
	rapid.Check(t, func(rt *rapid.T) {
		n++
		rapid.SyncTest(rt, func(rt *rapid.T) {
			m := newMachine(rt, filepath.Join(dir, fmt.Sprint(n)), fault{})
			m.haunted = true
			m.run()
			awoken += m.awoken.Load()
		})
	})
	if awoken == 0 {
		t.Errorf("no turn ever came back: life.enter does not know them any more")
	}
}

// run is the property. It is called in a bubble with a time of its own.
func run(rt *rapid.T, path string, f fault) { newMachine(rt, path, f).run() }

func (m *machine) run() {
	defer m.finish()
	m.start(cut{})
	m.Repeat(map[string]func(*rapid.T){"step": func(*rapid.T) { m.act() }})
	m.recheck()
}
