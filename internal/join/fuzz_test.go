package join

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// The reader takes all that the standard library takes, with the same meaning, and
// never panics.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a": [1, {"b": null}], "c": "\u00e9\\\""}`, `{"a":1,}`, "{//\n}", `[[[`, `{"a":`, `"`, "/*", `{"a" 1}`, "\uFEFF{}", `{"a":tru}`, `-`, `{"\ud800": 1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, err := readJSON([]byte(text))
		var want any
		if json.Unmarshal([]byte(text), &want) != nil {
			return
		}
		if err != nil {
			if !strings.Contains(err.Error(), "twice") && !strings.Contains(err.Error(), "deeply") && !strings.Contains(err.Error(), "UTF-8") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if got := plainJSON([]byte(text), root); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}

// Whatever a TOML or YAML file holds, editing it panics never, and an edited file can
// be edited again.
func FuzzTOML(f *testing.F) {
	for _, seed := range []string{"", "a = 1\n[b]\n", "[mcp_servers.parley]\nx = '''\n''''\n", "[[a]]\n", "a = \"\\\"\"\n", "[mcp_servers]\n", "a.b.\"c d\" = [\n1]\n", "["} {
		f.Add(seed)
	}
	name := []string{"mcp_servers", "parley"}
	f.Fuzz(func(t *testing.T, text string) {
		edited, err := setTable(text, name, []string{"a = 1"})
		if err != nil {
			return
		}
		again, err := setTable(edited, name, []string{"a = 1"})
		if err != nil || again != edited {
			t.Fatalf("%q became %q, then %q, %v", text, edited, again, err)
		}
	})
}

func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"", "extensions:\n  a:\n    b: 1\n", "extensions: {}\n", "extensions:\n", "a: b", "extensions:\n  parley: 3\n", "# c\nextensions: # d\n    parley:\n        x: 1\n    z: |\n      a: b\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		edited, err := setExtension(text, "extensions", "parley", []string{"a: 1"})
		if err != nil {
			return
		}
		again, err := setExtension(edited, "extensions", "parley", []string{"a: 1"})
		// It may be refused: the reader of YAML takes stranger keys than the editor.
		if err == nil && strings.ReplaceAll(again, "\r", "") != strings.ReplaceAll(edited, "\r", "") {
			t.Fatalf("%q became %q, then %q, %v", text, edited, again, err)
		}
	})
}
