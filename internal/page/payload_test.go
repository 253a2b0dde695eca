package page

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func TestPayloadShowsAllOfTheArguments(t *testing.T) {
	for _, c := range []struct {
		args string
		want []Field
	}{
		{`{"path":"a.md","text":"one\ntwo\n","n":3}`, []Field{{Name: "path", Text: "a.md", Plain: true}, {Name: "text", Text: "one\ntwo\n", Plain: true, Long: true}, {Name: "n", Text: "3"}}},
		{`{"edits":[{"old":"a","new":"b"},{"old":"","new":"\u003cc\u003e"}],"none":{},"list":[]}`, []Field{
			{Name: "edits[0].old", Text: "a", Plain: true}, {Name: "edits[0].new", Text: "b", Plain: true}, {Name: "edits[1].old", Plain: true},
			{Name: "edits[1].new", Text: "<c>", Plain: true}, {Name: "none", Text: "{}"}, {Name: "list", Text: "[]"}}},
		{`{"path":"shown","path":"used"}`, []Field{{Name: "path", Text: "shown", Plain: true}, {Name: "path", Text: "used", Plain: true, Again: true}}},
		{`{"a":12345678901234567890.50}`, []Field{{Name: "a", Text: "12345678901234567890.50"}}},
		{`null`, []Field{{Text: "null"}}},
		{`{}`, nil},
		{`{"a": bad`, []Field{{Text: `{"a": bad`}}},
		{`{"a":1} {"b":2}`, []Field{{Text: `{"a":1} {"b":2}`}}},
	} {
		got := payloadOf(parley.Approval{Args: c.args})
		if diff := cmp.Diff(c.want, got.Fields); diff != "" {
			t.Errorf("%s: %s", c.args, diff)
		}
		if got.Raw != c.args {
			t.Errorf("%q is not %q", got.Raw, c.args)
		}
	}
}

func TestPayloadOfMuchOrDeepIsWhole(t *testing.T) {
	many := `{"list":[` + strings.Repeat(`"x",`, 1000) + `"end"]}`
	deep := strings.Repeat(`{"a":`, 50) + `"end"` + strings.Repeat(`}`, 50)
	for _, args := range []string{many, deep} {
		got := payloadOf(parley.Approval{Args: args})
		if len(got.Fields) != 1 || !got.Fields[0].Long || strings.Join(strings.Fields(got.Fields[0].Text), "") == "" || !strings.Contains(got.Fields[0].Text, "end") {
			t.Errorf("%d fields of %.60s", len(got.Fields), args)
		}
	}
}
