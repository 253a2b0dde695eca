package agent

import "testing"

// What the person has asked for.
func TestRunTriesThreeTimes(t *testing.T) {
	m := &moody{failures: 2}
	if got, err := New(m).Run("How are you?"); got != "fine" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	m = &moody{failures: 100}
	if _, err := New(m).Run("How are you?"); err == nil || m.calls != 3 {
		t.Errorf("%d calls, %v", m.calls, err)
	}
}
