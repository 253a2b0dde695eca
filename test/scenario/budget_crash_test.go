package scenario

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
)

// Wherever the hub dies, before or after a reservation, a settlement, the parking or
// the raising, the tree spends what its stored steps say, no more is reserved than
// needed, and it finishes.
func TestACrashNeitherLeaksNorDoublesWhatIsSpent(t *testing.T) {
	for _, before := range []bool{true, false} {
		t.Run(fmt.Sprintf("before %v", before), func(t *testing.T) {
			n := 1
			for dieWithBudget(t, n, before) {
				n++
			}
			if n < 10 {
				t.Errorf("there were only %d commits to die at", n)
			}
		})
	}
}

func dieWithBudget(t *testing.T, n int, before bool) (died bool) {
	t.Helper()
	team := workers(worker)
	team.Member = func(m *app.Member) {
		m.Limits.Rescues = 1000
		m.Limits.Daily = parley.Budget{Tokens: 1 << 30}
	}
	bubbletest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "parley.db")
		first, life := doomed(t, team, file)
		id := first.As("rutger").DelegateWith(parley.Budget{Tokens: 200}, "WorkBot", "Work.")
		life.Doom(n, before)
		go func() {
			<-time.After(10 * time.Second)
			if !life.Dead() {
				_ = first.Contacts.RaiseBudget(first.Context(), first.As("rutger").Caller, id, parley.Budget{Tokens: 100}) // may be its last
			}
		}()
		s := first
		if died = first.Dies(life, 20*time.Second); died {
			s = Raise(t, team, OpenFile(t, Remains(t, file)))
			s.Pass(time.Minute)
			if s.Account(id).Limit.Tokens == 200 {
				s.As("rutger").Raise(id, parley.Budget{Tokens: 100})
			}
			s.Pass(time.Minute)
			s.Models.Adopt(first.Models)
		}
		s.Stop()
		s.Equal("result", "Done.", s.Result(id))
		s.Equal("tokens", int64(300), s.Account(id).Spent.Tokens())
		s.Equal("told once", 1, len(s.Events(parley.EventBudgetSpent)))
		s.CheckPromises()
	})
	return died
}
