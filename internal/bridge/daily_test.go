package bridge

import (
	"testing"
	"time"
)

// Each day has its time once, also when the clocks change.
func TestATimeOfEachDay(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []Daily{{18, 30, zone}, {2, 30, zone}, {0, 0, zone}, {23, 59, zone}} {
		seen := map[string]bool{}
		var before time.Time
		for at := time.Date(2026, 1, 1, 12, 0, 0, 0, zone); at.Year() == 2026; at = at.Add(10 * time.Minute) {
			last := d.last(at)
			if last.After(at) || at.Sub(last) > 25*time.Hour {
				t.Fatalf("at %v the last was %v", at, last)
			}
			if !last.Equal(before) {
				if day := last.Format(time.DateOnly); seen[day] {
					t.Errorf("%s has two times", day)
				} else {
					seen[day] = true
				}
				before = last
			}
		}
		if len(seen) != 365 && len(seen) != 366 {
			t.Errorf("%d days", len(seen))
		}
	}
}
