package scenario

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
)

func TestATaskIsRescuedThreeTimesAndThenFails(t *testing.T) {
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		team := Team{Agents: []string{"CoordinatorBot", "DoomBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps: [{call: contact_agent, args: {action: delegate, agentId: DoomBot, message: 'Go.'}}, {say: 'Begun.'}]
    - steps: [{say: '{{input}}'}]
  DoomBot: [{steps: [{wait: 1h, say: 'Done.'}]}]
`}
		file := filepath.Join(t.TempDir(), "parley.db")
		models := parseModels(t, team)
		for life := 1; ; life++ {
			var m *Mortal
			team.Hub = func(c *app.HubConfig) { m = NewMortal(t, c.Store); c.Store = m }
			s := raise(t, team, OpenFile(t, file), models)
			if life == 1 {
				s.As("rutger").Delegate("CoordinatorBot", "Begin.")
			}
			s.Pass(time.Minute)
			if life <= 4 {
				s.Equal("rescues", life-1, s.Task(102).Rescues)
				s.Equal("state", parley.Running, s.Task(102).State)
				m.Kill()
				s.Abandon()
				file = Remains(t, file)
				continue
			}
			s.Equal("after the fourth crash", parley.TaskFailed, s.Task(102).State)
			s.Equal("the parent reads", "[Delegation Failed | DoomBot | task-102]\n"+
				"Error: DoomBot failed to complete the task: its turn was interrupted too often (the limit of rescues is reached).", s.Result(101))
			s.Equal("record", []string{"task.rescued to DoomBot task-102 (rescue 1)", "task.rescued to DoomBot task-102 (rescue 2)",
				"task.rescued to DoomBot task-102 (rescue 3)"}, s.Events(parley.EventRescued))
			s.Stop()
			s.CheckPromises()
			return
		}
	})
}

func TestFailureIsReportedOnceNotPerAttempt(t *testing.T) {
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		team := Team{Agents: []string{"CoordinatorBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps: [{call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Go.'}}, {say: 'Begun.'}]
    - steps: [{say: '{{input}}'}]
  DataBot: [{steps: [{wait: 10m, say: 'Done.'}]}]
`}
		file := filepath.Join(t.TempDir(), "parley.db")
		for attempt := 1; ; attempt++ {
			s, m := doomed(t, team, file)
			if attempt == 1 {
				s.As("rutger").Delegate("CoordinatorBot", "Begin.")
			}
			s.Pass(time.Minute)
			if attempt <= 3 {
				m.Kill()
				s.Abandon()
				file = Remains(t, file)
				continue
			}
			s.Pass(time.Hour)
			s.Equal("what the parent was told", []Said{
				{"rutger", parley.DelegateMessage, "[Agent Request from rutger | Pattern: delegate | Priority: normal | Task: task-101]\n\nBegin."},
				{"CoordinatorBot", parley.ReplyMessage, "Begun."},
				{"DataBot", parley.ResultMessage, "[Delegation Result from DataBot | task-102]\nDone."},
				{"CoordinatorBot", parley.ReplyMessage, "[Delegation Result from DataBot | task-102]\nDone."},
			}, s.DM("rutger", "CoordinatorBot"))
			return
		}
	})
}

func TestAnAskFoundAgainAfterACrashWaitsOnlyForTheRestOfItsTime(t *testing.T) {
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		team := Team{Agents: []string{"CallerBot", "SlowBot"}, Script: slowTarget, Member: func(m *app.Member) { m.Limits.Rescues = 1000 }}
		file := filepath.Join(t.TempDir(), "parley.db")
		began := time.Now()
		s, life := doomed(t, team, file)
		s.As("rutger").Delegate("CallerBot", "Ask and leave.")
		s.Pass(100 * time.Second)
		life.Kill()
		s.Abandon()
		s = Raise(t, team, OpenFile(t, Remains(t, file)))
		s.Wait(101)
		s.Equal("took", 120*time.Second, time.Since(began))
		s.Equal("read", []string{timedOut}, s.Results(101))
		s.Pass(time.Hour)
	})
}

// TestAnAnswerComesOnceAlsoIfTheTimeOutReachedNobody: the time of an ask runs
// out, the hub dies at one of the next commits, and after the restart the
// answer is there before the asking turn goes on.
func TestAnAnswerComesOnceAlsoIfTheTimeOutReachedNobody(t *testing.T) {
	for _, request := range []string{"Ask and stay five.", "Ask and await."} {
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			for n := 1; n <= 7; n++ {
				bubbletest.Test(t, func(t *testing.T) {
					team := Team{Agents: slowTeam.Agents, Script: slowTarget}
					file := filepath.Join(t.TempDir(), "parley.db")
					s, life := doomed(t, team, file)
					s.As("rutger").Delegate("CallerBot", request)
					s.Pass(110 * time.Second)
					s.As("rutger").Offline("CallerBot") // its turn goes on, and is not taken up again
					life.Doom(n, false)
					if s.Dies(life, 4*time.Minute) {
						shown := s.Models
						s = Raise(t, team, OpenFile(t, Remains(t, file)))
						s.Models.Adopt(shown)
						s.Pass(10 * time.Minute)
					}
					s.As("rutger").Online("CallerBot")
					s.Pass(10 * time.Minute)
					s.Equal("state", parley.Completed, s.Task(101).State)
					heard := 0
					for _, line := range s.Saw("CallerBot", -1) {
						if !strings.HasPrefix(line, "assistant: ") {
							heard += strings.Count(line, "At last.")
						}
					}
					s.Equal(fmt.Sprintf("at commit %d: how often the answer was heard", n), 1, heard)
				})
				if t.Failed() {
					return
				}
			}
		})
	}
}
