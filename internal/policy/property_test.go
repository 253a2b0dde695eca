package policy_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/policy"
)

var names = []string{"A", "Bob", "Carol", "Data Analyst", "Ada"}

var texts = []string{`tool:.*`, `tool:agent_comm:.*`, `tool:agent_comm:send Bob`, `tool:agent_comm:send (Carol|Bob)`,
	`tool:shell:.*`, `tool:file_write:.*`, `nothing`}

var actions = []string{"tool:agent_comm:list", "tool:task:await task-1", "tool:task:cancel task-1", "tool:self:sleep",
	"tool:file_read:x", "tool:file_write:x", "tool:shell:ls", "tool:moon:land", "tool:agent_comm:send Bob"}

// written is what a file says about an agent, literally. The property below checks
// against this, not against the rules made from it.
type written struct {
	manager   string
	canInvoke []string
	invokes   bool // there is a list
	deny      []string
	allow     []string
	approval  []string
	preset    string
	own       policy.Patterns
	behavior  policy.Behavior
	readOnly  bool
}

func drawWritten(t *rapid.T, who string) written {
	list := func(from []string, label string) []string {
		return rapid.SliceOfN(rapid.SampledFrom(from), 0, 3).Draw(t, who+" "+label)
	}
	targets := append([]string{policy.Everyone}, names...)
	return written{
		manager:   rapid.SampledFrom(append([]string{"", ""}, names...)).Draw(t, who+" manager"),
		invokes:   rapid.Bool().Draw(t, who+" has can_invoke"),
		canInvoke: list(names, "can_invoke"),
		deny:      list(targets, "deny"),
		allow:     list(targets, "allow"),
		approval:  list(targets, "approval"),
		preset:    rapid.SampledFrom(policy.Presets()).Draw(t, who+" preset"),
		own:       policy.Patterns{Deny: list(texts, "own deny"), Allow: list(texts, "own allow"), Ask: list(texts, "own ask")},
		behavior:  policy.Behavior(rapid.IntRange(0, 2).Draw(t, who+" behavior")),
		readOnly:  rapid.Bool().Draw(t, who+" read"),
	}
}

func (w written) rules() *policy.Rules {
	made := rules(behaves(w.behavior), profile(w.preset, w.own))
	made.Manager, made.ReadOnly = parley.FoldName(w.manager), w.readOnly
	if w.invokes {
		canInvoke(w.canInvoke...)(made)
	}
	for _, n := range w.deny {
		deny(n)(made)
	}
	for _, n := range w.allow {
		allow(n)(made)
	}
	for _, n := range w.approval {
		withApproval(n)(made)
	}
	return made
}

// forbids reports whether a deny in the file covers the target, whatever else the
// file says.
func (w written) forbids(target string) bool {
	named := slices.Contains(w.allow, target) || slices.Contains(w.approval, target)
	return w.invokes && !slices.Contains(w.canInvoke, target) ||
		slices.Contains(w.deny, target) ||
		slices.Contains(w.deny, policy.Everyone) && !named
}

// Whatever the rules, a deny for the target is never overridden, unless one of the
// two is a person or the other's manager.
func TestNoDecisionAllowsWhatADenyForbids(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := drawParty(t, "from"), drawParty(t, "to")
		call := policy.Send(to.party)
		if rapid.IntRange(0, 3).Draw(t, "kind of call") == 0 {
			call = policy.Call{Action: rapid.SampledFrom(actions).Draw(t, "action")}
		}
		got := policy.Authorize(from.party, call)
		checkExplanation(t, from.party, call, got)
		from.checkRule(t, to, got)
		if call.To == nil {
			return
		}
		bypass := from.written.manager == to.party.Name || to.written.manager == from.party.Name ||
			from.party.Kind == parley.Person || to.party.Kind == parley.Person
		switch {
		case from.party.Name == to.party.Name:
			if got.Verdict != policy.Deny {
				t.Errorf("%s may contact itself by %s", from.party.Name, got.Rule)
			}
		case bypass:
			if got.Verdict != policy.Allow {
				t.Errorf("%s by %s", got.Verdict, got.Rule)
			}
		case from.written.forbids(to.party.Name):
			if got.Verdict != policy.Deny {
				t.Errorf("%s by %s, and a deny forbids it", got.Verdict, got.Rule)
			}
		case from.written.behavior != policy.Autonomous && got.Verdict == policy.Allow:
			t.Errorf("%s contacts %s without approval by %s", from.written.behavior, to.party.Name, got.Rule)
		}
	})
}

type drawn struct {
	party   *policy.Party
	written written
}

func drawParty(t *rapid.T, label string) drawn {
	name := rapid.SampledFrom(names).Draw(t, label)
	if name == "Ada" {
		return drawn{party: person(name)}
	}
	w := drawWritten(t, label)
	return drawn{&policy.Party{Name: name, Key: parley.FoldName(name), Kind: parley.Native, Rules: w.rules()}, w}
}

// checkRule checks that the named rule is indeed in the file.
func (d drawn) checkRule(t *rapid.T, to drawn, got policy.Ruling) {
	w, r := d.written, got.Rule
	exists := false
	switch r.Kind {
	case policy.RuleSelf:
		exists = d.party.Name == to.party.Name
	case policy.RuleManager:
		exists = r.Of == d.party.Name && w.manager == to.party.Name || r.Of == to.party.Name && to.written.manager == d.party.Name
	case policy.RulePerson:
		exists = r.Of == "Ada"
	case policy.RuleCanInvoke:
		exists = w.invokes
	case policy.RuleContacts:
		exists = slices.Contains(map[string][]string{"deny": w.deny, "allow": append(w.allow, w.approval...)}[r.List], r.Entry)
	case policy.RuleMode:
		exists = w.readOnly
	case policy.RuleProfile:
		own := map[string][]string{"deny": w.own.Deny, "allow": w.own.Allow, "ask": w.own.Ask}[r.List]
		exists = r.Of == w.preset || r.Of == "own" && slices.Contains(own, r.Entry)
	case policy.RuleBehavior:
		exists = r.Entry == w.behavior.String() && w.behavior != policy.Autonomous
	}
	if !exists {
		t.Errorf("%s by %q, which is not in %+v", got.Verdict, r, w)
	}
}
