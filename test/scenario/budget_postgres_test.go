package scenario

import (
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/pgtest"
)

func TestPostgresASpentBudgetIsRaised(t *testing.T) {
	playPostgres(t, workers(strings.ReplaceAll(worker, "wait: 1s, ", "")), func(s *Stage) {
		id := s.As("rutger").DelegateWith(parley.Budget{Tokens: 200, Money: parley.Dollar, Tasks: 5}, "WorkBot", "Work.")
		s.Until("it waits for its budget", func() bool { return s.Task(id).Waits == parley.WaitTree })
		s.As("rutger").Raise(id, parley.Budget{Tokens: 100})
		s.Wait(id)
		s.Equal("result", "Done.", s.Result(id))
		s.Equal("tokens", int64(300), s.Account(id).Spent.Tokens())
		s.Equal("money", parley.Money(30_000), s.Account(id).Spent.Money)
	})
}

// Children that think at once never take more than there is.
func TestPostgresParallelChildrenShareABudget(t *testing.T) {
	playPostgres(t, workers(strings.ReplaceAll(strings.ReplaceAll(parents, "%d", "50"), "wait: 10s, ", "")), func(s *Stage) {
		root := s.As("rutger").DelegateWith(parley.Budget{Tokens: 105}, "WorkBot", "Go.")
		s.Until("something waits for the budget", func() bool { return len(s.Events(parley.EventBudgetSpent)) == 1 })
		if spent := s.Account(root).Spent.Tokens(); spent > 105 {
			s.Errorf("%d of 105 tokens", spent)
		}
		s.As("rutger").Raise(root, parley.Budget{Tokens: 1000})
		s.Wait(root)
		s.Equal("tasks", int64(3), s.Account(root).Tasks)
	})
}

// Two hubs on one database: what one pauses, the other stops.
func TestPostgresAPauseHoldsForAllHubs(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	team := workers(strings.ReplaceAll(worker, "wait: 1s, ", ""))
	here, there := Raise(t, team, openPostgres(t, dsn)), Raise(t, team, openPostgres(t, dsn))
	gate := there.Models.Hold("WorkBot")
	id := there.As("rutger").Delegate("WorkBot", "Work.")
	gate.Arrived()
	here.As("rutger").Pause()
	there.Until("the other hub has heard", func() bool { return there.Paused(there.id) })
	gate.Open()
	here.Until("the turn has stopped", func() bool { return here.Task(id).State == parley.Queued })
	later := here.As("rutger").Delegate("WorkBot", "Later.")
	here.Equal("queued", parley.Queued, here.Task(later).State)
	there.As("rutger").Resume()
	for _, id := range []parley.TaskID{id, later} {
		here.Equal("state", parley.Completed, here.Wait(id).State)
	}
}

// A tree is given a budget while its children are being made and think: all that they
// do is counted once, and nobody waits for the other's lock for ever.
func TestPostgresARunningTreeIsGivenABudget(t *testing.T) {
	playPostgres(t, workers(strings.ReplaceAll(strings.ReplaceAll(parents, "%d", "50"), "wait: 10s, ", "wait: 50ms, ")), func(s *Stage) {
		for range 5 {
			root := s.As("rutger").Delegate("WorkBot", "Go.")
			var set sync.WaitGroup
			for range 3 {
				set.Go(func() {
					err := s.Contacts.SetBudget(s.Context(), s.As("rutger").Caller, root, parley.Budget{Tokens: 10_000})
					if err != nil && parley.KindOf(err) != parley.Conflict { // it may have ended
						s.Error(err)
					}
				})
			}
			set.Wait()
			s.Wait(root)
			s.Equal("tasks", int64(3), s.Account(root).Tasks)
		}
	})
}
