package policy_test

import (
	"testing"

	"parley"
	"parley/internal/policy"
)

func TestAPostCostsWhatItStarts(t *testing.T) {
	limits := parley.DefaultLimits()
	last := 19 * limits.Interval()
	agent := parley.Agent{ID: 1, Kind: parley.Native, Rate: parley.Rate{At: 2, Debt: last}}
	c := policy.Contact{Now: 2, Steady: 2, Sender: agent, Target: parley.Agent{ID: 2, SleepingUntil: 9}, Limits: limits,
		Task: parley.Task{ID: 7, AskDepth: 2, DelegationDepth: 4}}
	for turns, fits := range map[int]bool{0: true, 1: true, 2: false} {
		rate, err := policy.DecidePost(c, turns)
		if (err == nil) != fits || fits && rate.Debt != last+limits.Interval() || !fits && err.Kind != parley.Limited {
			t.Errorf("%d turns: %+v, %v", turns, rate, err)
		}
	}
	d, err := policy.DecideMention(c)
	if d.AskDepth != 0 || d.DelegationDepth != 5 || d.Due != 9 || d.Wakes || d.Rate != agent.Rate || err != nil {
		t.Errorf("%+v, %v", d, err)
	}
	c.Approved = true
	if _, err := policy.DecidePost(c, 5); err != nil {
		t.Errorf("approved: %v", err)
	}
	c.Approved, c.Sender.Rate = false, parley.Rate{}
	if rate, err := policy.DecidePost(c, 100); err != nil || rate.Debt != 20*limits.Interval() {
		t.Errorf("more than a full bucket holds: %+v, %v", rate, err)
	}
	c.Task.DelegationDepth = limits.DelegationDepth
	if _, err := policy.DecideMention(c); err == nil || err.Kind != parley.Limited {
		t.Errorf("too deep: %v", err)
	}
	c.Sender.Kind = parley.Person
	if d, err := policy.DecideMention(c); d.DelegationDepth != 0 || err != nil {
		t.Errorf("a person's: %+v, %v", d, err)
	}
}

// The presets know channels by their actions.
func TestChannelsAndProfiles(t *testing.T) {
	for name, want := range map[string][2]policy.Verdict{
		"open":     {policy.Allow, policy.Allow},
		"standard": {policy.Allow, policy.Allow},
		"guarded":  {policy.NeedsApproval, policy.Allow},
		"locked":   {policy.Deny, policy.Deny},
	} {
		profile, err := policy.NewProfile(name, policy.Patterns{})
		if err != nil {
			t.Fatal(err)
		}
		who := policy.Party{Name: "A", Key: "a", Kind: parley.Native, Rules: &policy.Rules{Profile: profile}}
		got := [2]policy.Verdict{policy.Authorize(&who, policy.PostIn("room")).Verdict, policy.Authorize(&who, policy.ReadIn("room")).Verdict}
		if got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
