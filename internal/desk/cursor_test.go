package desk

import (
	"slices"
	"testing"

	"parley"
)

// A cursor comes back from programs: whatever it is, it is refused, or names messages
// that a batch can have.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{"", "AQ", "AQEB", "AA", "gA", "gICAgICAgICAAQ", "_________38", "AQ==", "////", "\x00", "AQ AQ"} {
		f.Add(seed)
	}
	f.Add(cursorOf([]parley.MessageID{7, 9, 1 << 40}))
	f.Fuzz(func(t *testing.T, cursor string) {
		ids, err := idsOf(cursor)
		if err != nil {
			if parley.KindOf(err) != parley.Conflict || ids != nil {
				t.Fatalf("%q: %v, %v", cursor, ids, err)
			}
			return
		}
		before := parley.MessageID(0)
		for _, id := range ids {
			if id <= before {
				t.Fatalf("%q names %v", cursor, ids)
			}
			before = id
		}
		again, err := idsOf(cursorOf(ids))
		if err != nil || !slices.Equal(again, ids) || len(ids) > most {
			t.Fatalf("%q: %v, again %v, %v", cursor, ids, again, err)
		}
	})
}
