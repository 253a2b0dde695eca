package access

import (
	"testing"
	"time"

	"parley"
)

func TestRefusalsPastThirtyAMinuteAreSummed(t *testing.T) {
	var r refusals
	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	for i := range refusalsOneByOne {
		if record, sum := r.take(1, "rate", now); !record || sum != "" {
			t.Fatalf("number %d: %v, %q", i, record, sum)
		}
	}
	if record, sum := r.take(1, "rate", now); record || sum != "more than 30 refusals within a minute; the others are counted" {
		t.Errorf("the first too many: %v, %q", record, sum)
	}
	for range 3 {
		if record, sum := r.take(1, "unknown", now.Add(59*time.Second)); record || sum != "" {
			t.Errorf("a further one: %v, %q", record, sum)
		}
	}
	if record, sum := r.take(2, "rate", now); !record || sum != "" {
		t.Errorf("somebody else: %v, %q", record, sum)
	}
	record, sum := r.take(1, "self", now.Add(time.Minute))
	if want := "4 further refusals in the minute from 2030-01-01T12:00:00Z: rate 1, unknown 3"; !record || sum != want {
		t.Errorf("the next minute: %v, %q", record, sum)
	}
	if record, sum := r.take(1, "self", now.Add(3*time.Minute)); !record || sum != "" {
		t.Errorf("a quiet minute has a sum: %v, %q", record, sum)
	}
}

func TestARefusalQuotesLittle(t *testing.T) {
	long := make([]byte, 1<<16)
	for i := range long {
		long[i] = 'x'
	}
	text := RefusalText("ask", parley.Errorf(parley.NotFound, "%s", long).WithRule("unknown"))
	if len(text) > 400 {
		t.Errorf("%d bytes", len(text))
	}
	if rule := (parley.Event{Kind: parley.EventRefused, Detail: text}).Rule(); rule != "unknown" {
		t.Errorf("the rule is %q", rule)
	}
}
