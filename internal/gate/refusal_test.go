package gate

import (
	"strings"
	"testing"
	"time"

	"parley"
)

func TestALimitSaysWhatIsOverIt(t *testing.T) {
	for what, by := range map[string]pass{"This token ": {token: 7}, "This session of a browser ": {session: 7}} {
		for _, err := range []error{errRate(by, 5, time.Second), errStreams(by, 5)} {
			if text := parley.Public(err); !strings.HasPrefix(text, what) {
				t.Errorf("%q does not begin with %q", text, what)
			}
		}
	}
}
