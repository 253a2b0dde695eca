package turn

import (
	"slices"
	"testing"

	"parley/internal/model"
)

func TestCallsOfATaskHaveDistinctIDs(t *testing.T) {
	calls := func(ids ...string) (list []model.Call) {
		for _, id := range ids {
			list = append(list, model.Call{ID: id})
		}
		return list
	}
	for _, c := range []struct{ before, given, want []string }{
		{nil, []string{"a", "b"}, []string{"a", "b"}},
		{nil, []string{"a", "a", "a"}, []string{"a", "a~2", "a~3"}},
		{nil, []string{"", ""}, []string{"~2", "~3"}},
		{[]string{"a"}, []string{"a", "a~2"}, []string{"a~2", "a~2~2"}},
	} {
		r := transcript{past: []entry{{Message: model.Message{Calls: calls(c.before...)}}}}
		var got []string
		for _, call := range r.distinct(calls(c.given...)) {
			got = append(got, call.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q after %q became %q", c.given, c.before, got)
		}
	}
}
