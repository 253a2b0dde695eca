package policy_test

import (
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/policy"
)

// change is one thing that a file says.
type change func(*policy.Rules)

func manager(name string) change {
	return func(r *policy.Rules) { r.Manager = parley.FoldName(name) }
}

func canInvoke(names ...string) change {
	return func(r *policy.Rules) {
		r.CanInvoke = map[string]bool{}
		for _, n := range names {
			r.CanInvoke[parley.FoldName(n)] = true
		}
	}
}

func deny(name string) change { return func(r *policy.Rules) { r.Contacts.Forbid(name) } }

func allow(name string) change {
	return func(r *policy.Rules) { r.Contacts.Permit(name, policy.Allowance{}) }
}

func withApproval(name string) change {
	return func(r *policy.Rules) { r.Contacts.Permit(name, policy.Allowance{NeedsApproval: true}) }
}

func behaves(b policy.Behavior) change { return func(r *policy.Rules) { r.Behavior = b } }

func readOnly(r *policy.Rules) { r.ReadOnly = true }

func profile(preset string, own policy.Patterns) change {
	return func(r *policy.Rules) {
		var err error
		if r.Profile, err = policy.NewProfile(preset, own); err != nil {
			panic(err)
		}
	}
}

func preset(name string) change { return profile(name, policy.Patterns{}) }

func denies(p ...string) policy.Patterns { return policy.Patterns{Deny: p} }
func allows(p ...string) policy.Patterns { return policy.Patterns{Allow: p} }
func asks(p ...string) policy.Patterns   { return policy.Patterns{Ask: p} }

func rules(changes ...change) *policy.Rules {
	r := &policy.Rules{}
	for _, c := range changes {
		c(r)
	}
	return r
}

func party(name string, changes ...change) *policy.Party {
	return &policy.Party{Name: name, Key: parley.FoldName(name), Kind: parley.Native, Rules: rules(changes...)}
}

func person(name string) *policy.Party {
	return &policy.Party{Name: name, Key: parley.FoldName(name), Kind: parley.Person}
}

type changes []change

// The rows say what an agent A may do under its rules. Unless a row says otherwise, A
// contacts Bob, who has no rules of his own.
var table = []struct {
	name  string
	rules changes
	to    *policy.Party
	// action is a call that contacts nobody; empty for a contact.
	action  string
	verdict policy.Verdict
	rule    string
}{
	// Each rule alone.
	{"nothing is set", nil, nil, "", policy.Allow, standardAllows},
	{"oneself", nil, party("A"), "", policy.Deny, "self"},
	{"oneself in other letters", nil, party("a"), "", policy.Deny, "self"},
	{"somebody unknown", nil, &policy.Party{Name: "Ghost"}, "", policy.Deny, "unknown Ghost"},
	{"one's manager", changes{manager("Bob")}, nil, "", policy.Allow, "manager of A"},
	{"one's manager in other letters", changes{manager("BOB")}, nil, "", policy.Allow, "manager of A"},
	{"one's direct report", nil, party("Bob", manager("A")), "", policy.Allow, "manager of Bob"},
	{"somebody else's manager", nil, party("Bob", manager("Carol")), "", policy.Allow, standardAllows},
	{"a person", nil, person("Ada"), "", policy.Allow, "person Ada"},
	{"in can_invoke", changes{canInvoke("Bob")}, nil, "", policy.Allow, standardAllows},
	{"in can_invoke in other letters", changes{canInvoke("bOB")}, nil, "", policy.Allow, standardAllows},
	{"not in can_invoke", changes{canInvoke("Carol")}, nil, "", policy.Deny, "can_invoke"},
	{"an empty can_invoke", changes{canInvoke()}, nil, "", policy.Deny, "can_invoke"},
	{"a deny", changes{deny("Bob")}, nil, "", policy.Deny, "contacts deny Bob"},
	{"a deny in other letters", changes{deny("BOB")}, nil, "", policy.Deny, "contacts deny Bob"},
	{"a deny of another", changes{deny("Carol")}, nil, "", policy.Allow, standardAllows},
	{"an allow", changes{allow("Bob")}, nil, "", policy.Allow, standardAllows},
	{"an allow of another", changes{allow("Carol")}, nil, "", policy.Allow, standardAllows},
	{"an allow with approval", changes{withApproval("Bob")}, nil, "", policy.NeedsApproval, "contacts allow Bob"},
	{"a deny of everyone", changes{deny("*")}, nil, "", policy.Deny, "contacts deny *"},
	{"an allow of everyone", changes{allow("*")}, nil, "", policy.Allow, standardAllows},
	{"an allow of everyone with approval", changes{withApproval("*")}, nil, "", policy.NeedsApproval, "contacts allow *"},

	// Contact rules against each other.
	{"deny and allow", changes{deny("Bob"), allow("Bob")}, nil, "", policy.Deny, "contacts deny Bob"},
	{"deny and allow with approval", changes{deny("Bob"), withApproval("Bob")}, nil, "", policy.Deny, "contacts deny Bob"},
	{"deny and allow of everyone", changes{deny("Bob"), allow("*")}, nil, "", policy.Deny, "contacts deny Bob"},
	{"deny and deny of everyone", changes{deny("Bob"), deny("*")}, nil, "", policy.Deny, "contacts deny Bob"},
	{"allow and deny of everyone", changes{allow("Bob"), deny("*")}, nil, "", policy.Allow, standardAllows},
	{"allow with approval and deny of everyone", changes{withApproval("Bob"), deny("*")}, nil, "", policy.NeedsApproval, "contacts allow Bob"},
	{"allow and allow of everyone with approval", changes{allow("Bob"), withApproval("*")}, nil, "", policy.Allow, standardAllows},
	{"allow with approval and allow of everyone", changes{withApproval("Bob"), allow("*")}, nil, "", policy.NeedsApproval, "contacts allow Bob"},
	{"deny and allow of everyone at once", changes{allow("*"), deny("*")}, nil, "", policy.Deny, "contacts deny *"},
	{"allow with and without approval", changes{withApproval("Bob"), allow("Bob")}, nil, "", policy.NeedsApproval, "contacts allow Bob"},
	{"allow without and with approval", changes{allow("Bob"), withApproval("Bob")}, nil, "", policy.NeedsApproval, "contacts allow Bob"},
	{"everyone with and without approval", changes{withApproval("*"), allow("*")}, nil, "", policy.NeedsApproval, "contacts allow *"},

	// The manager against everything that could refuse.
	{"the manager and an empty can_invoke", changes{manager("Bob"), canInvoke()}, nil, "", policy.Allow, "manager of A"},
	{"the manager and a deny", changes{manager("Bob"), deny("Bob")}, nil, "", policy.Allow, "manager of A"},
	{"the manager and a deny of everyone", changes{manager("Bob"), deny("*")}, nil, "", policy.Allow, "manager of A"},
	{"the manager and an approval", changes{manager("Bob"), withApproval("Bob")}, nil, "", policy.Allow, "manager of A"},
	{"the manager and the profile", changes{manager("Bob"), preset("locked")}, nil, "", policy.Allow, "manager of A"},
	{"the manager and strict", changes{manager("Bob"), behaves(policy.Strict)}, nil, "", policy.Allow, "manager of A"},
	{"a report and a deny", changes{deny("Bob")}, party("Bob", manager("A")), "", policy.Allow, "manager of Bob"},
	{"a report and can_invoke", changes{canInvoke()}, party("Bob", manager("A")), "", policy.Allow, "manager of Bob"},
	{"a manager is not one for others", changes{manager("Carol"), deny("Bob")}, nil, "", policy.Deny, "contacts deny Bob"},
	{"one's own manager", changes{manager("A")}, party("A"), "", policy.Deny, "self"},
	{"an unknown manager", changes{manager("Ghost")}, &policy.Party{Name: "Ghost"}, "", policy.Deny, "unknown Ghost"},
	{"a person who is the manager", changes{manager("Ada")}, person("Ada"), "", policy.Allow, "manager of A"},

	// A person against everything that could refuse.
	{"a person and an empty can_invoke", changes{canInvoke()}, person("Ada"), "", policy.Allow, "person Ada"},
	{"a person and a deny", changes{deny("Ada")}, person("Ada"), "", policy.Allow, "person Ada"},
	{"a person and an approval", changes{withApproval("*")}, person("Ada"), "", policy.Allow, "person Ada"},
	{"a person and the profile", changes{preset("locked")}, person("Ada"), "", policy.Allow, "person Ada"},
	{"a person and strict", changes{behaves(policy.Strict)}, person("Ada"), "", policy.Allow, "person Ada"},

	// can_invoke against the rest.
	{"can_invoke and a deny", changes{canInvoke("Bob"), deny("Bob")}, nil, "", policy.Deny, "contacts deny Bob"},
	{"can_invoke and a deny of everyone", changes{canInvoke("Bob"), deny("*")}, nil, "", policy.Deny, "contacts deny *"},
	{"not in can_invoke and an allow", changes{canInvoke(), allow("Bob")}, nil, "", policy.Deny, "can_invoke"},
	{"not in can_invoke and a deny", changes{canInvoke(), deny("Bob")}, nil, "", policy.Deny, "can_invoke"},
	{"in can_invoke with approval", changes{canInvoke("Bob"), withApproval("Bob")}, nil, "", policy.NeedsApproval, "contacts allow Bob"},
	{"not in can_invoke and the open profile", changes{canInvoke(), preset("open")}, nil, "", policy.Deny, "can_invoke"},
	{"in can_invoke and the locked profile", changes{canInvoke("Bob"), preset("locked")}, nil, "", policy.Deny, "profile locked"},
	{"in can_invoke and supervised", changes{canInvoke("Bob"), behaves(policy.Supervised)}, nil, "", policy.NeedsApproval, "behavior supervised"},
	{"not in can_invoke and strict", changes{canInvoke(), behaves(policy.Strict)}, nil, "", policy.Deny, "can_invoke"},

	// Contact rules against profile and behaviour.
	{"an allow and the locked profile", changes{allow("Bob"), preset("locked")}, nil, "", policy.Deny, "profile locked"},
	{"an allow and the guarded profile", changes{allow("Bob"), preset("guarded")}, nil, "", policy.NeedsApproval, "profile guarded: ask tool:.*"},
	{"an approval and the locked profile", changes{withApproval("Bob"), preset("locked")}, nil, "", policy.Deny, "profile locked"},
	{"an approval and the guarded profile", changes{withApproval("Bob"), preset("guarded")}, nil, "", policy.NeedsApproval, "contacts allow Bob"},
	{"a deny and the open profile", changes{deny("Bob"), preset("open")}, nil, "", policy.Deny, "contacts deny Bob"},
	{"an allow and supervised", changes{allow("Bob"), behaves(policy.Supervised)}, nil, "", policy.NeedsApproval, "behavior supervised"},
	{"an approval and supervised", changes{withApproval("Bob"), behaves(policy.Supervised)}, nil, "", policy.NeedsApproval, "contacts allow Bob"},
	{"a deny and supervised", changes{deny("Bob"), behaves(policy.Supervised)}, nil, "", policy.Deny, "contacts deny Bob"},
	{"an allow in read mode", changes{allow("Bob"), readOnly}, nil, "", policy.Allow, standardAllows},

	// The presets.
	{"open, a contact", changes{preset("open")}, nil, "", policy.Allow, "profile open: allow tool:.*"},
	{"open, a shell", changes{preset("open")}, nil, "tool:shell:make test", policy.Allow, "profile open: allow tool:.*"},
	{"open, something unheard of", changes{preset("open")}, nil, "tool:moon:land", policy.Allow, "profile open: allow tool:.*"},
	{"standard, a list", nil, nil, "tool:agent_comm:list", policy.Allow, standardAllows},
	{"standard, a channel", nil, nil, "tool:channel:send #news", policy.Allow, standardAllows},
	{"standard, a task", nil, nil, "tool:task:cancel task-1", policy.Allow, standardAllows},
	{"standard, a sleep", nil, nil, "tool:self:sleep", policy.Allow, standardAllows},
	{"standard, reading a file", nil, nil, "tool:file_read:go.mod", policy.Allow, standardAllows},
	{"standard, writing a file", nil, nil, "tool:file_write:go.mod", policy.NeedsApproval, "profile standard: ask tool:.*"},
	{"standard, a shell", nil, nil, "tool:shell:make test", policy.NeedsApproval, "profile standard: ask tool:.*"},
	{"standard, a shell with two lines", nil, nil, "tool:shell:cd x\nmake test", policy.NeedsApproval, "profile standard: ask tool:.*"},
	{"guarded, a list", changes{preset("guarded")}, nil, "tool:agent_comm:list", policy.Allow, "profile guarded: allow tool:agent_comm:(list|read_docs .*)"},
	{"guarded, a channel", changes{preset("guarded")}, nil, "tool:channel:read #news", policy.Allow, "profile guarded: allow tool:channel:read .*"},
	{"guarded, awaiting", changes{preset("guarded")}, nil, "tool:task:await task-1", policy.Allow, "profile guarded: allow tool:task:(status|await|remind) .*"},
	{"guarded, reminding", changes{preset("guarded")}, nil, "tool:task:remind task-1", policy.Allow, "profile guarded: allow tool:task:(status|await|remind) .*"},
	{"guarded, cancelling", changes{preset("guarded")}, nil, "tool:task:cancel task-1", policy.NeedsApproval, "profile guarded: ask tool:.*"},
	{"guarded, a shell", changes{preset("guarded")}, nil, "tool:shell:ls", policy.NeedsApproval, "profile guarded: ask tool:.*"},
	{"locked, reading a file", changes{preset("locked")}, nil, "tool:file_read:go.mod", policy.Allow, "profile locked: allow tool:file_read:.*"},
	{"locked, a list", changes{preset("locked")}, nil, "tool:agent_comm:list", policy.Deny, "profile locked"},
	{"what is no action", changes{preset("open")}, nil, "mail:send", policy.Deny, "profile open"},

	// A profile of one's own.
	{"own deny", changes{profile("open", denies("tool:agent_comm:send Bob"))}, nil, "", policy.Deny, "profile own: deny tool:agent_comm:send Bob"},
	{"own deny in other letters", changes{profile("open", denies("tool:agent_comm:send bob"))}, nil, "", policy.Deny, "profile own: deny tool:agent_comm:send bob"},
	{"own deny of a part", changes{profile("open", denies("agent_comm", "send Bob", "tool:agent_comm:send Bo"))}, nil, "", policy.Allow, "profile open: allow tool:.*"},
	{"own deny and a second line", changes{profile("open", denies("tool:shell:.*rm .*"))}, nil, "tool:shell:true\nrm -rf x", policy.Deny, "profile own: deny tool:shell:.*rm .*"},
	{"own deny and own allow", changes{profile("locked", policy.Patterns{Deny: []string{"tool:shell:rm .*"}, Allow: []string{"tool:shell:.*"}})}, nil, "tool:shell:rm x", policy.Deny, "profile own: deny tool:shell:rm .*"},
	{"own deny and own ask", changes{profile("open", policy.Patterns{Deny: []string{"tool:shell:rm .*"}, Ask: []string{"tool:shell:.*"}})}, nil, "tool:shell:rm x", policy.Deny, "profile own: deny tool:shell:rm .*"},
	{"own allow and the preset's silence", changes{profile("locked", allows("tool:agent_comm:send Bob"))}, nil, "", policy.Allow, "profile own: allow tool:agent_comm:send Bob"},
	{"own allow in other letters", changes{profile("locked", allows("tool:agent_comm:send bob"))}, nil, "", policy.Deny, "profile locked"},
	{"own allow and the preset's ask", changes{profile("standard", allows("tool:shell:make .*"))}, nil, "tool:shell:make test", policy.Allow, "profile own: allow tool:shell:make .*"},
	{"own ask and the preset's allow", changes{profile("standard", asks("tool:agent_comm:send Bob"))}, nil, "", policy.NeedsApproval, "profile own: ask tool:agent_comm:send Bob"},
	{"own allow and own ask", changes{profile("locked", policy.Patterns{Allow: []string{"tool:shell:ls"}, Ask: []string{"tool:shell:.*"}})}, nil, "tool:shell:ls", policy.Allow, "profile own: allow tool:shell:ls"},
	{"own profile, another action", changes{profile("locked", allows("tool:shell:ls"))}, nil, "tool:shell:rm", policy.Deny, "profile locked"},
	{"own allow and a deny for the target", changes{profile("open", allows("tool:.*")), deny("Bob")}, nil, "", policy.Deny, "contacts deny Bob"},

	// Mode, against profile and behaviour.
	{"standard, an outside tool", nil, nil, "tool:mcp:git.push", policy.NeedsApproval, "profile standard: ask tool:.*"},
	{"standard, one that is trusted to read", nil, nil, "tool:mcp_read:git.log", policy.Allow, "profile standard: allow tool:mcp_read:.*"},
	{"supervised, one that is trusted to read", changes{behaves(policy.Supervised)}, nil, "tool:mcp_read:git.log", policy.Allow, "profile standard: allow tool:mcp_read:.*"},
	{"read mode, an outside tool", changes{readOnly}, nil, "tool:mcp:git.push", policy.Deny, "mode read"},
	{"read mode, one that is trusted to read", changes{readOnly}, nil, "tool:mcp_read:git.log", policy.Allow, "profile standard: allow tool:mcp_read:.*"},
	{"read mode, writing a file", changes{readOnly}, nil, "tool:file_write:go.mod", policy.Deny, "mode read"},
	{"read mode, a shell", changes{readOnly}, nil, "tool:shell:ls", policy.Deny, "mode read"},
	{"read mode, reading a file", changes{readOnly}, nil, "tool:file_read:go.mod", policy.Allow, standardAllows},
	{"read mode, a contact", changes{readOnly}, nil, "", policy.Allow, standardAllows},
	{"read mode and the open profile", changes{readOnly, preset("open")}, nil, "tool:shell:ls", policy.Deny, "mode read"},
	{"read mode and an own allow", changes{readOnly, profile("open", allows("tool:shell:ls"))}, nil, "tool:shell:ls", policy.Deny, "mode read"},
	{"read mode and strict", changes{readOnly, behaves(policy.Strict)}, nil, "tool:shell:ls", policy.Deny, "mode read"},
	{"read mode and a manager", changes{readOnly, manager("Bob")}, nil, "tool:shell:ls", policy.Deny, "mode read"},

	// Behaviour, against the profile.
	{"supervised, a contact", changes{behaves(policy.Supervised)}, nil, "", policy.NeedsApproval, "behavior supervised"},
	{"supervised, a list", changes{behaves(policy.Supervised)}, nil, "tool:agent_comm:list", policy.Allow, standardAllows},
	{"supervised, awaiting", changes{behaves(policy.Supervised)}, nil, "tool:task:await task-1", policy.Allow, standardAllows},
	{"supervised, cancelling", changes{behaves(policy.Supervised)}, nil, "tool:task:cancel task-1", policy.NeedsApproval, "behavior supervised"},
	{"supervised, reading a channel", changes{behaves(policy.Supervised)}, nil, "tool:channel:read #news", policy.Allow, standardAllows},
	{"supervised, posting", changes{behaves(policy.Supervised)}, nil, "tool:channel:send #news", policy.NeedsApproval, "behavior supervised"},
	{"supervised, something unheard of", changes{behaves(policy.Supervised), preset("open")}, nil, "tool:moon:land", policy.NeedsApproval, "behavior supervised"},
	{"strict, a list", changes{behaves(policy.Strict)}, nil, "tool:agent_comm:list", policy.NeedsApproval, "behavior strict"},
	{"strict and the open profile", changes{behaves(policy.Strict), preset("open")}, nil, "tool:file_read:x", policy.NeedsApproval, "behavior strict"},
	{"strict and the profile's refusal", changes{behaves(policy.Strict), preset("locked")}, nil, "tool:shell:ls", policy.Deny, "profile locked"},
	{"strict and the profile's ask", changes{behaves(policy.Strict)}, nil, "tool:shell:ls", policy.NeedsApproval, "profile standard: ask tool:.*"},
}

const standardAllows = "profile standard: allow tool:(agent_comm|channel|task|self|file_read):.*"

func TestAuthorize(t *testing.T) {
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			call := policy.Call{Action: c.action}
			if c.action == "" {
				to := c.to
				if to == nil {
					to = party("Bob")
				}
				call = policy.Send(to)
			}
			who := party("A", c.rules...)
			got := policy.Authorize(who, call)
			if got.Verdict != c.verdict || got.Rule.String() != c.rule {
				t.Errorf("%s by %q, want %s by %q", got.Verdict, got.Rule, c.verdict, c.rule)
			}
			checkExplanation(t, who, call, got)
		})
	}
	if len(table) < 60 {
		t.Errorf("only %d rows", len(table))
	}
}

// failer is what the checks need from a test, including one of rapid's.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkExplanation compares a decision with its explanation. The rule that it names
// must exist.
func checkExplanation(t failer, who *policy.Party, call policy.Call, decided policy.Ruling) {
	t.Helper()
	explained := policy.Explain(who, call)
	if explained.Verdict != decided.Verdict || explained.Rule != decided.Rule || explained.Reason() != decided.Reason() {
		t.Errorf("decided %s by %q (%s), explained %s by %q (%s)", decided.Verdict, decided.Rule, decided.Reason(),
			explained.Verdict, explained.Rule, explained.Reason())
	}
	if !slices.Contains(policy.RuleKinds(), explained.Rule.Kind) || explained.Deciding() < 0 {
		t.Errorf("the rule %q is none of %v", explained.Rule, explained.Path)
	}
	for i, step := range explained.Path {
		if step.Rule.Kind != policy.RuleKinds()[i] {
			t.Errorf("step %d is %s", i, step.Rule)
		}
		if step.Why == "" || strings.Contains(step.Why, "  ") {
			t.Errorf("%s says %q", step.Rule, step.Why)
		}
	}
}

func TestWhoeverHasNoRulesMayDoNothing(t *testing.T) {
	stranger := &policy.Party{Name: "A", Key: "a", Kind: parley.Client}
	for _, call := range []policy.Call{policy.Send(party("Bob")), policy.Send(person("Ada")), {Action: "tool:agent_comm:list"}} {
		got := policy.Authorize(stranger, call)
		if got.Verdict != policy.Deny || got.Rule.String() != "unknown A" || got.Reason() != "This hub does not have the rules of A." {
			t.Errorf("%s: %s by %s: %s", call.Action, got.Verdict, got.Rule, got.Reason())
		}
		checkExplanation(t, stranger, call, got)
	}
}

func TestAPersonMayDoEverything(t *testing.T) {
	ada := person("Ada")
	for _, call := range []policy.Call{policy.Send(party("Bob")), policy.Send(person("Bea")), {Action: "tool:shell:ls"}} {
		if got := policy.Authorize(ada, call); got.Verdict != policy.Allow || got.Rule.Kind != policy.RulePerson {
			t.Errorf("%s: %s by %s", call.Action, got.Verdict, got.Rule)
		}
	}
	if got := policy.Authorize(ada, policy.Send(ada)); got.Rule.Kind != policy.RuleSelf {
		t.Errorf("oneself: %s by %s", got.Verdict, got.Rule)
	}
}

func TestWhatACallerReads(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules changes
		want  string
	}{
		{"can_invoke", changes{canInvoke()}, "agent 'A' cannot invoke 'Bob' (blocked by can_invoke policy)"},
		{"a deny", changes{deny("Bob")}, "A's contact rules deny it to contact Bob."},
		{"a deny of everyone", changes{deny("*")}, "A may contact only those whom its contact rules allow, and Bob is not one of them."},
		{"the profile", changes{preset("locked")}, "A's profile has nothing that allows tool:agent_comm:send Bob."},
		{"its own deny", changes{profile("open", denies("tool:agent_comm:.*"))}, "A's profile denies tool:agent_comm:send Bob."},
		{"an approval", changes{withApproval("Bob")}, "This action requires approval. A's contact rules let it contact Bob only with approval. " + later},
		{"the profile's ask", changes{preset("guarded")}, "This action requires approval. A's profile asks for approval of tool:agent_comm:send Bob. " + later},
		{"supervised", changes{behaves(policy.Supervised)}, "This action requires approval. A is supervised: what changes something needs approval. " + later},
		{"strict", changes{behaves(policy.Strict)}, "This action requires approval. A is strict: everything it does needs approval. " + later},
	} {
		err := policy.Authorize(party("A", c.rules...), policy.Send(party("Bob"))).Err()
		if parley.KindOf(err) != parley.Denied || parley.Public(err) != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if err := policy.Authorize(party("A"), policy.Send(party("Bob"))).Err(); err != nil {
		t.Errorf("an allowed one: %v", err)
	}
}

const later = "Only a contact, or the turn of an agent that the hub runs, can wait for one."

func TestExplainGoesThroughAllRules(t *testing.T) {
	got := policy.Explain(party("A", withApproval("Bob"), behaves(policy.Supervised)), policy.Send(party("Bob")))
	var lines []string
	for _, s := range got.Path {
		lines = append(lines, s.Rule.String()+"|"+s.Verdict+"|"+s.Why)
	}
	want := []string{
		"unknown||The hub knows who is involved.",
		"self||It is somebody else.",
		"manager||Neither is the other's manager.",
		"person||No person is involved.",
		"can_invoke||There is no list, which means everyone.",
		"contacts allow Bob|needs approval|A's contact rules let it contact Bob only with approval.",
		"mode||The mode is write.",
		standardAllows + "|allowed|A's profile allows tool:agent_comm:send Bob.",
		"behavior supervised|needs approval|A is supervised: what changes something needs approval.",
	}
	if !slices.Equal(lines, want) || got.Deciding() != 5 {
		t.Errorf("deciding is %d of\n%s", got.Deciding(), strings.Join(lines, "\n"))
	}
}

func TestPatterns(t *testing.T) {
	for _, bad := range []string{"(", "a)|(b", `\Q`, "[", "*"} {
		if err := policy.CheckPattern(bad); parley.KindOf(err) != parley.Invalid {
			t.Errorf("%q is taken: %v", bad, err)
		}
		if _, err := policy.NewProfile("open", denies(bad)); err == nil {
			t.Errorf("a profile takes %q", bad)
		}
	}
	if err := policy.CheckPattern("tool:agent_comm:.*|tool:shell:ls"); err != nil {
		t.Error(err)
	}
	for _, name := range policy.Presets() {
		if _, err := policy.NewProfile(name, policy.Patterns{}); err != nil {
			t.Error(err)
		}
	}
	if _, err := policy.NewProfile("opne", policy.Patterns{}); parley.KindOf(err) != parley.Invalid {
		t.Errorf("an unknown preset: %v", err)
	}
}

func TestActions(t *testing.T) {
	for action, contacted := range map[string]string{
		"tool:agent_comm:send Data Analyst": "Data Analyst", "tool:agent_comm:read_docs Bob": "Bob",
		"tool:agent_comm:list": "", "tool:shell:send Bob": "", "tool:moon:": "",
	} {
		if err := policy.CheckAction(action); err != nil || policy.Contacted(action) != contacted {
			t.Errorf("%s contacts %q, %v", action, policy.Contacted(action), err)
		}
	}
	for _, bad := range []string{"", "ask", "tool", "tool:", "tool:x", "tool::x", "mail:a:b"} {
		if err := policy.CheckAction(bad); parley.KindOf(err) != parley.Invalid {
			t.Errorf("%q is an action", bad)
		}
	}
}

// Nearly all contacts are allowed, so that path must be cheap.
func TestAnAllowedContactAllocatesLittle(t *testing.T) {
	who, to := party("A", canInvoke("Bob"), allow("Bob")), party("Bob")
	if n := testing.AllocsPerRun(100, func() { policy.Authorize(who, policy.Send(to)) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAuthorize(b *testing.B) {
	who, to := party("A", canInvoke("Bob"), allow("Bob")), party("Bob")
	for i := range 1000 {
		deny(strings.Repeat("x", i%60+1))(who.Rules)
	}
	b.ReportAllocs()
	for b.Loop() {
		policy.Authorize(who, policy.Send(to))
	}
}
