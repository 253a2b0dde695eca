package scenario

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/bubbletest"
	"parley/internal/policy"
	"parley/internal/store"
)

// Here time is over and the hub has not acted on it yet. In a working hub that moment
// is short, but a request that arrives in it must be refused all the same.

// lateClock plays a scenario and holds the clock from the beginning. play releases
// it.
func lateClock(t *testing.T, team Team, play func(s *Stage, letGo func())) {
	t.Helper()
	Play(t, team, func(s *Stage) { play(s, s.HoldClock()) })
}

func TestAnExpiredApprovalIsNotGivenBeforeTheClockActs(t *testing.T) {
	for _, how := range []string{"approve", "deny"} {
		t.Run(how, func(t *testing.T) {
			lateClock(t, asker, func(s *Stage, letGo func()) {
				id := s.As("rutger").Delegate("CallerBot", "Go.")
				s.Pass(time.Second)
				a := s.pending(id)
				s.Pass(24 * time.Hour)
				s.Equal("still pending", parley.ApprovalPending, s.Approval(a).State)
				var err error
				if how == "approve" {
					err = s.approve(s.As("rutger").Caller, a)
				} else {
					err = s.deny(s.As("rutger").Caller, a, "No.")
				}
				s.Equal("refused", "Error: "+a.String()+" has expired.", parley.ToolError(err))
				letGo()
				s.Wait(id)
				s.Equal("expired", parley.ApprovalExpired, s.Approval(a).State)
				s.Equal("as a denial", true, strings.Contains(s.Results(id)[0], "Approval denied for contacting DataBot."))
				s.Equal("nothing was said", 0, len(s.Models.Shown("DataBot")))
			})
		})
	}
}

// asker is CallerBot, who needs approval to contact DataBot.
var asker = Team{Agents: []string{"CallerBot", "DataBot"}, Member: under(map[string]ruleset{"CallerBot": {behavior: policy.Supervised}}), Script: `
agents:
  CallerBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: DataBot, message: 'How many?'}}, {say: 'Done: {{result}}'}]}]
  DataBot: [{steps: [{say: '42'}]}]
`}

// pending is what a task waits for.
func (s *Stage) pending(id parley.TaskID) (a parley.ApprovalID) {
	s.Helper()
	s.view(func(tx *store.Tx) error {
		list, err := tx.ApprovalsOf(id)
		if len(list) != 1 {
			s.Fatalf("%s waits for %d approvals", id, len(list))
		}
		a = list[0].ID
		return err
	})
	return a
}

func TestAnExpiredQuestionTakesNoAnswerBeforeTheClockActs(t *testing.T) {
	lateClock(t, Team{Agents: []string{"AskerBot", "SlowBot"}, Member: loom, Script: `
agents:
  AskerBot:
    - match: 'Query Unanswered'
      steps: [{say: 'Nobody knows.'}]
    - steps: [{call: peer_ask_question, args: {question: 'Why?', target: SlowBot}}, {wait: 40m, say: 'I asked.'}]
  SlowBot: [{steps: [{wait: 11m, call: peer_answer_question, args: {query_id: query-1, answer: 'Because.'}}, {say: 'Too late.'}]}]
`}, func(s *Stage, letGo func()) {
		id := s.As("rutger").Delegate("AskerBot", "Find out.")
		s.Pass(12 * time.Minute)
		slow := s.Children(id)[0]
		s.Equal("the answer", []string{"Query query-1 not found (may have expired)."}, s.Results(slow.ID))
		s.Equal("nothing came", 0, s.Task(id).InboxCount)
		letGo()
		s.Pass(time.Minute)
		s.Equal("the asker is told once", 1, s.Task(id).InboxCount)
		s.Wait(id)
		s.Equal("still once", 1, s.Task(id).InboxCount)
	})
}

// A task past its deadline that ends before the clock acts has ended: the clock
// finds nothing left to fail.
func TestATaskThatEndsPastItsDeadlineHasEnded(t *testing.T) {
	lateClock(t, Team{Agents: []string{"SlowBot"}, Script: `
agents:
  SlowBot: [{steps: [{wait: 170h, say: 'Done at last.'}]}]
`}, func(s *Stage, letGo func()) {
		id := s.As("rutger").Delegate("SlowBot", "Take your time.")
		s.Pass(171 * time.Hour)
		s.Equal("the turn came first", parley.Completed, s.Task(id).State)
		letGo()
		s.Pass(time.Minute)
		s.Equal("it stays", []any{parley.Completed, "Done at last."}, []any{s.Task(id).State, s.Result(id)})
		s.Equal("no failure on record", 0, len(s.Events(parley.EventFailed)))
	})
}

// An agent whose sleep is over is awake even if the clock has not made its delayed
// work due: new work begins at once, and delayed work follows with the clock.
func TestWhoseSleepIsOverIsAwakeBeforeTheClockActs(t *testing.T) {
	lateClock(t, Team{Agents: []string{"SleepyBot"}, Script: `
agents:
  SleepyBot: [{steps: [{say: 'You said: {{body}}'}]}]
`}, func(s *Stage, letGo func()) {
		s.As("rutger").Sleep("SleepyBot", time.Hour)
		put := s.As("rutger").Delegate("SleepyBot", "Later.")
		s.Pass(time.Hour)
		s.Equal("awake", parley.StatusIdle, s.Status("SleepyBot"))
		s.Equal("what was put off", parley.Queued, s.Task(put).State)
		now := s.As("rutger").Delegate("SleepyBot", "Now.")
		s.Pass(time.Second)
		s.Equal("new work", []any{parley.Completed, parley.Queued}, []any{s.Task(now).State, s.Task(put).State})
		letGo()
		s.Pass(time.Second)
		s.Equal("with the clock", parley.Completed, s.Task(put).State)
	})
}

// An expired claim belongs to nobody, even if its row is still there.
func TestAnExpiredClaimIsFreeBeforeAnybodySweeps(t *testing.T) {
	lateClock(t, Team{Agents: []string{"OneBot", "TwoBot"}, Script: idle}, func(s *Stage, letGo func()) {
		one, two := s.As("OneBot").Caller, s.As("TwoBot").Caller
		lines := parley.Lines{From: 1, To: 10}
		first, err := s.Claims.Take(s.Context(), one, "main.go", lines)
		s.Equal("taken", []any{nil, 0}, []any{err, len(first.Conflicts)})
		s.Pass(5*time.Minute - time.Microsecond)
		other, err := s.Claims.Take(s.Context(), two, "main.go", lines)
		s.Equal("just before", []any{nil, 1}, []any{err, len(other.Conflicts)})
		s.Pass(time.Microsecond)
		list, err := s.Claims.List(s.Context(), one)
		s.Equal("the list", []any{nil, 0}, []any{err, len(list)})
		given, err := s.Claims.Release(s.Context(), one, "main.go", lines)
		s.Equal("nothing to give up", []any{nil, 0}, []any{err, len(given)})
		other, err = s.Claims.Take(s.Context(), two, "main.go", lines)
		s.Equal("free", []any{nil, 0, false}, []any{err, len(other.Conflicts), other.Renewed})
		again, err := s.Claims.Take(s.Context(), one, "main.go", lines)
		s.Equal("the first comes too late", []any{nil, 1}, []any{err, len(again.Conflicts)})
		letGo()
	})
}

// sharing is a store that several hubs of one process use as if over the network:
// their leases expire.
type sharing struct{ store.Store }

func (sharing) Shared() bool { return true }

// An expired lease still belongs to its worker until somebody takes the task over:
// until then the turn's results count, once, and afterwards they do not.
func TestALeaseThatHasRunOutHoldsUntilItIsTakenOver(t *testing.T) {
	for _, c := range []struct {
		name   string
		letGo  bool // before the suspended hub comes back
		result string
	}{
		{"nobody took it over", false, "First try."},
		{"it was taken over", true, "Second try."},
	} {
		t.Run(c.name, func(t *testing.T) {
			team := Team{Agents: []string{"SlowBot"}, Script: `
agents:
  SlowBot: [{steps: [{wait: 30s, say: 'First try.'}]}]
`}
			t.Parallel()
			bubbletest.Test(t, func(t *testing.T) {
				st := sharing{OpenFile(t, t.TempDir()+"/parley.db")}
				suspended := NewMortal(t, st)
				one := Raise(t, team, suspended)
				id := one.As("rutger").Delegate("SlowBot", "Go.")
				one.Pass(10 * time.Second)
				team.Script = strings.ReplaceAll(team.Script, "First", "Second")
				two := Raise(t, team, st)
				letGo := two.HoldClock()
				suspended.Kill() // the machine sleeps
				two.Pass(25 * time.Second)
				two.Equal("its lease is over and nobody has acted", parley.Running, two.Task(id).State)
				if c.letGo {
					letGo()
					two.Pass(10 * time.Second)
				}
				suspended.Resume()
				two.Pass(time.Minute)
				two.Equal("one result", c.result, two.Result(id))
				rescued := 0
				if c.letGo {
					rescued = 1
				}
				two.Equal("rescues", rescued, two.Task(id).Rescues)
				one.Stop()
				two.Stop()
				two.Models.Adopt(one.Models)
				two.CheckPromises()
			})
		})
	}
}

// An expired request from outside is not made, even if its caller has not been told.
func TestAnExpiredRequestFromOutsideIsNotMade(t *testing.T) {
	lateClock(t, visitors(counting), func(s *Stage, letGo func()) {
		visitor := s.As("VisitorBot")
		a := visitor.Wants(parley.Delegate, howMany)
		s.Pass(24 * time.Hour)
		err := s.approve(s.As("rutger").Caller, a)
		s.Equal("refused", "Error: "+a.String()+" has expired.", parley.ToolError(err))
		letGo()
		s.Pass(time.Minute)
		s.Equal("expired", parley.ApprovalExpired, s.Approval(a).State)
	})
}

// A result for a task whose agent sleeps waits with it: the turn continues when the
// agent wakes, not before.
func TestAResultForOneWhoSleepsWaitsUntilItWakes(t *testing.T) {
	Play(t, Team{Agents: []string{"BossBot", "WorkerBot"}, Script: `
agents:
  BossBot:
    - match: '^\[Delegation Result'
      steps: [{say: 'Got it.'}]
    - steps: [{call: contact_agent, args: {action: delegate, agentId: WorkerBot, message: 'Work.'}}, {say: 'I wait.'}]
  WorkerBot: [{steps: [{wait: 10m, say: 'Done.'}]}]
`}, func(s *Stage) {
		id := s.As("rutger").Delegate("BossBot", "Go.")
		s.Pass(time.Minute)
		s.As("rutger").Sleep("BossBot", time.Hour)
		s.Pass(30 * time.Minute)
		s.Equal("the result is there", []any{1, parley.Queued}, []any{s.Task(id).InboxCount, s.Task(id).State})
		s.Equal("and nobody has read it", 2, len(s.Models.Shown("BossBot")))
		s.Pass(30 * time.Minute)
		s.Equal("with the end of the sleep", []any{parley.Completed, "Got it."}, []any{s.Task(id).State, s.Result(id)})
	})
}
