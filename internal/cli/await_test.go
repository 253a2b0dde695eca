package cli

import "testing"

func TestTheWaitingLineSaysOneThing(t *testing.T) {
	for _, c := range []struct {
		tool string
		open int
		want string
	}{
		{"", 0, ""},
		{"", 2, ", which waits for 2 more"},
		{"read_file", 0, ", which uses read_file"},
		{"contact_agent", 1, ", which uses contact_agent"},
		{"ask_user", 1, ", which waits for a person's answer"},
	} {
		if got := busyWith(c.tool, c.open); got != c.want {
			t.Errorf("with %q and %d open: %q, want %q", c.tool, c.open, got, c.want)
		}
	}
}
