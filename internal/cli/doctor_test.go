package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/store/sqlite"
)

// Records from the future show that the clock was set back.
func TestDoctorComparesTheClockWithTheRecord(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/team")); err != nil {
		t.Fatal(err)
	}
	st, err := sqlite.Open(filepath.Join(dir, ".parley", "parley.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(tx *store.Tx) error {
		tx.Record(parley.Event{Team: 1, Kind: parley.EventAgent})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now  time.Time
		want string
		code int
	}{
		{time.Now(), "clock     not behind the newest record", exitOK},
		{time.Now().Add(-time.Hour - 90*time.Second), "This machine's clock is 1h 1m behind the newest record.", exitFailed},
	} {
		var out, stderr bytes.Buffer
		console := &console{out: &out, err: &stderr, getenv: func(string) string { return "" }, now: func() time.Time { return c.now }}
		root := newRoot(console)
		root.SetArgs([]string{"doctor", "--dir", dir})
		if code := console.fail(root.ExecuteContext(t.Context())); code != c.code {
			t.Errorf("exit code %d, want %d", code, c.code)
		}
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%q is not in:\n%s%s", c.want, &out, &stderr)
		}
	}
}
