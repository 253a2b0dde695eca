package contact

import (
	"slices"
	"testing"

	"parley"
)

func TestCircle(t *testing.T) {
	type graph = map[parley.TaskID][]parley.TaskID
	for name, c := range map[string]struct {
		from, above []parley.TaskID
		waits       graph
		want        []parley.TaskID
	}{
		"none":                      {[]parley.TaskID{2}, []parley.TaskID{1}, graph{}, nil},
		"no dependency":             {nil, []parley.TaskID{1}, graph{1: {2}}, nil},
		"its creator":               {[]parley.TaskID{1}, []parley.TaskID{1}, graph{}, []parley.TaskID{1}},
		"above its creator":         {[]parley.TaskID{9}, []parley.TaskID{1, 5, 9}, graph{}, []parley.TaskID{9}},
		"a sibling":                 {[]parley.TaskID{3}, []parley.TaskID{1}, graph{1: {2, 3}, 3: {4}}, nil},
		"through a dependency":      {[]parley.TaskID{2}, []parley.TaskID{1}, graph{2: {3}, 3: {1}}, []parley.TaskID{2, 3, 1}},
		"through a child":           {[]parley.TaskID{2}, []parley.TaskID{7}, graph{2: {4}, 4: {5, 7}}, []parley.TaskID{2, 4, 7}},
		"the second of two":         {[]parley.TaskID{2, 3}, []parley.TaskID{1}, graph{3: {1}}, []parley.TaskID{3, 1}},
		"a circle of others":        {[]parley.TaskID{2}, []parley.TaskID{1}, graph{2: {3}, 3: {2}}, nil},
		"the shortest of several":   {[]parley.TaskID{2}, []parley.TaskID{1}, graph{2: {3, 1}, 3: {1}}, []parley.TaskID{2, 1}},
		"without a task of its own": {[]parley.TaskID{2}, nil, graph{2: {3}}, nil},
	} {
		got, err := circle(c.from, c.above, func(id parley.TaskID) ([]parley.TaskID, error) { return c.waits[id], nil })
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
