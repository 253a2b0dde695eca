package config

import (
	"testing"

	"parley"
	"parley/internal/policy"
)

const rulesTeam = `
-- parley.yaml --
model: scripted:s
person: Ada
people: [Bea]
-- agents/bob.md --
-- agents/carol.md --
-- agents/a.md --
---
manager: ada
can_invoke: [Bob, Zoe]
behavior: supervised
mode: read
profile:
  preset: guarded
  deny: ['tool:shell:rm .*']
  allow:
    - tool:agent_comm:send Bob
  ask: ['tool:agent_comm:list']
contacts:
  - {deny: "*"}
  - allow: Bob
    requires_approval: true
  - allow: Carol
    requires_approval: false
  - deny: Ghost
  - allow: bea
---
`

func TestRulesOfAFile(t *testing.T) {
	team, found := load(t, teamDir(t, rulesTeam))
	diff(t, "problems", []string(nil), found)
	diff(t, "warnings", []string{
		`agents/a.md:3: The agent "Zoe" is not in this team's files.`,
		`agents/a.md:12: The agent "Ghost" is not in this team's files.`,
	}, texts(team.Warnings))
	a := team.Agents[0]
	diff(t, "contacts", []ContactRule{
		{Deny: true, Name: "*"}, {Name: "Bob", RequiresApproval: true}, {Name: "Carol"}, {Deny: true, Name: "Ghost"}, {Name: "bea"},
	}, a.Contacts)
	diff(t, "profile", Profile{Preset: "guarded", Own: &policy.Patterns{Deny: []string{"tool:shell:rm .*"},
		Allow: []string{"tool:agent_comm:send Bob"}, Ask: []string{"tool:agent_comm:list"}}}, a.Profile)

	r, err := a.Rules()
	if err != nil {
		t.Fatal(err)
	}
	who := &policy.Party{Name: "a", Key: "a", Kind: parley.Native, Rules: r}
	for _, c := range []struct{ to, verdict, rule string }{
		{"Bob", "needs approval", "contacts allow Bob"},
		{"Carol", "denied", "can_invoke"},
		{"Ghost", "denied", "can_invoke"},
		{"Zoe", "denied", "contacts deny *"},
		{"Ada", "allowed", "manager of a"},
	} {
		got := policy.Authorize(who, policy.Send(&policy.Party{Name: c.to, Key: parley.FoldName(c.to), Kind: parley.Native}))
		diff(t, c.to, c.verdict+" by "+c.rule, got.Verdict.String()+" by "+got.Rule.String())
	}
	for action, rule := range map[string]string{
		"tool:file_write:x": "mode read", "tool:agent_comm:list": "profile own: ask tool:agent_comm:list",
		"tool:self:sleep": "profile guarded: ask tool:.*",
	} {
		diff(t, action, rule, policy.Authorize(who, policy.Call{Action: action}).Rule.String())
	}
}

func TestAFileWithoutRulesAllowsEverything(t *testing.T) {
	team, _ := load(t, teamDir(t, "-- parley.yaml --\nmodel: scripted:s\n-- agents/a.md --\n---\ncontacts: []\nprofile: {}\n---\n"))
	r, err := team.Agents[0].Rules()
	if err != nil || r.CanInvoke != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	got := policy.Authorize(&policy.Party{Name: "a", Key: "a", Rules: r}, policy.Send(&policy.Party{Name: "b", Key: "b"}))
	if got.Verdict != policy.Allow || got.Rule.Of != "standard" {
		t.Errorf("%s by %s", got.Verdict, got.Rule)
	}
}

func TestMistakesInRules(t *testing.T) {
	for _, c := range []struct{ name, front, want string }{
		{"no list", "contacts: Bob", ":2: contacts: Expected a list, like [a, b]."},
		{"no mapping", "contacts:\n  - Bob", ":3: contacts: Expected keys and values, like name: text."},
		{"neither", "contacts:\n  - requires_approval: true", ":3: contacts: A contact rule says either deny: NAME or allow: NAME."},
		{"both", "contacts:\n  - deny: Bob\n    allow: Bob", ":3: contacts: A contact rule says either deny: NAME or allow: NAME."},
		{"a deny with approval", "contacts:\n  - deny: Bob\n    requires_approval: true",
			":3: contacts: A deny cannot require approval. Write allow: Bob with requires_approval: true."},
		{"no name", "contacts:\n  - deny: a/b", `:3: deny: The name "a/b" contains '/'; letters, digits, space and -_. are allowed.`},
		{"nobody", "contacts:\n  - deny:", ":3: deny: Expected a text."},
		{"everyone without quotes", "contacts:\n  - deny: *", `:3: This is not valid YAML: undefined alias name. Put a star in quotes: "*".`},
		{"no flag", "contacts:\n  - allow: Bob\n    requires_approval: maybe", `:4: requires_approval: "maybe" is not a choice here. Known are true, false.`},
		{"an unknown key", "contacts:\n  - alow: Bob", `:3: Unknown key "alow". Did you mean allow?`},
		{"an unknown preset", "profile: lockd", `:2: profile: "lockd" is not a choice here. Did you mean locked?`},
		{"an unknown preset in a mapping", "profile:\n  preset: lockd", `:3: preset: "lockd" is not a choice here. Did you mean locked?`},
		{"a bad pattern", "profile:\n  deny:\n    - tool:.*\n    - 'tool:('",
			`:5: deny: "tool:(" is not a regular expression. A pattern is matched with a whole action, like tool:agent_comm:send .*`},
		{"a pattern that leaves its brackets", "profile: {allow: ['a)|(b']}",
			`:2: allow: "a)|(b" is not a regular expression. A pattern is matched with a whole action, like tool:agent_comm:send .*`},
	} {
		t.Run(c.name, func(t *testing.T) {
			team, found := load(t, teamDir(t, "-- parley.yaml --\nmodel: scripted:s\n-- agents/x.md --\n---\n"+c.front+"\n---\n"))
			diff(t, "problems", []string{"agents/x.md" + c.want}, found)
			diff(t, "agents", []string(nil), names(team))
		})
	}
}

// An empty can_invoke is nobody; without the key it is everyone.
func TestAnEmptyCanInvokeIsNobody(t *testing.T) {
	for front, want := range map[string]policy.Verdict{"can_invoke: []": policy.Deny, "can_invoke: [b]": policy.Allow, "mode: read": policy.Allow} {
		team, _ := load(t, teamDir(t, "-- parley.yaml --\nmodel: scripted:s\n-- agents/a.md --\n---\n"+front+"\n---\n-- agents/b.md --\n"))
		r, err := team.Agents[0].Rules()
		if err != nil {
			t.Fatal(err)
		}
		got := policy.Authorize(&policy.Party{Name: "a", Key: "a", Kind: parley.Native, Rules: r}, policy.Send(&policy.Party{Name: "b", Key: "b", Kind: parley.Native}))
		if got.Verdict != want {
			t.Errorf("%s: %s by %s", front, got.Verdict, got.Rule)
		}
	}
}
