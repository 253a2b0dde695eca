package agent

import (
	"errors"
	"testing"
)

var errBusy = errors.New("busy")

// moody fails a number of times before it answers.
type moody struct{ failures, calls int }

func (m *moody) Call(string) (string, error) {
	m.calls++
	if m.calls <= m.failures {
		return "", errBusy
	}
	return " fine\n", nil
}

func TestRunReturnsTheReply(t *testing.T) {
	if got, err := New(&moody{}).Run("How are you?"); got != "fine" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRunTellsWhyItFailed(t *testing.T) {
	if _, err := New(&moody{failures: 100}).Run("How are you?"); !errors.Is(err, errBusy) {
		t.Errorf("got %v", err)
	}
}
