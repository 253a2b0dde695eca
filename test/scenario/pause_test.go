package scenario

import (
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/contact"
)

func TestAPausedTeamStopsAtTheNextStepAndGoesOn(t *testing.T) {
	Play(t, workers(worker), func(s *Stage) {
		gate := s.Models.Hold("WorkBot")
		id := s.As("rutger").Delegate("WorkBot", "Work.")
		gate.Arrived()
		s.As("rutger").Pause()
		s.As("rutger").Pause() // says nothing new
		synctest.Wait()
		gate.Open()
		s.Pass(time.Hour)
		task := s.Task(id)
		s.Equal("state", [3]any{parley.Queued, int64(0), 0}, [3]any{task.State, task.Worker, task.Rescues})
		s.Equal("the reply is kept", 1, len(s.Models.Shown("WorkBot")))
		steps := s.Steps(id)
		s.Equal("and its step", parley.StepReply, steps[len(steps)-1].Kind)

		later := s.As("rutger").Delegate("WorkBot", "Later.")
		ask := s.As("rutger").Begin("WorkBot", "Now?")
		s.Pass(time.Minute)
		s.Equal("queued", [2]parley.State{parley.Queued, parley.Queued}, [2]parley.State{s.Task(later).State, s.Task(ask).State})
		before := len(s.record())
		s.Pass(time.Hour)
		s.Equal("an idle team writes nothing", before, len(s.record()))

		s.As("rutger").Resume()
		for _, id := range []parley.TaskID{id, later, ask} {
			s.Equal("result", parley.Completed, s.Wait(id).State)
		}
		s.Equal("asked again of nobody", 9, len(s.Models.Shown("WorkBot")))
		s.Equal("on record", []string{"team.paused by rutger", "team.resumed by rutger"}, s.Events(parley.EventPaused, parley.EventResumed))
	})
}

func TestATeamStaysPausedAcrossARestart(t *testing.T) {
	Play(t, workers(worker), func(s *Stage) {
		s.As("rutger").Pause()
		s = s.Restart()
		id := s.As("rutger").Delegate("WorkBot", "Work.")
		s.Pass(time.Hour)
		s.Equal("state", parley.Queued, s.Task(id).State)
		s = s.Restart()
		s.Pass(time.Hour)
		s.Equal("state", parley.Queued, s.Task(id).State)
		s.As("rutger").Resume()
		s.Equal("state", parley.Completed, s.Wait(id).State)
	})
}

func TestAnAskOfAPausedTeamTimesOut(t *testing.T) {
	Play(t, workers(worker), func(s *Stage) {
		s.As("rutger").Pause()
		refused := s.As("rutger").Refused(parley.Ask, contact.Request{Target: "WorkBot", Message: "Well?"})
		s.Equal("reads", "Error: WorkBot did not respond within 120 seconds. Consider using 'delegate' for async processing. The team is paused; parley resume lets it go on. Its work goes on as task-101; await_task waits for the answer.", refused)
		s.As("rutger").Resume()
		s.Equal("state", parley.Completed, s.Wait(101).State)
	})
}
