package yamlfile

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every mistake is found at once, each at its place.
func TestMistakes(t *testing.T) {
	var name, color string
	var n int
	keys := []Key{
		{Name: "name", Read: Into(&name, Value.Text)},
		{Name: "n", Read: Into(&n, func(v Value) (int, []Mistake) { return v.Integer(1, 9) }), Explicit: true},
		{Name: "color", Read: Choice(&color, "red", "blue")},
		{Name: "list", Read: func(v Value) []Mistake {
			items, found := v.Items()
			for _, item := range items {
				_, wrongs := item.Text()
				found = append(found, wrongs...)
			}
			return found
		}},
		{Name: "names", Read: func(v Value) []Mistake {
			_, found := v.Entries("names")
			return found
		}},
	}
	tests := []struct {
		text string
		want []string
	}{
		{"name: a\nn: 3\n", nil},
		{"name:\n", nil},
		{"n:\n", []string{"1:4 n: Expected a text."}},
		{"nmae: a\n  \nn: 10", []string{`1:1 Unknown key "nmae". Did you mean name?`, `3:4 n: Expected a whole number from 1 to 9, not "10".`}},
		{"color: green", []string{`1:8 color: "green" is not a choice here. Known are red, blue.`}},
		{"list: [a, [b], {c: d}]", []string{"1:11 list: Expected a text.", "1:16 list: Expected a text."}},
		// A value below its key is looked for at the key.
		{"# list\nname:\n  - a\n", []string{"2:1 name: Expected a text."}},
		{"list:\n  - a\n  - b: c\n", []string{"3:5 list: Expected a text."}},
		{"name: &a b", []string{"1:7 name: Anchors, aliases and tags are not supported. Write the value out."}},
		{"names: {a: b, 1: c, true: d}", nil},
		{"names: {~: b}", []string{"1:9 Expected a text."}},
		{"names: {<<: {a: b}}", []string{"1:9 << is not supported. Write the keys out."}},
		{"- a", []string{"1:1 Expected keys and values, like name: text."}},
	}
	for _, tt := range tests {
		v, found := Parse(tt.text)
		if found == nil {
			_, found = v.Fields(keys)
		}
		var got []string
		for _, m := range found {
			got = append(got, fmt.Sprintf("%d:%d %s", m.Line, m.Column, m.Text))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", tt.text, diff)
		}
	}
}

// What cannot be stored leaves what was there.
func TestIntoKeepsWhatWasThere(t *testing.T) {
	name := "default"
	v, _ := Parse("name: [a]")
	if _, found := v.Fields([]Key{{Name: "name", Read: Into(&name, Value.Text)}}); found == nil || name != "default" {
		t.Errorf("name = %q, mistakes %v", name, found)
	}
}
