package provider

import (
	"testing"

	"parley/internal/model"
)

// What a model thought goes back to the model that thought it, and to no other:
// another cannot read it, and some providers refuse it.
func TestThoughtsGoBackToTheirModelOnly(t *testing.T) {
	made := &Model{provider: Provider{Kind: Anthropic}, name: "one"}
	var d draft
	d.add(thoughtPart, "Hm.").signature = "signed"
	d.add(textPart, "Yes.")
	kept := made.keep(d.parts)
	if kept == nil {
		t.Fatal("nothing was kept")
	}
	for _, c := range []struct {
		name string
		m    *Model
		want bool
	}{
		{"the same model", &Model{provider: Provider{Kind: Anthropic}, name: "one"}, true},
		{"another model", &Model{provider: Provider{Kind: Anthropic}, name: "two"}, false},
		{"another provider", &Model{provider: Provider{Kind: Gemini}, name: "one"}, false},
	} {
		parts, ok := c.m.recall(model.Message{Text: "Yes.", Private: kept})
		if ok != c.want || ok && len(parts) != 2 {
			t.Errorf("%s: %v, %v", c.name, ok, parts)
		}
	}
}
