package page

import (
	"strings"
	"testing"
	"time"
)

func TestTimesThatRunAndTimesThatHaveEnded(t *testing.T) {
	for _, c := range []struct {
		d              time.Duration
		running, ended string
	}{
		{-time.Second, "now", "0 ms"},
		{0, "now", "0 ms"},
		{57 * time.Millisecond, "now", "57 ms"},
		{999 * time.Millisecond, "now", "999 ms"},
		{time.Second, "1 s", "1.0 s"},
		{3040 * time.Millisecond, "3 s", "3.0 s"},
		{59900 * time.Millisecond, "59 s", "59 s"},
		{65 * time.Second, "1 min 5 s", "1 min 5 s"},
		{time.Hour - time.Second, "59 min 59 s", "59 min 59 s"},
		{time.Hour + 5*time.Minute + 59*time.Second, "1 h 5 min", "1 h 5 min"},
		{51 * time.Hour, "2 d 3 h", "2 d 3 h"},
	} {
		got := [2]string{strings.ReplaceAll(running(c.d), thin, " "), strings.ReplaceAll(duration(c.d), thin, " ")}
		if got != [2]string{c.running, c.ended} {
			t.Errorf("%v: %q", c.d, got)
		}
	}
}
