package scripted

import (
	"os"
	"strings"
	"testing"

	"parley"
)

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"nothing", "", "f.yaml:1:1: The script is empty."},
		{"only a comment", "# later\n", "f.yaml:1:1: The script is empty."},
		{"not YAML", "agents: [", "f.yaml:1:9: This is not valid YAML: sequence end token ']' not found."},
		{"a list", "- a\n", "f.yaml:1:1: Expected keys and values, like name: text."},
		{"two documents", "agents: {A: [steps: [say: a]]}\n---\nagents: {}\n", "f.yaml:3:1: A second YAML document begins here; there may be only one."},
		{"no agents", "{}", "f.yaml:1:1: A script needs agents."},
		{"empty agents", "agents:\n", "f.yaml:1:9: agents: Expected the names of agents with their rules below them."},
		{"unknown top key", "agent:\n  A: 1\n", `f.yaml:1:1: Unknown key "agent". Did you mean agents?`},
		{"same agent twice", "agents:\n  A: [steps: [say: a]]\n  a: [steps: [say: a]]\n", `f.yaml:3:3: "a" is here twice; case makes no difference.`},
		{"same key twice", "agents:\n  A: [steps: [say: a]]\n  A: [steps: [say: a]]\n", `f.yaml:3:3: This is not valid YAML: mapping key "A" already defined at [2:3].`},
		{"bad agent name", "agents:\n  A/B: [steps: [say: a]]\n", `f.yaml:2:3: The name "A/B" contains '/'; letters, digits, space and -_. are allowed.`},
		{"no rules", "agents:\n  A: []\n", "f.yaml:2:6: A: The list must not be empty."},
		{"rules not a list", "agents:\n  A:\n    steps: []\n", "f.yaml:2:3: A: Expected a list, like [a, b]."},
		{"an alias", "agents:\n  A: &a [steps: [say: a]]\n  B: *a\n", "f.yaml:2:6: A: Anchors, aliases and tags are not supported. Write the value out."},
		{"a merge", "agents:\n  A: [{<<: {}, steps: [say: a]}]\n", "f.yaml:2:8: << is not supported. Write the keys out."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.source, tt.want) })
	}
}

func TestParseRefusesRules(t *testing.T) {
	tests := []struct{ name, rules, want string }{
		{"no steps", "- match: x", "3:7: A: A rule needs steps."},
		{"empty steps", "- steps: []", "3:14: steps: The list must not be empty."},
		{"unknown key", "- steps: [say: a]\n      macth: x", `4:7: Unknown key "macth". Did you mean match?`},
		{"bad pattern", "- match: '('\n      steps: [say: a]", "3:14: match: error parsing regexp: missing closing ): `(`."},
		{"empty pattern", "- match: ''\n      steps: [say: a]", "3:14: match: A pattern must not be empty."},
		{"pattern is a list", "- match: [x]\n      steps: [say: a]", "3:14: match: Expected a text."},
		{"seen without match", "- seen: 2\n      steps: [say: a]", "3:13: seen: It counts the inputs that match, so it needs match."},
		{"seen zero", "- match: x\n      seen: 0\n      steps: [say: a]", `4:13: seen: Expected a whole number from 1 to 1000000, not "0".`},
		{"rule never reached", "- steps: [say: a]\n    - steps: [say: b]", "4:7: A: This rule is never reached: the one before it has no match and takes everything."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			refused(t, "agents:\n  A:\n    "+tt.rules+"\n", "f.yaml:"+tt.want)
		})
	}
}

func TestParseRefusesSteps(t *testing.T) {
	tests := []struct{ name, steps, want string }{
		{"unknown key", "- sya: a", `5:11: Unknown key "sya". Did you mean say?`},
		{"nothing to do", "- {}", "5:11: steps: A step needs something to do: say, call, calls or fail."},
		{"only a wait", "- wait: 1s", "5:11: steps: A step needs something to do: say, call, calls or fail."},
		{"say without text", "- say:", "5:16: say: Expected a text."},
		{"say and fail", "- say: a\n          fail: b", "6:17: fail: A step that fails cannot say or call anything."},
		{"call and fail", "- call: a\n          fail: b", "6:17: fail: A step that fails cannot say or call anything."},
		{"call and calls", "- call: a\n          calls: [tool: b]", "6:18: calls: A step has call or calls, not both."},
		{"args without call", "- say: a\n          args: {b: c}", "6:17: args: This belongs to call; in calls each call has its own."},
		{"class without fail", "- say: a\n          class: broken", "6:18: class: This belongs to fail."},
		{"retry_after without fail", "- say: a\n          retry_after: 1s", "6:24: retry_after: This belongs to fail."},
		{"fail without a reason", "- fail: ''", "5:17: fail: A failure must say why."},
		{"bad class", "- fail: a\n          class: bad", `6:18: class: "bad" is not a choice here. Known are rate_limited, overloaded, refused, broken.`},
		{"bad retry_after", "- fail: a\n          retry_after: soon", `6:24: retry_after: Expected a time like 150ms, 2s or 1m30s, not "soon".`},
		{"bad wait", "- say: a\n          wait: -1s", `6:17: wait: Expected a time like 150ms, 2s or 1m30s, not "-1s".`},
		{"bad template", "- say: 'a {{b}}'", `5:16: say: in {{b}}: "b" is not known; there are agent, body, capture, conversation, input, match, request, result and results.`},
		{"bad template in a block", "- say: |\n            a\n            {{b}}", `5:16: say: in {{b}}: "b" is not known; there are agent, body, capture, conversation, input, match, request, result and results.`},
		{"bad template in args", "- call: a\n          args:\n            list:\n              - k: '{{match 2}}'", "8:20: k: in {{match 2}}: the match pattern has no group 2."},
		{"empty tool", "- call: ''", "5:17: call: The name of a tool must not be empty."},
		{"args not an object", "- call: a\n          args: [b]", "6:17: args: Expected the names of arguments with their values."},
		{"args with infinity", "- call: a\n          args: {b: .inf}", "6:21: b: Expected a text, a number, true, false or null."},
		{"args with an alias", "- call: a\n          args: {b: *c}", "6:21: b: Anchors, aliases and tags are not supported. Write the value out."},
		{"no calls", "- calls: []", "5:18: calls: The list must not be empty."},
		{"calls without tool", "- calls: [args: {}]", "5:19: calls: Each of the calls needs tool."},
		{"unknown key in calls", "- calls: [call: a]", `5:19: Unknown key "call". Known are tool, args.`},
		{"when comes first", "- say: a\n          when: x", "5:11: steps: The first step cannot have when: there is no tool result yet."},
		{"bad when", "- call: a\n        - when: '['\n          say: b", "6:17: when: error parsing regexp: missing closing ]: `[`."},
		{"step after say", "- say: a\n        - say: b", "6:11: steps: This step is never reached: the one before it ends the turn, for it calls no tool."},
		{"step after fail", "- fail: a\n        - say: b", "6:11: steps: This step is never reached: the one before it ends the turn, for it calls no tool."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			refused(t, "agents:\n  A:\n    - match: (x)\n      steps:\n        "+tt.steps+"\n", "f.yaml:"+tt.want)
		})
	}
}

func refused(t *testing.T, source, want string) {
	t.Helper()
	_, err := Parse("f.yaml", []byte(source))
	if err == nil {
		t.Fatalf("accepted:\n%s", source)
	}
	if err.Error() != want {
		t.Errorf("err  = %v\nwant = %s", err, want)
	}
	if parley.KindOf(err) != parley.Invalid {
		t.Errorf("kind = %v", parley.KindOf(err))
	}
}

// Texts may be written in every way that YAML has.
func TestTexts(t *testing.T) {
	tests := []struct{ say, want string }{
		{"plain text", "plain text"},
		{"42", "42"},
		{"1.50", "1.50"},
		{"true", "true"},
		{`"a\nb"`, "a\nb"},
		{"''", ""},
		{"|-\n            a\n            b", "a\nb"},
		{">-\n            a\n            b", "a b"},
	}
	for _, tt := range tests {
		c := talk(t, "A", "agents:\n  A:\n    - steps:\n        - say: "+tt.say+"\n")
		c.hears("hello")
		c.says(tt.want)
	}
}

// The order of the keys makes no difference: match says what the steps may use.
func TestStepsBeforeMatch(t *testing.T) {
	c := talk(t, "A", "agents:\n  A:\n    - steps:\n        - args: {who: '{{match 1}}'}\n          call: look\n      match: for (\\w+)\n")
	c.hears("Look for Ann.")
	c.calls(`look {"who":"Ann"}`)
}

func FuzzParse(f *testing.F) {
	report, err := os.ReadFile("testdata/report.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(report, "Prepare the Q3 report")
	f.Add([]byte(pairScript), "go")
	f.Add([]byte("agents: {A: [{match: (a)?, seen: 2, steps: [{say: '{{match 1}}{{capture `x` result}}'}]}]}"), "aa")
	f.Add([]byte("agents:\n  A: &a [*a]\n"), "")
	f.Fuzz(func(t *testing.T, data []byte, input string) {
		s, err := Parse("f.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.yaml:") {
				t.Errorf("err = %v", err)
			}
			return
		}
		for agent := range s.agents {
			req := hello(agent)
			req.Messages[0].Text = input
			// Not Step, which would also wait as long as the script says.
			if sc, st := s.replay(&req); st != nil {
				_, _ = st.reply(sc)
			}
		}
	})
}
