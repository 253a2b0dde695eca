package cli

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/bubbletest"
)

// Lines that were left out are counted, also if nothing happens afterwards.
func TestTheLogSaysHowManyLinesItLeftOut(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		w := &workLog{log: slog.New(slog.NewTextHandler(&out, nil))}
		for i := range mostLines + 7 {
			if room := w.room(t.Context(), time.Now()); room != (i < mostLines) {
				t.Errorf("line %d: %v", i, room)
			}
		}
		time.Sleep(2 * time.Second) // of the bubble's clock
		synctest.Wait()
		if n := strings.Count(out.String(), "more lines"); n != 1 || !strings.Contains(out.String(), "and 7 more lines") {
			t.Errorf("it says:\n%s", out.String())
		}
		if w.sumUp(); strings.Count(out.String(), "more lines") != 1 {
			t.Errorf("it says it twice:\n%s", out.String())
		}
	})
}
