package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/config"
	"parley/internal/policy"
)

// Agents share their rules exactly if these are the same.
func TestMembersShareTheSameRules(t *testing.T) {
	plain := config.Agent{Mode: "write", Behavior: "autonomous", Profile: config.Profile{Preset: policy.DefaultPreset}}
	with := func(change func(*config.Agent)) *config.Agent {
		a := plain
		change(&a)
		return &a
	}
	agents := []*config.Agent{
		&plain,
		with(func(a *config.Agent) { a.Manager = "Ann" }),
		with(func(a *config.Agent) { a.Mode = "read" }),
		with(func(a *config.Agent) { a.Behavior = "strict" }),
		with(func(a *config.Agent) { a.Profile.Preset = "guarded" }),
		with(func(a *config.Agent) { a.CanInvoke = []string{} }),
		with(func(a *config.Agent) { a.Contacts = []config.ContactRule{{Deny: true, Name: "Ben"}} }),
		with(func(a *config.Agent) { a.Profile.Own = &policy.Patterns{Deny: []string{"tool:shell:.*"}} }),
	}
	shared := newAlike()
	for range 2 {
		for i, a := range agents {
			got, err := shared.rulesOf(a)
			if err != nil {
				t.Fatal(err)
			}
			want, err := a.Rules()
			if err != nil {
				t.Fatal(err)
			}
			got, want = new(*got), new(*want)
			if a.Profile.Own == nil && got.Profile != want.Profile { // a preset is there once
				t.Errorf("%d: the profile is another one", i)
			}
			got.Profile, want.Profile = nil, nil
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%d (-alone +shared):\n%s", i, d)
			}
		}
	}
	first, _ := shared.rulesOf(&plain)
	if again, _ := shared.rulesOf(with(func(a *config.Agent) { a.Name = "other" })); again != first {
		t.Error("the same rules are there twice")
	}
}
