package policy_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/policy"
)

func TestAlways(t *testing.T) {
	shell := policy.Call{Action: "tool:shell:go test ./..."}
	bob := policy.Party{Name: "Bob", Key: "bob", Kind: parley.Native, Rules: &policy.Rules{}}
	asksForBob := &policy.Rules{}
	asksForBob.Contacts.Permit("*", policy.Allowance{NeedsApproval: true})
	guarded, err := policy.NewProfile("guarded", policy.Patterns{})
	if err != nil {
		t.Fatal(err)
	}
	both := &policy.Rules{Profile: guarded}
	both.Contacts.Permit("Bob", policy.Allowance{NeedsApproval: true})
	for _, c := range []struct {
		name  string
		rules *policy.Rules
		call  policy.Call
		want  policy.Grant
		fails string
	}{
		{"a command", &policy.Rules{}, shell, policy.Grant{Key: policy.RuleProfile, Word: `allow:tool:shell:go test \./\.\.\.`}, ""},
		{"a contact that a contact rule asks about", asksForBob, policy.Send(&bob), policy.Grant{Key: policy.RuleContacts, Word: "allow:Bob"}, ""},
		{"a contact that the profile asks about", &policy.Rules{Profile: guarded}, policy.Send(&bob), policy.Grant{Key: policy.RuleProfile, Word: "allow:tool:agent_comm:send Bob"}, ""},
		{"a tool of an outside server", &policy.Rules{}, policy.Call{Action: "tool:mcp:db.query"}, policy.Grant{Key: policy.RuleProfile, Word: `allow:tool:mcp:db\.query`, Covers: "whatever the arguments are"}, ""},
		{"two rules", both, policy.Send(&bob), policy.Grant{}, "More than one rule asks"},
		{"behavior", &policy.Rules{Behavior: policy.Supervised}, policy.Send(&bob), policy.Grant{}, "is supervised"},
		{"behavior and profile", &policy.Rules{Behavior: policy.Strict}, shell, policy.Grant{}, "More than one rule asks"},
		{"denied by now", &policy.Rules{ReadOnly: true}, shell, policy.Grant{}, "deny it by now"},
		{"allowed by now", &policy.Rules{}, policy.Call{Action: "tool:file_read:x"}, policy.Grant{}, "allow it by now"},
		{"many lines", &policy.Rules{}, policy.Call{Action: "tool:shell:a\nb"}, policy.Grant{}, "several lines"},
		{"too long", &policy.Rules{}, policy.Call{Action: "tool:shell:" + strings.Repeat("a", 300)}, policy.Grant{}, "too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := policy.Always(&policy.Party{Name: "A", Key: "a", Kind: parley.Native, Rules: c.rules}, c.call)
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Fatalf("error %v, want %q", err, c.fails)
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// Whatever the rules are: a rule is offered only for what needs approval now, and once
// it is in the file nobody has to approve that call, and nothing else has become
// allowed.
func TestAlwaysDecidesAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWritten(t, "A")
		who := policy.Party{Name: "A", Key: "a", Kind: parley.Native, Rules: w.rules()}
		call := policy.Call{Action: rapid.SampledFrom(actions).Draw(t, "action")}
		bob := policy.Party{Name: "Bob", Key: "bob", Kind: parley.Native, Rules: &policy.Rules{}}
		if policy.Contacted(call.Action) != "" {
			call = policy.Contacting(call.Action, &bob)
		}
		g, err := policy.Always(&who, call)
		if err != nil {
			return
		}
		if v := policy.Authorize(&who, call).Verdict; v != policy.NeedsApproval {
			t.Fatalf("a rule was offered although the call is %v", v)
		}
		word := strings.TrimPrefix(g.Word, "allow:")
		switch g.Key {
		case policy.RuleContacts:
			w.allow = append(w.allow, word)
			w.approval = remove(w.approval, word)
		case policy.RuleProfile:
			w.own.Allow = append(w.own.Allow, word)
		default:
			t.Fatalf("no file has a rule %q", g.Key)
		}
		after := policy.Party{Name: "A", Key: "a", Kind: parley.Native, Rules: w.rules()}
		if then := policy.Authorize(&after, call); then.Verdict != policy.Allow {
			t.Fatalf("with %s %s it is %v: %s", g.Key, g.Word, then.Verdict, then.Reason())
		}
		for _, action := range actions {
			other := policy.Call{Action: action}
			if action == call.Action || policy.Contacted(action) != "" {
				continue
			}
			if was, is := policy.Authorize(&who, other).Verdict, policy.Authorize(&after, other).Verdict; was != is {
				t.Fatalf("%s was %v and is %v", action, was, is)
			}
		}
	})
}

func remove(list []string, name string) (rest []string) {
	for _, n := range list {
		if parley.FoldName(n) != parley.FoldName(name) {
			rest = append(rest, n)
		}
	}
	return rest
}
