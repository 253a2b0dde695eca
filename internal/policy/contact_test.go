package policy_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/policy"
)

const now = parley.Micros(1_000_000_000_000)

// contact is an allowed contact, which a test then changes.
func contact(p parley.Pattern) policy.Contact {
	return policy.Contact{
		Now: now, Steady: now, Pattern: p, Limits: parley.DefaultLimits(),
		Sender: parley.Agent{ID: 1, Name: "A", Kind: parley.Native},
		Target: parley.Agent{ID: 2, Name: "B", Kind: parley.Native},
	}
}

var patterns = []parley.Pattern{parley.Ask, parley.Delegate, parley.Notify}

func TestStatusTable(t *testing.T) {
	const until = now + 5
	for _, c := range []struct {
		name    string
		target  parley.Agent
		pattern parley.Pattern
		refused parley.Kind
		wakes   bool
		due     parley.Micros
	}{
		{"idle", parley.Agent{}, parley.Ask, "", false, 0},
		{"idle", parley.Agent{}, parley.Delegate, "", false, 0},
		{"idle", parley.Agent{}, parley.Notify, "", false, 0},
		{"sleeping", parley.Agent{SleepingUntil: until}, parley.Ask, "", true, 0},
		{"sleeping", parley.Agent{SleepingUntil: until}, parley.Delegate, "", false, until},
		{"sleeping", parley.Agent{SleepingUntil: until}, parley.Notify, "", false, 0},
		{"awake since now", parley.Agent{SleepingUntil: now}, parley.Ask, "", false, 0},
		{"awake since now", parley.Agent{SleepingUntil: now}, parley.Delegate, "", false, 0},
		{"offline", parley.Agent{Offline: true}, parley.Ask, parley.Unavailable, false, 0},
		{"offline", parley.Agent{Offline: true}, parley.Delegate, parley.Unavailable, false, 0},
		{"offline", parley.Agent{Offline: true}, parley.Notify, "", false, 0},
		{"offline and sleeping", parley.Agent{Offline: true, SleepingUntil: until}, parley.Ask, parley.Unavailable, false, 0},
		{"removed", parley.Agent{Removed: true}, parley.Ask, parley.Unavailable, false, 0},
		{"removed", parley.Agent{Removed: true}, parley.Delegate, parley.Unavailable, false, 0},
	} {
		t.Run(string(c.pattern)+" while "+c.name, func(t *testing.T) {
			in := contact(c.pattern)
			c.target.ID, c.target.Name = 2, "B"
			in.Target = c.target
			d, err := policy.Decide(in)
			if c.refused != "" {
				if err == nil || err.Kind != c.refused {
					t.Fatalf("refusal is %v, want %s", err, c.refused)
				}
				return
			}
			if err != nil || d.Wakes != c.wakes || d.Due != c.due {
				t.Errorf("%v, wakes %v, due %d", err, d.Wakes, d.Due)
			}
		})
	}
}

func TestDepth(t *testing.T) {
	type depth struct{ Ask, Delegation int }
	for _, c := range []struct {
		name    string
		pattern parley.Pattern
		kind    parley.AgentKind
		task    depth
		want    depth
		refusal string
	}{
		{"the first ask", parley.Ask, parley.Native, depth{0, 0}, depth{1, 0}, ""},
		{"the third", parley.Ask, parley.Native, depth{2, 4}, depth{3, 4}, ""},
		{"the fourth", parley.Ask, parley.Native, depth{3, 0}, depth{}, "Maximum agent communication depth (3) reached. Use 'delegate' for async to avoid nesting."},
		{"a delegation starts the asks anew", parley.Delegate, parley.Native, depth{3, 0}, depth{0, 1}, ""},
		{"the tenth delegation", parley.Delegate, parley.Native, depth{0, 9}, depth{0, 10}, ""},
		{"the eleventh", parley.Delegate, parley.Native, depth{0, 10}, depth{}, "Maximum delegation depth (10) reached."},
		{"an ask below ten delegations", parley.Ask, parley.Native, depth{0, 10}, depth{1, 10}, ""},
		{"a notification from the bottom", parley.Notify, parley.Native, depth{3, 10}, depth{3, 10}, ""},
		{"a person's does not count", parley.Ask, parley.Person, depth{3, 10}, depth{0, 0}, ""},
		{"nor does its delegation", parley.Delegate, parley.Person, depth{3, 10}, depth{0, 0}, ""},
		{"a client's counts", parley.Ask, parley.Client, depth{3, 0}, depth{}, "Maximum agent communication depth (3) reached. Use 'delegate' for async to avoid nesting."},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := contact(c.pattern)
			in.Sender.Kind = c.kind
			in.Task = parley.Task{ID: 9, AskDepth: c.task.Ask, DelegationDepth: c.task.Delegation}
			d, err := policy.Decide(in)
			if c.refusal != "" {
				if err == nil || err.Message != c.refusal || err.Kind != parley.Limited {
					t.Errorf("refusal is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, depth{d.AskDepth, d.DelegationDepth}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRate(t *testing.T) {
	const s = time.Second
	ago := func(d, debt time.Duration) parley.Rate { return parley.Rate{At: now.Add(-d), Debt: debt} }
	for _, c := range []struct {
		name    string
		kind    parley.AgentKind
		rate    parley.Rate
		want    parley.Rate
		refusal string
	}{
		{"the first", parley.Native, parley.Rate{}, ago(0, 6*s), ""},
		{"the second at once", parley.Native, ago(0, 6*s), ago(0, 12*s), ""},
		{"the last of the burst", parley.Native, ago(0, 114*s), ago(0, 120*s), ""},
		{"one more", parley.Native, ago(0, 120*s), parley.Rate{}, "rate limit reached (10 messages per minute). Try again in 6 seconds."},
		{"a moment before it has refilled", parley.Native, ago(6*s-time.Microsecond, 120*s), parley.Rate{}, "rate limit reached (10 messages per minute). Try again in 1 seconds."},
		{"when it has refilled by one", parley.Native, ago(6*s, 120*s), ago(0, 120*s), ""},
		{"long after", parley.Native, ago(time.Hour, 120*s), ago(0, 6*s), ""},
		{"a client", parley.Client, ago(0, 120*s), parley.Rate{}, "rate limit reached (10 messages per minute). Try again in 6 seconds."},
		{"a person", parley.Person, ago(0, 120*s), ago(0, 120*s), ""},
		{"the window of an older version", parley.Native, parley.Rate{At: now.Add(-s), Debt: 10 * time.Microsecond}, ago(0, 6*s), ""},
		{"by a hub whose clock is a little ahead", parley.Native, ago(-5*s, 120*s), parley.Rate{}, "rate limit reached (10 messages per minute). Try again in 6 seconds."},
		{"before the clock was set back by hours", parley.Native, ago(-2*time.Hour, 120*s), ago(0, 6*s), ""},
		{"before the clock was set back by a minute", parley.Native, ago(-time.Minute, 120*s), ago(0, 6*s), ""},
	} {
		for _, p := range patterns {
			t.Run(c.name+" "+string(p), func(t *testing.T) {
				in := contact(p)
				in.Now = now.Add(time.Hour) // stands still, and says nothing
				in.Sender.Kind, in.Sender.Rate = c.kind, c.rate
				d, err := policy.Decide(in)
				if c.refusal != "" {
					if err == nil || err.Message != c.refusal || err.Kind != parley.Limited {
						t.Errorf("refusal is %v", err)
					}
					return
				}
				if err != nil || d.Rate != c.want {
					t.Errorf("%v, rate %+v, want %+v", err, d.Rate, c.want)
				}
			})
		}
	}
}

// There are no window edges: in no minute are more contacts allowed than the burst
// and what flows back in it.
func TestNoMinuteHasMoreThanABurstAndAMinutesRefill(t *testing.T) {
	limits, sender := parley.DefaultLimits(), parley.Agent{Kind: parley.Native}
	var allowed []parley.Micros
	for at := now; at < now.Add(10*time.Minute); at = at.Add(700 * time.Millisecond) {
		rate, err := policy.Spend(at, sender, limits, 1)
		if err == nil {
			allowed, sender.Rate = append(allowed, at), rate
		}
	}
	for i, from := range allowed {
		n := 0
		for _, at := range allowed[i:] {
			if at.Since(from) < time.Minute {
				n++
			}
		}
		if n > limits.Bucket()+limits.Rate {
			t.Fatalf("%d contacts in a minute", n)
		}
	}
	if n := len(allowed); n < 119 || n > 121 { // the burst, and ten a minute
		t.Errorf("%d contacts in ten minutes", n)
	}
}

// What the rate refuses can be put off: each for as long as those before it need.
func TestReservedContactsComeOneAfterTheOther(t *testing.T) {
	limits, sender := parley.DefaultLimits(), parley.Agent{Kind: parley.Native}
	limits.Burst = 2
	var waits []time.Duration
	for range 4 {
		var wait time.Duration
		sender.Rate, wait = policy.Reserve(now, sender, limits)
		waits = append(waits, wait)
	}
	if diff := cmp.Diff([]time.Duration{0, 0, 6 * time.Second, 12 * time.Second}, waits); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := policy.Spend(now.Add(12*time.Second), sender, limits, 1); err == nil {
		t.Error("a later contact came before them")
	}
}

func TestOneselfIsRefusedFirst(t *testing.T) {
	for _, p := range patterns {
		in := contact(p)
		in.Target = in.Sender
		in.Target.Offline = true
		in.Sender.Rate = parley.Rate{At: now, Debt: time.Hour}
		if _, err := policy.Decide(in); err == nil || err.Message != "You cannot contact yourself." {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// The caller is first told what it can change most easily: the target, then the
// pattern; waiting comes last.
func TestOrderOfRefusals(t *testing.T) {
	in := contact(parley.Ask)
	in.Target.Offline = true
	in.Task.AskDepth = 3
	in.Sender.Rate = parley.Rate{At: now, Debt: 2 * time.Minute}
	for _, want := range []parley.Kind{parley.Unavailable, parley.Limited, parley.Limited} {
		_, err := policy.Decide(in)
		if err == nil || err.Kind != want {
			t.Fatalf("%v, want %s", err, want)
		}
		switch {
		case in.Target.Offline:
			in.Target.Offline = false
		case in.Task.AskDepth == 3:
			in.Task.AskDepth = 0
		default:
			in.Sender.Rate.Debt = 0
		}
	}
	if _, err := policy.Decide(in); err != nil {
		t.Error(err)
	}
}

func TestARefusedContactSpendsNothing(t *testing.T) {
	in := contact(parley.Ask)
	in.Task.AskDepth = 3
	in.Sender.Rate = parley.Rate{At: now, Debt: 4}
	if d, err := policy.Decide(in); err == nil || d.Rate.Debt > 4 {
		t.Errorf("%v, rate %+v", err, d.Rate)
	}
}
