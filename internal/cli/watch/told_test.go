package watch

import (
	"slices"
	"testing"

	"parley"
	"parley/api"
)

// What is told of an event is shown here too, but for what other entries say already.
func TestEveryEventThatIsToldHasALook(t *testing.T) {
	elsewhere := []parley.EventKind{parley.EventQuestionAsked, parley.EventQuestionForwarded, parley.EventKept}
	for _, kind := range parley.EventKinds() {
		_, told := parley.TellEvent(kind, "delegate")
		if e, shown := said(Said{Event: api.Event{Kind: string(kind), Detail: "delegate"}}); shown != (told && !slices.Contains(elsewhere, kind)) || shown && e.verb == "" {
			t.Errorf("%s is told: %v, and shown: %v", kind, told, shown)
		}
	}
}
