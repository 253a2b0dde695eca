package parley

import (
	"slices"
	"testing"
)

func TestAnEventIsToldInWords(t *testing.T) {
	for _, c := range []struct {
		kind   EventKind
		detail string
		want   Telling
		silent bool
	}{
		{kind: EventTask, detail: "delegate", want: Telling{Verb: "hands work to"}},
		{kind: EventTask, detail: "mention in #report", want: Telling{Verb: "mentions", Place: "#report"}},
		{kind: EventTask, detail: "retry of task-7", want: Telling{Verb: "retries task-7 with"}},
		{kind: EventMessage, detail: "post in #report", want: Telling{Verb: "posts in", Place: "#report", Alone: true}},
		{kind: EventMessage, want: Telling{Verb: "tells"}},
		{kind: EventFailed, detail: "Rate limit exceeded.", want: Telling{Verb: "has failed", Text: "Rate limit exceeded.", Alone: true}},
		{kind: EventRefused, detail: "not allowed [rule: contacts]", want: Telling{Verb: "was refused", Text: "not allowed"}},
		{kind: EventWaiting, detail: "1 open", want: Telling{Verb: "waits for 1 task", Alone: true}},
		{kind: EventWaiting, detail: "approval", silent: true},
		{kind: EventStatus, detail: "offline", want: Telling{Verb: "is offline", Alone: true, OfTarget: true}},
		{kind: EventRescued, detail: "X is not connected", want: Telling{Verb: "is not connected, so its task waits again", Alone: true, OfTarget: true}},
		{kind: EventProviderBusy, detail: "anthropic: overloaded", want: Telling{Verb: "waits for anthropic", Text: "overloaded", Alone: true}},
		{kind: EventScheduleMade, detail: "nightly: due 2026-03-01T02:00:00Z", want: Telling{Verb: "works by its schedule", Text: "nightly: due 2026-03-01T02:00:00Z", Alone: true, OfTarget: true}},
		{kind: EventNudged, detail: "has made no progress for 5m", want: Telling{Verb: "is reminded of a task", Text: "it has made no progress for 5m", Alone: true, OfTarget: true}},
		{kind: EventSchedulePaused, want: Telling{Verb: "paused the schedule of"}},
		{kind: EventChatEdited, detail: "in telegram", want: Telling{Verb: "changed a message", Text: "in telegram", Alone: true}},
		{kind: EventTokenCreated, silent: true},
	} {
		got, ok := TellEvent(c.kind, c.detail)
		if ok == c.silent || ok && got != c.want {
			t.Errorf("%s %q: %+v, %v", c.kind, c.detail, got, ok)
		}
	}
}

// Whoever adds a kind of event says what a reader is told of it, or that it is only for the
// record.
func TestEveryEventHasItsWords(t *testing.T) {
	onlyRecorded := []EventKind{
		EventDropped, EventSummed, EventRetention, EventRedacted, EventAgent, EventReload, EventChannel, EventBudgetRaised, EventDayRaised,
		EventKeeperShared, EventKeeperPruned, EventQuestionAnswered, EventQuestionPassed, EventQuestionExpired, EventQuestionFailed,
		EventClaimed, EventReleased, EventTokenCreated, EventTokenRevoked, EventSessionOpened, EventSessionEnded,
	}
	for _, kind := range EventKinds() {
		said, ok := TellEvent(kind, "detail")
		if ok == slices.Contains(onlyRecorded, kind) || ok && said.Verb == "" {
			t.Errorf("%s: %+v, %v", kind, said, ok)
		}
	}
}
