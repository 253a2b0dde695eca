package scenario

import (
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/app"
)

const patient = `
agents:
  LeadBot:
    - match: Look
      steps: [{say: 'Looked.'}]
    - match: Delegation Result
      steps: [{say: 'Done.'}]
    - steps:
        - {call: contact_agent, args: {action: delegate, agentId: WorkBot, message: Work.}}
        - {call: remind, args: {task_id: task-102, after: 10m}}
        - {say: 'Waiting.'}
  WorkBot:
    - steps:
        - {wait: 30m, call: list_agents}
        - {wait: 2h, say: 'Worked.'}
`

func patientTeam() Team {
	return Team{Agents: []string{"LeadBot", "WorkBot"}, People: []string{"rutger", "zoe"}, Script: patient}
}

// A reminder to an agent is mail: it starts no turn, and the next one shows it.
func TestAnAgentIsRemindedByMail(t *testing.T) {
	Play(t, patientTeam(), func(s *Stage) {
		id := s.As("rutger").Delegate("LeadBot", "Lead.")
		s.Pass(9 * time.Minute)
		s.Equal("told", "You'll be reminded if task-102 is still open after 10m.", s.Results(id)[1])
		turns := len(s.Models.Shown("LeadBot"))
		s.Pass(2 * time.Minute)
		s.Equal("no turn", turns, len(s.Models.Shown("LeadBot")))
		s.Equal("on record", []string{"reminder.set by LeadBot to WorkBot task-102 (after 10m)", "task.reminded to LeadBot task-102 (is not finished yet)"},
			s.Events(parley.EventReminderSet, parley.EventReminded))
		look := s.As("rutger").Delegate("LeadBot", "Look.")
		s.Wait(look)
		s.Equal("its next turn shows it", true, s.Models.Showed("LeadBot", "[Reminder | task-102]\n\ntask-102 of WorkBot is not finished yet (running): Work."))
		s.Pass(3 * time.Hour)
		s.Equal("once", 1, len(s.Events(parley.EventReminded)))
		s.Equal("state", parley.Completed, s.Task(id).State)
	})
}

func TestAPersonIsRemindedInTheInbox(t *testing.T) {
	Play(t, patientTeam(), func(s *Stage) {
		remind := func(who string, id parley.TaskID, after time.Duration) error {
			_, err := s.Contacts.Remind(s.Context(), s.As(who).Caller, id, after)
			return err
		}
		id := s.As("rutger").Delegate("WorkBot", "Work.")
		soon := s.As("rutger").Delegate("WorkBot", "Work too.")
		for who, after := range map[string]time.Duration{"rutger": time.Hour, "zoe": 4 * time.Hour} { // zoe's is never told
			if err := remind(who, id, after); err != nil {
				t.Error(err)
			}
		}
		if err := remind("rutger", soon, time.Minute); err != nil {
			t.Error(err)
		}
		if err := remind("rutger", soon, 3*time.Hour); err != nil { // replaces the other
			t.Error(err)
		}
		s.Pass(30 * time.Minute)
		s.Equal("not yet", 0, len(s.Inbox("rutger")))
		s = s.Restart()
		s.Pass(31 * time.Minute)
		s.Equal("inbox", []Said{{By: "rutger", Kind: parley.ReminderMessage, Text: "[Reminder | task-101]\n\ntask-101 of WorkBot is not finished yet (running): Work."}}, s.Inbox("rutger"))
		s.Pass(4 * time.Hour)
		s.Equal("of ended tasks nobody is reminded", 1, len(s.Events(parley.EventReminded)))
		if err := remind("rutger", id, time.Hour); parley.KindOf(err) != parley.Conflict {
			t.Errorf("of a task that has ended: %v", err)
		}
		if err := remind("LeadBot", id, time.Hour); parley.KindOf(err) != parley.Denied {
			t.Errorf("of a task that one does not wait for: %v", err)
		}
		if err := remind("rutger", 999, time.Hour); parley.KindOf(err) != parley.NotFound {
			t.Errorf("of no task: %v", err)
		}
		for _, after := range []time.Duration{0, -time.Hour, time.Millisecond, 367 * 24 * time.Hour, 1<<63 - 1} {
			if err := remind("rutger", id, after); parley.KindOf(err) != parley.Invalid {
				t.Errorf("after %s: %v", after, err)
			}
		}
	})
}

// A task without progress tells its requester once, however long that lasts. Work below it
// is progress.
func TestATaskWithoutProgressTellsItsRequesterOnce(t *testing.T) {
	team := patientTeam()
	team.Member = func(m *app.Member) { m.Limits.NudgeAfter = time.Hour }
	Play(t, team, func(s *Stage) {
		id := s.As("rutger").Delegate("LeadBot", "Lead.") // WorkBot makes a step after half an hour, and then none for two
		s.Pass(80 * time.Minute)
		s.Equal("too early", []string(nil), s.Events(parley.EventNudged))
		s.Pass(20 * time.Minute)
		s.Equal("told", []string{
			"task.nudged to LeadBot task-102 (has made no progress for 1h)",
			"task.nudged to rutger task-101 (has made no progress for 1h)",
		}, sorted(s.Events(parley.EventNudged), "LeadBot", "rutger"))
		s.Equal("inbox", 2, len(s.Inbox("rutger"))) // and what LeadBot said on the way
		s = s.Restart()
		s.Pass(45 * time.Minute)
		s.Equal("once", 2, len(s.Events(parley.EventNudged)))
		s.As("rutger").Cancel(id)
		synctest.Wait()
	})
}

// Nobody is told while the team is paused, and nobody who has not asked for it.
func TestNobodyIsNudgedWithoutNeed(t *testing.T) {
	Play(t, patientTeam(), func(s *Stage) {
		s.As("rutger").Delegate("WorkBot", "Work.")
		s.Pass(3 * time.Hour)
		s.Equal("without a limit", []string(nil), s.Events(parley.EventNudged))
	})
	t.Run("paused", func(t *testing.T) {
		team := patientTeam()
		team.Member = func(m *app.Member) { m.Limits.NudgeAfter = time.Minute }
		Play(t, team, func(s *Stage) {
			s.As("rutger").Pause()
			id := s.As("rutger").Delegate("WorkBot", "Work.")
			s.Pass(time.Hour)
			s.Equal("while paused", []string(nil), s.Events(parley.EventNudged))
			s.As("rutger").Resume()
			s.Pass(10 * time.Minute)
			s.Equal("then", 1, len(s.Events(parley.EventNudged)))
			s.As("rutger").Cancel(id)
			synctest.Wait()
		})
	})
}
