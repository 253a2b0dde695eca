package httpapi_test

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestTheHubTellsThatTheClockWasSetBack(t *testing.T) {
	var back atomic.Int64
	w := assemble(t, func() time.Time { return noon.Add(-time.Duration(back.Load())) })
	w.run()
	for _, set := range []time.Duration{0, time.Hour} {
		back.Store(int64(set))
		about, err := w.as("Ada").Hub(t.Context())
		if err != nil || about.ClockBehind != set.Seconds() {
			t.Errorf("set back by %v: %v seconds behind, %v", set, about.ClockBehind, err)
		}
	}
}
