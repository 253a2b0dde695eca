package scenario

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/store"
)

// chatter makes an agent send n notifications in one reply; in replies of their
// own the turn would be stopped for going in circles.
func chatter(n int) string {
	var b strings.Builder
	b.WriteString("agents:\n  ChattyBot:\n    - match: 'Talk'\n      steps:\n        - calls:\n")
	for i := range n {
		fmt.Fprintf(&b, "            - {tool: contact_agent, args: {action: notify, agentId: DataBot, message: 'Number %d.'}}\n", i+1)
	}
	b.WriteString("        - say: 'Enough.'\n    - steps: [{call: contact_agent, args: {action: notify, agentId: DataBot, message: 'More.'}}, {say: '{{result}}'}]\n")
	return b.String()
}

func TestAnAgentStartsTenContactsAMinuteInBurstsOfTwenty(t *testing.T) {
	Play(t, Team{Agents: []string{"ChattyBot", "DataBot"}, Script: chatter(22)}, func(s *Stage) {
		id := s.As("rutger").Delegate("ChattyBot", "Talk.")
		s.Wait(id)
		results := s.Results(id)
		for _, r := range results[:20] {
			s.Equal("within", "Notification sent to DataBot.", r)
		}
		s.Equal("past it", []string{
			"Error: rate limit reached (10 messages per minute). Try again in 6 seconds.",
			"Error: rate limit reached (10 messages per minute). Try again in 6 seconds.",
		}, results[20:])
		s.Equal("stored", 20, len(s.DM("ChattyBot", "DataBot")))
		s.Pass(3*time.Second + 500*time.Millisecond)
		s.Equal("later", "Error: rate limit reached (10 messages per minute). Try again in 3 seconds.", s.As("rutger").Ask("ChattyBot", "More."))
		s.Pass(2*time.Second + 500*time.Millisecond)
		s.Equal("when one has flowed back", "Notification sent to DataBot.", s.As("rutger").Ask("ChattyBot", "More."))
		s.Equal("and only one", "Error: rate limit reached (10 messages per minute). Try again in 6 seconds.", s.As("rutger").Ask("ChattyBot", "More."))
	})
}

func TestTheRateIsKeptAcrossRestarts(t *testing.T) {
	Play(t, Team{Agents: []string{"ChattyBot", "DataBot"}, Script: chatter(20)}, func(s *Stage) {
		s.Wait(s.As("rutger").Delegate("ChattyBot", "Talk."))
		s = s.Restart()
		s.Pass(4 * time.Second)
		s.Equal("after a restart", "Error: rate limit reached (10 messages per minute). Try again in 2 seconds.", s.As("rutger").Ask("ChattyBot", "More."))
	})
}

func TestAPersonHasNoRate(t *testing.T) {
	Play(t, Team{Agents: []string{"ChattyBot", "DataBot"}, Script: chatter(1)}, func(s *Stage) {
		for range 50 {
			s.As("rutger").Notify("DataBot", "News.")
		}
	})
}

func TestRepliesAndResultsDoNotCountForTheRate(t *testing.T) {
	Play(t, Team{Agents: []string{"DataBot", "CallerBot"}, Script: `
agents:
  CallerBot:
    - match: 'from rutger'
      steps:
        - {call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Figures.'}}
        - {call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Figures.'}}
        - say: 'Begun.'
    - steps: [{say: 'Thanks.'}]
  DataBot: [{steps: [{say: 'Here.'}]}]
`, Member: limits(func(l *parley.Limits) { l.Rate = 2 })}, func(s *Stage) {
		id := s.As("rutger").Delegate("CallerBot", "Go.")
		s.Wait(id)
		s.Equal("two contacts, two answers", "Response from DataBot: Here.", s.Results(id)[1])
		var rate parley.Rate
		s.view(func(tx *store.Tx) error {
			a, err := tx.Agent(s.agent("DataBot"))
			rate = a.Rate
			return err
		})
		s.Equal("DataBot's", parley.Rate{}, rate)
	})
}

func TestATurnHasThirtySteps(t *testing.T) {
	steps := func(n int) string {
		return "agents:\n  LoopBot:\n    - steps:\n" + strings.Repeat("        - {call: list_agents, args: {}}\n", n) + "        - say: 'Done.'\n"
	}
	Play(t, Team{Agents: []string{"CoordinatorBot", "LoopBot", "OtherBot"}, Script: steps(40) + `
  CoordinatorBot:
    - match: Begin
      steps: [{call: contact_agent, args: {action: delegate, agentId: LoopBot, message: 'Loop.'}}, {say: 'Begun.'}]
    - steps: [{say: '{{input}}'}]
  OtherBot: [{steps: [{say: 'x'}]}]
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Wait(root)
		s.Equal("steps of the model", 30, len(s.Models.Shown("LoopBot")))
		s.Equal("read", "[Delegation Failed | LoopBot | task-102]\nError: LoopBot failed to complete the task: the limit of 30 steps in a turn is reached.", s.Result(root))
	})
}

func TestTheThirtiethStepMayBeTheLast(t *testing.T) {
	Play(t, Team{Agents: []string{"LoopBot"}, Script: "agents:\n  LoopBot:\n    - steps:\n" +
		strings.Repeat("        - {call: list_agents, args: {}}\n", 29) + "        - say: 'Done.'\n"}, func(s *Stage) {
		s.Equal("answer", "Done.", s.As("rutger").Ask("LoopBot", "Loop."))
	})
}

func TestFiveFailedToolCallsInARowStopTheTurn(t *testing.T) {
	bad := "        - {call: contact_agent, args: {action: shout, agentId: DataBot, message: 'x'}}\n"
	good := "        - {call: list_agents, args: {}}\n"
	Play(t, Team{Agents: []string{"StubbornBot", "LuckyBot", "DataBot"}, Script: "agents:\n" +
		"  StubbornBot:\n    - steps:\n" + strings.Repeat(bad, 6) + "        - say: 'Done.'\n" +
		"  LuckyBot:\n    - steps:\n" + strings.Repeat(bad, 4) + good + strings.Repeat(bad, 4) + "        - say: 'Done.'\n"}, func(s *Stage) {
		id := s.As("rutger").Delegate("StubbornBot", "Go.")
		s.Wait(id)
		s.Equal("state", parley.TaskFailed, s.Task(id).State)
		s.Equal("error", "five tool calls in a row failed.", s.Task(id).Error)
		s.Equal("calls", 5, len(s.Results(id)))
		s.Equal("one that works begins anew", "Done.", s.As("rutger").Ask("LuckyBot", "Go."))
	})
}

func TestAnIdleTeamMakesNoModelCallsAndNoWrites(t *testing.T) {
	var writes atomic.Int64
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		file := filepath.Join(dir, "parley.db")
		s := Raise(t, Team{Agents: []string{"DataBot", "SleepyBot"}, Script: `
agents:
  DataBot: [{steps: [{say: 'Yes.'}]}]
`, Hub: func(c *app.HubConfig) {
			c.Store = counted{c.Store, &writes}
			c.Poll = 0 // as in earnest
		}}, OpenFile(t, file))
		s.As("rutger").Ask("DataBot", "Are you there?")
		s.As("rutger").Sleep("SleepyBot", 72*time.Hour)
		s.As("rutger").Delegate("SleepyBot", "In three days.")
		s.Pass(time.Minute)
		steps, before, files := len(s.Models.Shown("DataBot")), writes.Load(), contents(t, dir)
		s.Pass(24 * time.Hour)
		s.Equal("steps of the models", steps, len(s.Models.Shown("DataBot")))
		s.Equal("transactions", before, writes.Load())
		s.Equal("bytes on disk", files, contents(t, dir))
	})
}

// counted counts the transactions that may write.
type counted struct {
	store.Store
	n *atomic.Int64
}

func (c counted) Update(ctx context.Context, fn func(*store.Tx) error) error {
	c.n.Add(1)
	return c.Store.Update(ctx, fn)
}

// contents sums up the files of a folder, except SQLite's shared memory, where
// readers leave their marks.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "-shm") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sums[filepath.Base(name)] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	return sums
}

func TestTheRecordHasEverythingThatHappened(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot", "SlowBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps:
        - {call: contact_agent, args: {action: notify, agentId: DataBot, message: 'News.'}}
        - {call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Well?'}}
        - {call: contact_agent, args: {action: ask, agentId: SlowBot, message: 'Well?'}}
        - {call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Fail.', priority: high}}
        - {call: contact_agent, args: {action: delegate, agentId: SlowBot, message: 'Work.'}}
        - say: 'Begun.'
    - steps: [{say: 'Noted.'}]
  DataBot:
    - match: 'Fail'
      steps: [{wait: 1s, fail: 'Broken.'}]
    - steps: [{say: 'Yes.'}]
  SlowBot:
    - steps: [{wait: 3m, say: 'At last.'}]
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Pass(2*time.Minute + 2*time.Second)
		s.As("rutger").Cancel(105)
		s.Wait(root)
		s.As("rutger").Sleep("DataBot", time.Hour)
		s.As("rutger").Offline("SlowBot")
		s.As("rutger").Refused(parley.Ask, ask("SlowBot"))
		s.Pass(time.Hour)
		s.Equal("record", []string{
			"agent.changed to rutger (joined)",
			"agent.changed to CoordinatorBot (joined)",
			"agent.changed to DataBot (joined)",
			"agent.changed to SlowBot (joined)",
			"task.opened by rutger to CoordinatorBot task-101 (delegate)",
			"message.accepted by CoordinatorBot to DataBot (notify)",
			"task.opened by CoordinatorBot to DataBot task-102 (ask)",
			"task.completed by DataBot to CoordinatorBot task-102",
			"task.opened by CoordinatorBot to SlowBot task-103 (ask)",
			"ask.timed_out by CoordinatorBot to SlowBot task-103",
			"task.opened by CoordinatorBot to DataBot task-104 (delegate)",
			"task.opened by CoordinatorBot to SlowBot task-105 (delegate)",
			"task.waiting by CoordinatorBot to rutger task-101 (2 open)",
			"task.failed by DataBot to CoordinatorBot task-104 (Broken.)",
			"task.waiting by CoordinatorBot to rutger task-101 (1 open)",
			"task.cancelled by rutger to SlowBot task-105",
			"task.completed by CoordinatorBot to rutger task-101",
			"agent.status by rutger to DataBot (sleeping until 2000-01-01T01:02:02Z)",
			"agent.status by rutger to SlowBot (offline)",
			"contact.refused by rutger to SlowBot (ask: SlowBot is offline (agent unavailable). Use 'notify' to leave a message, or choose another agent. [rule: status])",
			"task.completed by SlowBot to CoordinatorBot task-103",
		}, s.Events())
	})
}
