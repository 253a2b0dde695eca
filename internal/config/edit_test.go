package config

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley"
)

func TestARuleIsChangedInItsPlace(t *testing.T) {
	for _, test := range []struct {
		name, file, key string
		words           []string
		want            string
	}{
		{"a value", "---\nmode: write\nname: A\n---\nText.\n", "mode", []string{"read"}, "---\nmode: read\nname: A\n---\nText.\n"},
		{"behind it a comment", "---\nmode:   write   # for now\n---\n", "mode", []string{"read"}, "---\nmode: read # for now\n---\n"},
		{"a new key at the end", "---\nname: A # who\n# why\n---\nText", "behavior", []string{"strict"}, "---\nname: A # who\n# why\nbehavior: strict\n---\nText"},
		{"no front matter", "Text.\n", "mode", []string{"read"}, "---\nmode: read\n---\nText.\n"},
		{"nothing at all", "", "mode", []string{"read"}, "---\nmode: read\n---\n"},
		{"an empty front matter", "---\n---\nText.", "mode", []string{"read"}, "---\nmode: read\n---\nText."},
		{"only a comment", "---\n# soon\n---\n", "mode", []string{"read"}, "---\n# soon\nmode: read\n---\n"},
		{"line ends of another system", "---\r\nmode: write\r\nname: A\r\n---\r\nText.\r\n", "mode", []string{"read"}, "---\r\nmode: read\r\nname: A\r\n---\r\nText.\r\n"},
		{"line ends of an old system", "---\rmode: write\r---\rText.\r", "mode", []string{"read"}, "---\rmode: read\r---\rText.\r"},
		{"a byte order mark", "\uFEFF---\nmode: write\n---\n", "mode", []string{"read"}, "\uFEFF---\nmode: read\n---\n"},
		{"a mark and no front matter", "\uFEFFText.", "mode", []string{"read"}, "\uFEFF---\nmode: read\n---\nText."},
		{"a list over lines", "---\ncan_invoke:\n  - a\n  - b\n\n# who leads\nmanager: c\n---\n", "can_invoke", []string{"d"}, "---\ncan_invoke: [d]\n\n# who leads\nmanager: c\n---\n"},
		{"a list at the key's own column", "---\ncan_invoke:\n- a\n- b\nname: x\n---\n", "can_invoke", []string{"d"}, "---\ncan_invoke: [d]\nname: x\n---\n"},
		{"nobody", "---\nname: x\n---\n", "can_invoke", nil, "---\nname: x\ncan_invoke: []\n---\n"},
		{"the key within another's text", "---\ndescription: |\n  mode: none\nmode: write\n---\nmode: body\n", "mode", []string{"read"}, "---\ndescription: |\n  mode: none\nmode: read\n---\nmode: body\n"},
		{"the key within another's value", "---\nmcp_servers:\n  mode: x\n---\n", "mode", []string{"read"}, "---\nmcp_servers:\n  mode: x\nmode: read\n---\n"},
		{"indented keys", "---\n  name: A\n  mode: write\n---\n", "mode", []string{"read"}, "---\n  name: A\n  mode: read\n---\n"},
		{"a quoted key", "---\n\"mode\": write\n---\n", "mode", []string{"read"}, "---\nmode: read\n---\n"},
		{"a value on the next line", "---\nmanager:\n  Ada\nname: x\n---\n", "manager", []string{"Bo"}, "---\nmanager: Bo\nname: x\n---\n"},
		{"a description that is no YAML", "---\ndescription: Reviews. Example: it's done\nmode: write\n---\n", "mode", []string{"read"}, "---\ndescription: Reviews. Example: it's done\nmode: read\n---\n"},
		{"a fence with spaces", "---  \nmode: write\n--- \nText\n", "mode", []string{"read"}, "---  \nmode: read\n--- \nText\n"},
		{"contacts", "---\nname: x\n---\n", "contacts", []string{"allow:Data Bot", "ask:Émile", "deny:*"},
			"---\nname: x\ncontacts:\n  - allow: Data Bot\n  - allow: 'Émile'\n    requires_approval: true\n  - deny: '*'\n---\n"},
		{"no contacts", "---\ncontacts: [{deny: a}]\n---\n", "contacts", nil, "---\ncontacts: []\n---\n"},
		{"a preset", "---\nprofile:\n  preset: open\n  deny: [x]\n---\n", "profile", []string{"locked"}, "---\nprofile: locked\n---\n"},
		{"a profile", "---\nprofile: open # all\n---\n", "profile", []string{"guarded", "deny:tool:shell:rm 'x'.*", "allow:tool:task:.*"},
			"---\nprofile: # all\n  preset: guarded\n  deny:\n    - 'tool:shell:rm ''x''.*'\n  allow:\n    - 'tool:task:.*'\n---\n"},
		{"a name like a word of YAML", "---\n---\n", "manager", []string{"No"}, "---\nmanager: 'No'\n---\n"},
		{"a name like a number", "---\n---\n", "manager", []string{"007"}, "---\nmanager: '007'\n---\n"},
		{"a long list", "---\n---\n", "can_invoke", []string{strings.Repeat("a", 40), strings.Repeat("b", 40)},
			"---\ncan_invoke:\n  - " + strings.Repeat("a", 40) + "\n  - " + strings.Repeat("b", 40) + "\n---\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := SetRule([]byte(test.file), test.key, test.words)
			if err != nil {
				t.Fatal(err)
			}
			diff(t, "file", test.want, string(got))
		})
	}
}

func TestARuleIsTakenAway(t *testing.T) {
	for _, test := range []struct{ name, file, key, want string }{
		{"of one line", "---\nname: A\nmode: read # x\n# below\nrole: b\n---\nText.\n", "mode", "---\nname: A\n# below\nrole: b\n---\nText.\n"},
		{"of several", "---\ncontacts:\n  - deny: a\n    # why\n  - deny: b\nname: A\n---\n", "contacts", "---\nname: A\n---\n"},
		{"the only one", "---\nmode: read\n---\nText.\n", "mode", "---\n---\nText.\n"},
		{"that is not there", "---\nname: A\n---\n", "mode", "---\nname: A\n---\n"},
		{"from a file without front matter", "Text.", "mode", "Text."},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := UnsetRule([]byte(test.file), test.key)
			if err != nil {
				t.Fatal(err)
			}
			diff(t, "file", test.want, string(got))
		})
	}
}

func TestWhatTheEditorLeavesToTheAuthor(t *testing.T) {
	for name, file := range map[string]string{
		"braces":         "---\n{name: A, mode: write}\n---\n",
		"never closed":   "---\nmode: write\n",
		"not YAML":       "---\nmode: [\n---\n",
		"no mapping":     "---\n- a\n---\n",
		"null":           "---\nnull\n---\n",
		"an anchor":      "---\nname: &x A\nmode: write\n---\n",
		"document's end": "---\nname: A\n...\n---\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := SetRule([]byte(file), "behavior", []string{"strict"}); err == nil {
				t.Errorf("it was changed to\n%s", got)
			}
		})
	}
}

func TestWordsThatAreNoRule(t *testing.T) {
	for _, test := range []struct {
		key   string
		words []string
	}{
		{"model", []string{"x"}}, {"name", []string{"x"}}, {"mode", nil}, {"mode", []string{"a", "b"}}, {"manager", []string{" "}},
		{"manager", []string{"a\nname: b"}}, {"contacts", []string{"Writer"}}, {"contacts", []string{"forbid:x"}},
		{"profile", []string{"open", "locked"}}, {"profile", []string{"forbid:x"}}, {"can_invoke", []string{"a", "\x00"}},
	} {
		if _, err := SetRule([]byte("---\n---\n"), test.key, test.words); parley.KindOf(err) != parley.Invalid {
			t.Errorf("%s %q: %v", test.key, test.words, err)
		}
	}
}

// What is shown can be set again, and is then the same.
func TestWordsGoBothWays(t *testing.T) {
	team, _ := load(t, teamDir(t, rulesTeam))
	a := team.Agents[0]
	for _, key := range RuleKeys() {
		words := a.RuleWords(key)
		file, err := SetRule([]byte("Text.\n"), key, words)
		if err != nil {
			t.Fatal(err)
		}
		d, found := newDraft("a.md", "a", plainLines(string(file)))
		if found != nil {
			t.Fatalf("%s: %v in\n%s", key, found, file)
		}
		diff(t, key, words, d.agent.RuleWords(key))
	}
}

// Whatever a file looks like: either it is not changed, or it has the new value
// and everything else is as it was.
func FuzzSetRule(f *testing.F) {
	for _, file := range []string{
		"", "Text.", "---\nmode: write # x\n---\nText.", "---\r\nname: A\r\ncontacts:\r\n- deny: b\r\n\r\n# c\r\n---\r\n",
		"---\ndescription: |\n  mode: x\n  # no comment\nmode: >-\n  write\n---\n", "\uFEFF---\n  'mode': \"write\"\n---\n",
		"---\nmcp_servers: {a: [1, 2], b: {c: d}}\ncan_invoke: [a,\n  b]\n---\n---\n", "---\n{mode: x}\n---\n", "---\na: &b c\nd: *b\n---\n",
	} {
		for _, key := range RuleKeys() {
			f.Add([]byte(file), key, "read", "ask:x y")
		}
	}
	f.Fuzz(func(t *testing.T, file []byte, key, one, two string) {
		for _, words := range [][]string{{one}, {one, two}, {}} {
			edited, err := SetRule(file, key, words)
			if err != nil {
				continue
			}
			before, after := splitPage(file), splitPage(edited)
			was, err := before.values()
			is, err2 := after.values()
			if err != nil || err2 != nil {
				t.Fatalf("%v, %v", err, err2)
			}
			lines, err := ruleLines(key, slices.Clone(words))
			if err != nil {
				t.Fatal(err)
			}
			want, _ := splitPage([]byte("---\n" + strings.Join(lines, "\n") + "\n---\n")).values()
			if !reflect.DeepEqual(want[key], is[key]) {
				t.Errorf("%s is %v, not %v, in\n%s", key, is[key], want[key], edited)
			}
			delete(was, key)
			delete(is, key)
			if !maps.EqualFunc(was, is, func(a, b any) bool { return reflect.DeepEqual(a, b) }) {
				t.Errorf("other keys changed: %v, then %v", was, is)
			}
			if !bytes.Equal(bodyOf(before), bodyOf(after)) {
				t.Errorf("the text below changed from %q to %q", bodyOf(before), bodyOf(after))
			}
			again, err := SetRule(edited, key, words)
			if err != nil || !bytes.Equal(edited, again) {
				t.Errorf("a second time makes another file: %v\n%q\n%q", err, edited, again)
			}
		}
	})
}

func bodyOf(p *page) []byte {
	if p.end == 0 {
		return []byte(strings.Join(p.lines, ""))
	}
	return []byte(strings.Join(p.lines[p.end+1:], ""))
}
