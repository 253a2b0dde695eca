package policy_test

import (
	"testing"

	"parley"
	"parley/internal/policy"
)

// TestMayApprove is the table of who may decide about whose wishes.
func TestMayApprove(t *testing.T) {
	party := func(name string, kind parley.AgentKind, manager string) policy.Party {
		return policy.Party{Name: name, Key: name, Kind: kind, Rules: &policy.Rules{Manager: manager}}
	}
	ann := party("ann", parley.Native, "boss")
	for _, c := range []struct {
		name  string
		who   policy.Party
		wants policy.Party
		may   bool
	}{
		{"a person", party("pat", parley.Person, ""), ann, true},
		{"a person who is its report", party("pat", parley.Person, "ann"), ann, true},
		{"a person, of what a person wants", party("pat", parley.Person, ""), party("quinn", parley.Person, ""), true},
		{"a person, of what they want themselves", party("pat", parley.Person, ""), party("pat", parley.Person, ""), false},
		{"its manager", party("boss", parley.Native, ""), ann, true},
		{"its manager, a program", party("boss", parley.Client, ""), ann, true},
		{"its manager, whose rules are not here", policy.Party{Name: "boss", Key: "boss", Kind: parley.Native}, ann, true},
		{"its manager's manager", party("chief", parley.Native, ""), ann, false},
		{"its report", party("report", parley.Native, "ann"), ann, false},
		{"one with the same manager", party("peer", parley.Native, "boss"), ann, false},
		{"itself", ann, ann, false},
		{"itself, its own manager by mistake", party("ann", parley.Native, "ann"), party("ann", parley.Native, "ann"), false},
		{"anybody, of one without a manager", party("boss", parley.Native, ""), party("bob", parley.Native, ""), false},
		{"anybody, of one without rules", party("boss", parley.Native, ""), policy.Party{Name: "bob", Key: "bob", Kind: parley.Native}, false},
		{"nobody, of one without a manager", policy.Party{Kind: parley.Native}, party("bob", parley.Native, ""), false},
		{"nobody, though a person", policy.Party{Kind: parley.Person}, ann, false},
	} {
		if got := policy.MayApprove(&c.who, &c.wants, false); got != c.may {
			t.Errorf("%s: %v", c.name, got)
		}
		if got := policy.MayApprove(&c.who, &c.wants, true); got != (c.may && c.who.Kind == parley.Person) {
			t.Errorf("%s, of what only people decide: %v", c.name, got)
		}
	}
}
