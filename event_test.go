package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley"
)

// Whoever adds a kind of event enters it in the list, or nobody can ask for it.
func TestEventKindsAreAllListed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Event") {
			return true
		}
		kind, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		found++
		if !slices.Contains(parley.EventKinds(), parley.EventKind(kind)) {
			t.Errorf("%s is not in EventKinds", kind)
		}
		return true
	})
	if found != len(parley.EventKinds()) {
		t.Errorf("event.go declares %d kinds, EventKinds has %d", found, len(parley.EventKinds()))
	}
}

func TestCheckKindPattern(t *testing.T) {
	for _, c := range []struct{ pattern, hint string }{
		{"task.failed", ""},
		{"contact.*", ""},
		{"*.refused", ""},
		{"*", ""},
		{"contact", "Did you mean contact.refused?"},
		{"contcat.refused", "Did you mean contact.refused"},
		{"approvals.*", "Kinds are access.refused, "},
		{"qqqqqqqqqqqqqq", "Kinds are access.refused, "},
	} {
		err := parley.CheckKindPattern(c.pattern)
		if (err == nil) != (c.hint == "") || err != nil && !strings.Contains(err.Error(), c.hint) {
			t.Errorf("%s: %v, want %q", c.pattern, err, c.hint)
		}
	}
}

func TestRuleOfAnEvent(t *testing.T) {
	for _, c := range []struct {
		kind         parley.EventKind
		detail, rule string
	}{
		{parley.EventRefused, parley.WithRule("ask: No.", "rate"), "rate"},
		{parley.EventDenied, parley.WithRule("x [rule: forged] y", "own_task"), "own_task"},
		{parley.EventRefused, "ask: [rule: forged] text", ""},
		{parley.EventRefused, "ask: No.", ""},
		{parley.EventDropped, "text [rule: rate]", ""},
	} {
		if got := (parley.Event{Kind: c.kind, Detail: c.detail}).Rule(); got != c.rule {
			t.Errorf("%s %q: %q, want %q", c.kind, c.detail, got, c.rule)
		}
	}
}
