package scenario

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

func TestAFailedDelegationComesBackSoThatTheCallerCanChooseAnother(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "WriterBot", "BackupBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps: [{call: contact_agent, args: {action: delegate, agentId: WriterBot, message: 'Write.'}}, {say: 'Begun.'}]
    - match: '^\[Delegation Failed \| WriterBot'
      steps: [{call: contact_agent, args: {action: delegate, agentId: BackupBot, message: 'Write.'}}, {say: 'Given to another.'}]
    - match: '^\[Delegation Result'
      steps: [{say: '{{body}}'}]
  WriterBot:
    - steps: [{wait: 1s, fail: 'Rate limit exceeded.'}]
  BackupBot:
    - steps: [{say: 'Written.'}]
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Wait(root)
		const failure = "[Delegation Failed | WriterBot | task-102]\nError: WriterBot failed to complete the task: Rate limit exceeded."
		s.Equal("read", "user: "+failure, s.Saw("CoordinatorBot", 3)[4])
		s.Equal("posted", Said{"WriterBot", parley.FailureMessage, failure}, s.DM("rutger", "CoordinatorBot")[2])
		s.Equal("result", "Written.", s.Result(root))
		s.Equal("tree", "task-101 CoordinatorBot completed\n  task-102 WriterBot failed\n  task-103 BackupBot completed\n", s.Tree(root))
	})
}

func TestADelegationHasADeadlineOfSevenDays(t *testing.T) {
	Play(t, Team{Agents: []string{"WriterBot"}, Script: `
agents:
  WriterBot: [{steps: [{wait: 240h, say: 'Written.'}]}]
`}, func(s *Stage) {
		id := s.As("rutger").Delegate("WriterBot", "Write.")
		s.Pass(7*24*time.Hour - time.Microsecond)
		s.Equal("a microsecond before", parley.Running, s.Task(id).State)
		s.Pass(time.Microsecond)
		s.Equal("then", parley.TaskFailed, s.Task(id).State)
		s.Equal("inbox", []Said{{"WriterBot", parley.FailureMessage,
			"[Delegation Failed | WriterBot | task-101]\nError: WriterBot failed to complete the task: its deadline has passed."}}, s.Inbox("rutger"))
		s.Equal("the turn is over too", parley.StatusIdle, s.Status("WriterBot"))
	})
}

func TestAPassedDeadlineIsToldToTheParent(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "WriterBot", "HelperBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps: [{call: contact_agent, args: {action: delegate, agentId: WriterBot, message: 'Write.'}}, {say: 'Begun.'}]
    - steps: [{say: '{{input}}'}]
  WriterBot: [{steps: [{call: contact_agent, args: {action: delegate, agentId: HelperBot, message: 'Help.'}}, {say: 'Waiting.'}]}]
  HelperBot: [{steps: [{wait: 240h, say: 'Helped.'}]}]
`, Member: func(m *app.Member) {
		if m.Name == "CoordinatorBot" {
			m.Limits.DelegationDeadline = time.Hour
		}
	}}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Pass(time.Hour)
		s.Equal("tree", "task-101 CoordinatorBot completed\n  task-102 WriterBot failed\n    task-103 HelperBot cancelled\n", s.Tree(root))
		s.Equal("read", "[Delegation Failed | WriterBot | task-102]\nError: WriterBot failed to complete the task: its deadline has passed.", s.Result(root))
	})
}

func TestTheDeadlineOfDelayedWorkBeginsWhenItIsDue(t *testing.T) {
	Play(t, Team{Agents: []string{"WriterBot"}, Script: `
agents:
  WriterBot: [{steps: [{wait: 2m, say: 'Written.'}]}]
`, Member: limits(func(l *parley.Limits) { l.DelegationDeadline = time.Hour })}, func(s *Stage) {
		s.As("rutger").Sleep("WriterBot", 24*time.Hour)
		id := s.As("rutger").Delegate("WriterBot", "Tomorrow.")
		s.Pass(25 * time.Hour)
		s.Equal("state", parley.Completed, s.Task(id).State)
	})
}

func TestACallerWithoutATaskMakesARootTaskAndFindsTheResultInItsInbox(t *testing.T) {
	Play(t, Team{Agents: []string{"WriterBot"}, Script: `
agents:
  WriterBot:
    - match: Fail
      steps: [{fail: 'No ink.'}]
    - steps: [{say: 'Written.'}]
`}, func(s *Stage) {
		one, two := s.As("rutger").Delegate("WriterBot", "Write."), s.As("rutger").Delegate("WriterBot", "Fail.")
		s.Wait(one)
		s.Wait(two)
		s.Equal("no parent", parley.TaskID(0), s.Task(one).Parent)
		s.Equal("its own root", one, s.Task(one).Root)
		s.Equal("inbox", map[Said]bool{
			{"WriterBot", parley.ReplyMessage, "Written."}: true,
			{"WriterBot", parley.FailureMessage, "[Delegation Failed | WriterBot | task-102]\nError: WriterBot failed to complete the task: No ink."}: true,
		}, set(s.Inbox("rutger")))
	})
}

func set[T comparable](list []T) map[T]bool {
	m := map[T]bool{}
	for _, v := range list {
		m[v] = true
	}
	return m
}

func TestTheClosingTextOfEveryTurnIsPostedAndTheLastIsTheResult(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot", "AnalystBot", "WriterBot"}, Script: quarterlyReview}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Prepare the quarterly review.")
		s.Pass(10 * time.Minute)
		var said []string
		for _, m := range s.DM("rutger", "CoordinatorBot") {
			if m.By == "CoordinatorBot" {
				said = append(said, m.Text)
			}
		}
		s.Equal("said", []string{"Handed out.", "Noted the work of DataBot.", "Noted the work of WriterBot.",
			"The review:\nDataBot: Revenue $2.4M.\nWriterBot: A good quarter.\nAnalystBot: Trend: up."}, said)
		s.Equal("result", last(said), s.Result(root))
	})
}

func TestATurnThatEndsWithoutAWordKeepsTheLastClosingText(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps: [{call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Work.'}}, {say: 'Begun.'}]
    - steps: [{say: ''}]
  DataBot:
    - steps: [{wait: 1s, say: ''}]
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Wait(root)
		s.Equal("result", "Begun.", s.Result(root))
		s.Equal("what an empty result reads like", "user: [Delegation Result from DataBot | task-102]\n(no text)", last(s.Saw("CoordinatorBot", -1)))
	})
}

func TestAResultLongerThanAMessageBecomesAnAttachmentWithAnExcerpt(t *testing.T) {
	long := strings.Repeat("0123456789", 20) // 200 bytes
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps: [{call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Count.'}}, {say: 'Begun.'}]
    - steps: [{say: 'Counted.'}]
  DataBot:
    - steps: [{say: '` + long + `'}]
`, Member: limits(func(l *parley.Limits) { l.MessageBytes = 50 + 97 })}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Wait(root)
		excerpt := long[:50] + "\n\n[This is the beginning of a text of 200 bytes; the whole is attached to the reply of task-102.]"
		s.Equal("the caller reads", "user: [Delegation Result from DataBot | task-102]\n"+excerpt, last(s.Saw("CoordinatorBot", -1)))
		s.Equal("reply", excerpt, s.Result(102))
		s.Equal("attached", long, s.Attachment(s.Task(102).Result))
	})
}

func TestAMessageOverTheLimitIsRefusedWithTheLimitNamed(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot:
    - match: 'Please (ask|delegate|notify)'
      steps:
        - {call: contact_agent, args: {action: '{{match 1}}', agentId: DataBot, message: '` + strings.Repeat("m", 60) + `', context: '` + strings.Repeat("c", 41) + `'}}
        - say: '{{result}}'
`, Member: limits(func(l *parley.Limits) { l.MessageBytes = 100 })}, func(s *Stage) {
		for _, action := range []string{"ask", "delegate", "notify"} {
			id := s.As("rutger").Delegate("CallerBot", "Please "+action+".")
			s.Wait(id)
			s.Equal(action, []string{"Error: The message has 101 bytes; the limit is 100. Shorten it, or put the text where the other can read it."}, s.Results(id))
		}
		s.Equal("default", 256<<10, parley.DefaultLimits().MessageBytes)
	})
}
