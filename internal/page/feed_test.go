package page

import (
	"testing"

	"parley"
)

// What is told of an event is shown on the page too.
func TestEveryEventThatIsToldHasALook(t *testing.T) {
	for _, kind := range parley.EventKinds() {
		_, told := parley.TellEvent(kind, "")
		if look, shown := looks[kind]; shown != told || shown && look.icon == "" {
			t.Errorf("%s is told: %v, and shown: %v", kind, told, shown)
		}
	}
}
