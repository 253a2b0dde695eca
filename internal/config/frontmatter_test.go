package config

import (
	"strings"
	"testing"
)

func TestSplitFrontMatter(t *testing.T) {
	for _, tc := range []struct{ name, text, front, body string }{
		{"empty", "", "", ""},
		{"only Markdown", "Hello\n---\nthere", "", "Hello\n---\nthere"},
		{"both", "---\na: 1\n---\nBody\n---\nmore", "\na: 1\n", "Body\n---\nmore"},
		{"no keys", "---\n---\nBody", "\n", "Body"},
		{"no body", "---\na: 1\n---", "\na: 1\n", ""},
		{"indented fence", "---\na: |\n  ---\n---\nBody", "\na: |\n  ---\n", "Body"},
		{"longer line", "----\na: 1", "", "----\na: 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			front, body, found := splitFrontMatter(tc.text)
			if found != nil {
				t.Fatal(found)
			}
			diff(t, "front", tc.front, front)
			diff(t, "body", tc.body, body)
		})
	}
}

func TestADescriptionIsQuotedOnlyWhereThatHelps(t *testing.T) {
	for _, tc := range []struct{ name, front, want string }{
		{"it can be read", "\ndescription: at 10:30\n", "\ndescription: at 10:30\n"},
		{"it cannot", "\ndescription: it's so: yes\nname: a\n", "\ndescription: 'it''s so: yes'\nname: a\n"},
		{"it ends with a colon", "\ndescription: as follows:\n", "\ndescription: 'as follows:'\n"},
		{"another mistake", "\ndescription: a: b\nname: [\n", "\ndescription: a: b\nname: [\n"},
		{"another key", "\nmanager: a: b\n", "\nmanager: a: b\n"},
		{"quoted already", "\ndescription: \"a: b\nname: a\n", "\ndescription: \"a: b\nname: a\n"},
	} {
		t.Run(tc.name, func(t *testing.T) { diff(t, "front", tc.want, readable(tc.front)) })
	}
}

// FuzzAgentFile tries each text as a whole file and, because few texts begin
// with a fence by chance, between two fences.
func FuzzAgentFile(f *testing.F) {
	for _, text := range []string{
		"", "---", "---\n---\n", "---\nname: a\n---\nbody", "limits: {rate: 1, ask_timeout: 7d}",
		"contacts: [{a: &x 1}, *x]", "? a\n: b", "<<: {a: 1}", "description: |\n  text\ntools: a, b",
		"mcp_servers: !!map {a: .inf}", "- \n-", "name: 'a\n b'\ncan_invoke:\n- a\n# c\n- b", "%YAML 1.2", "description: a: 'b\nname: c",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkDraft(t, text)
		checkDraft(t, "---\n"+text+"\n---\n")
	})
}

func checkDraft(t *testing.T, text string) {
	text = plainLines(text)
	d, found := newDraft("agents/x.md", "x", text)
	last := strings.Count(text, "\n") + 1
	for _, m := range found {
		if m.Line < 1 || m.Line > last {
			t.Errorf("line %d of %d: %s", m.Line, last, m.Text)
		}
	}
	if found == nil && d.agent.Name == "" {
		t.Error("an agent without a name and without a mistake")
	}
}
