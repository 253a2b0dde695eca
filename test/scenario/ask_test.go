package scenario

import (
	"testing"
	"time"

	"parley"
	"parley/internal/contact"
)

// slowTarget asks an agent that takes three minutes, and has a rule for each
// way in which a late answer can be met.
const slowTarget = `
agents:
  CallerBot:
    - match: 'Ask and stay (\w+)'
      steps:
        - {call: contact_agent, args: {action: ask, agentId: SlowBot, message: 'Well?'}}
        - {call: contact_agent, args: {action: delegate, agentId: OtherBot, message: 'Take {{match 1}}.'}}
        - say: 'Busy with something else.'
    - match: 'Ask and await'
      steps:
        - {call: contact_agent, args: {action: ask, agentId: SlowBot, message: 'Well?'}}
        - {call: await_task, args: {task_id: '{{capture "task-[0-9]+" result}}'}}
        - say: 'Waiting.'
    - match: 'Ask and leave'
      steps:
        - {call: contact_agent, args: {action: ask, agentId: SlowBot, message: 'Well?'}}
        - say: 'I cannot wait.'
    - match: '^\[Delegation (Result|Failed)'
      steps: [{say: 'Heard: {{input}}'}]
    - match: 'Pattern: ask'
      steps: [{say: 'Present.'}]
  SlowBot:
    - match: 'Well'
      steps: [{wait: 3m, say: 'At last.'}]
    - match: 'Call CallerBot'
      steps:
        - {call: contact_agent, args: {action: ask, agentId: CallerBot, message: 'Are you there?'}}
        - say: '{{result}}'
  OtherBot:
    - match: 'five'
      steps: [{wait: 5m, say: 'Five minutes.'}]
`

const timedOut = "Error: SlowBot did not respond within 120 seconds. Consider using 'delegate' for async processing. " +
	"Its work goes on as task-102; await_task waits for the answer."

var slowTeam = Team{Agents: []string{"CallerBot", "SlowBot", "OtherBot"}, Script: slowTarget}

func TestALateAnswerArrivesAsADelegationResultWhileTheTaskIsOpen(t *testing.T) {
	Play(t, slowTeam, func(s *Stage) {
		root := s.As("rutger").Delegate("CallerBot", "Ask and stay five.")
		s.Pass(3 * time.Minute)
		s.Equal("read", []string{timedOut, "Delegated to OtherBot (subtask task-103). You'll receive the result automatically when OtherBot finishes."}, s.Results(root))
		s.Equal("said of the late answer", "Heard: [Delegation Result from SlowBot | task-102]\nAt last.", s.Result(root))
		s.Equal("still open for the other", parley.Waiting, s.Task(root).State)
		s.Wait(root)
		s.Equal("said at the end", "Heard: [Delegation Result from OtherBot | task-103]\nFive minutes.", s.Result(root))
		s.Equal("turns", 3, s.Task(root).Turns)
	})
}

func TestAwaitTaskWaitsForALateAnswerAsForADelegation(t *testing.T) {
	Play(t, slowTeam, func(s *Stage) {
		root := s.As("rutger").Delegate("CallerBot", "Ask and await.")
		s.Pass(2*time.Minute + time.Second)
		s.Equal("read", []string{timedOut, "Waiting for SlowBot (task-102). You'll receive the result automatically when SlowBot finishes."}, s.Results(root))
		s.Equal("the task waits", parley.Waiting, s.Task(root).State)
		s.Equal("status", parley.StatusAwaitingDelegation, s.Status("CallerBot"))
		s.Pass(time.Minute)
		s.Equal("result", "Heard: [Delegation Result from SlowBot | task-102]\nAt last.", s.Result(root))
		s.Equal("state", parley.Completed, s.Task(root).State)
	})
}

func TestAnAnswerAfterTheEndOfTheCallersTaskIsShownAtTheNextTurnThere(t *testing.T) {
	Play(t, slowTeam, func(s *Stage) {
		root := s.As("rutger").Delegate("CallerBot", "Ask and leave.")
		s.Pass(2*time.Minute + time.Second)
		s.Equal("the caller is through", parley.Completed, s.Task(root).State)
		s.Pass(time.Minute)
		s.Equal("the answer came all the same", parley.Completed, s.Task(102).State)
		s.Equal("it is in the dm", []Said{
			{"CallerBot", parley.AskMessage, "[Agent Request from CallerBot | Pattern: ask]\n\nWell?"},
			{"SlowBot", parley.ReplyMessage, "At last."},
		}, s.DM("CallerBot", "SlowBot"))
		s.Equal("turns", 1, s.Task(root).Turns)
		reply := s.Task(102).Result
		s.Equal("not seen yet", "accepted", s.Delivery(reply, "CallerBot"))

		s.As("rutger").Ask("SlowBot", "Call CallerBot.")
		s.Equal("the next turn there", []string{
			"assistant: Well?",
			"user: SlowBot: At last.",
			"user: [Agent Request from SlowBot | Pattern: ask]\n\nAre you there?",
		}, s.Saw("CallerBot", -1))
		s.Equal("seen now", "seen", s.Delivery(reply, "CallerBot"))
	})
}

func TestALateFailureIsToldToo(t *testing.T) {
	Play(t, Team{Agents: slowTeam.Agents, Script: `
agents:
  CallerBot:
    - match: Go
      steps:
        - {call: contact_agent, args: {action: ask, agentId: SlowBot, message: 'Well?'}}
        - {call: await_task, args: {task_id: '{{capture "task-[0-9]+" result}}'}}
        - say: 'Waiting.'
    - steps: [{say: '{{input}}'}]
  SlowBot:
    - steps: [{wait: 3m, fail: 'Out of paper.'}]
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("CallerBot", "Go.")
		s.Wait(root)
		s.Equal("result", "[Delegation Failed | SlowBot | task-102]\nError: SlowBot failed to complete the task: Out of paper.", s.Result(root))
	})
}

func TestAPersonsAskThatTimesOutLeavesTheAnswerInTheInbox(t *testing.T) {
	Play(t, slowTeam, func(s *Stage) {
		began := time.Now()
		s.Equal("read", "Error: SlowBot did not respond within 120 seconds. Consider using 'delegate' for async processing. "+
			"Its work goes on as task-101; await_task waits for the answer.",
			s.As("rutger").Refused(parley.Ask, contact.Request{Target: "SlowBot", Message: "Well?"}))
		s.Equal("after", 120*time.Second, time.Since(began))
		s.Equal("inbox", 0, len(s.Inbox("rutger")))
		s.Pass(time.Minute)
		s.Equal("inbox later", []Said{{"SlowBot", parley.ReplyMessage, "At last."}}, s.Inbox("rutger"))
	})
}

func TestAFailedAskIsReadAsAnError(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot:
    - steps:
        - {call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Well?'}}
        - say: '{{result}}'
  DataBot:
    - steps: [{fail: 'Rate limit exceeded. Try again later.', class: rate_limited}]
`}, func(s *Stage) {
		s.Equal("answer", "Error: DataBot failed to respond: Rate limit exceeded. Try again later.",
			s.As("rutger").Ask("CallerBot", "Go."))
		s.Equal("the dm holds no result", 1, len(s.DM("CallerBot", "DataBot")))
		s.Equal("tree", "task-101 CallerBot completed\n  task-102 DataBot failed\n", s.Tree(101))
	})
}

// chain makes each agent ask the next one, after a while.
const chain = `
agents:
  ABot:
    - steps:
        - {wait: 50s, call: contact_agent, args: {action: ask, agentId: BBot, message: 'Go on.'}}
        - say: '{{result}}'
  BBot:
    - steps:
        - {wait: 50s, call: contact_agent, args: {action: ask, agentId: CBot, message: 'Go on.'}}
        - say: '{{result}}'
  CBot:
    - steps: [{wait: 1h, say: 'Too late.'}]
`

func TestANestedAskGetsNoMoreTimeThanItsParentHasLeft(t *testing.T) {
	Play(t, Team{Agents: []string{"ABot", "BBot", "CBot"}, Script: chain}, func(s *Stage) {
		s.As("rutger").Delegate("ABot", "Go on.")
		s.Pass(110 * time.Second) // ABot asked at 50 s, BBot at 100 s
		a, b := s.Task(102), s.Task(103)
		s.Equal("BBot has", 120*time.Second, a.WaitUntil.Until(a.CreatedAt))
		s.Equal("CBot has", 70*time.Second, b.WaitUntil.Until(b.CreatedAt))
		s.Pass(60 * time.Second)
		s.Equal("BBot read", []string{"Error: CBot did not respond within 70 seconds. Consider using 'delegate' for async processing. " +
			"Its work goes on as task-103; await_task waits for the answer."}, s.Results(102))
		s.As("rutger").Cancel(103)
	})
}

func TestAnAskNestedUnderAPersonsAskInheritsItsTime(t *testing.T) {
	Play(t, Team{Agents: []string{"ABot", "BBot", "CBot"}, Script: chain}, func(s *Stage) {
		s.As("rutger").Begin("ABot", "Go on.")
		s.Pass(110 * time.Second)
		a, b := s.Task(102), s.Task(103)
		s.Equal("BBot has", 70*time.Second, a.WaitUntil.Until(a.CreatedAt))
		s.Equal("CBot has", 20*time.Second, b.WaitUntil.Until(b.CreatedAt))
		s.Pass(10 * time.Second)
		s.Equal("BBot read", []string{"Error: CBot did not respond within 20 seconds. Consider using 'delegate' for async processing. " +
			"Its work goes on as task-103; await_task waits for the answer."}, s.Results(102))
		s.As("rutger").Cancel(103)
	})
}

func TestAnAskUnderADelegationHasItsOwnTime(t *testing.T) {
	Play(t, Team{Agents: []string{"ABot", "BBot", "CBot"}, Script: `
agents:
  ABot:
    - match: 'Go'
      steps:
        - {wait: 50s, call: contact_agent, args: {action: delegate, agentId: BBot, message: 'Go on.'}}
        - say: 'Handed over.'
    - steps: [{say: '{{input}}'}]
  BBot:
    - steps:
        - {wait: 50s, call: contact_agent, args: {action: ask, agentId: CBot, message: 'Go on.'}}
        - say: '{{result}}'
  CBot:
    - steps: [{wait: 110s, say: 'In time.'}]
`}, func(s *Stage) {
		root := s.As("rutger").Begin("ABot", "Go on.")
		s.Wait(root)
		s.Equal("BBot read", []string{"Response from CBot: In time."}, s.Results(102))
	})
}

func TestAnAskAfterItsParentsTimeIsOverHasItsOwnTime(t *testing.T) {
	Play(t, Team{Agents: []string{"ABot", "BBot", "CBot"}, Script: `
agents:
  ABot:
    - match: 'Go'
      steps:
        - {call: contact_agent, args: {action: ask, agentId: BBot, message: 'Go on.'}}
        - {call: await_task, args: {task_id: '{{capture "task-[0-9]+" result}}'}}
        - say: 'Waiting.'
    - steps: [{say: '{{input}}'}]
  BBot:
    - steps:
        - {wait: 10m, call: contact_agent, args: {action: ask, agentId: CBot, message: 'Go on.'}}
        - say: '{{result}}'
  CBot:
    - steps: [{wait: 110s, say: 'In time.'}]
`}, func(s *Stage) {
		root := s.As("rutger").Begin("ABot", "Go on.")
		s.Wait(root)
		s.Equal("BBot read", []string{"Response from CBot: In time."}, s.Results(102))
		s.Equal("result", "[Delegation Result from BBot | task-102]\n> Response from CBot: In time.", s.Result(root))
	})
}

func TestTheTimeOfAnAskCoversTheToolCallsOfItsTarget(t *testing.T) {
	Play(t, Team{Agents: []string{"ABot", "BBot", "CBot"}, Script: `
agents:
  ABot:
    - steps:
        - {call: contact_agent, args: {action: ask, agentId: BBot, message: 'Go on.'}}
        - say: '{{result}}'
  BBot:
    - steps:
        - {call: contact_agent, args: {action: ask, agentId: CBot, message: 'Go on.'}}
        - {wait: 61s, say: '{{result}}'}
  CBot:
    - steps: [{wait: 60s, say: 'Done.'}]
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("ABot", "Go on.")
		s.Wait(root)
		s.Equal("read", "Error: BBot did not respond within 120 seconds. Consider using 'delegate' for async processing. "+
			"Its work goes on as task-102; await_task waits for the answer.", s.Result(root))
		s.Pass(time.Minute)
	})
}

func TestAwaitTaskIsForOnesOwnSubtasks(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "SlowBot"}, Script: `
agents:
  CallerBot:
    - match: 'Await (\S+)'
      steps:
        - {call: await_task, args: {task_id: '{{match 1}}'}}
        - say: '{{result}}'
  SlowBot:
    - steps: [{wait: 3m, say: 'Done.'}]
`}, func(s *Stage) {
		other := s.As("rutger").Delegate("SlowBot", "Go.")
		for id, want := range map[string]string{
			other.String(): "Error: task-101 is not a subtask of ",
			"task-999":     "Error: task-999 is not a subtask of ", // the same: what is elsewhere is not told,
			"nonsense":     `Error: "nonsense" is not an id like task-101.`,
		} {
			root := s.As("rutger").Delegate("CallerBot", "Await "+id)
			s.Wait(root)
			if id != "nonsense" {
				want += root.String() + "."
			}
			s.Equal(id, want, s.Result(root))
		}
		s.Wait(other)
	})
}

// A caller outside may ask from within a task and wait. It is an ask like any other:
// asks below it get no more time, and it ends when its target goes offline.
func TestAnAskAtADoorFromWithinATask(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "MiddleBot", "DataBot"}, People: []string{"rutger", "ann"}, Script: `
agents:
  CallerBot: [{steps: [{call: contact_agent, args: {action: delegate, agentId: ann, message: 'Find out.'}}, {say: 'Waiting.'}]}]
  MiddleBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: DataBot, message: 'How many?'}}, {say: '{{result}}'}]}]
  DataBot: [{steps: [{wait: 1m, say: 'Twelve.'}]}]
`}, func(s *Stage) {
		s.As("rutger").Delegate("CallerBot", "Go.")
		s.Pass(time.Second)
		ann := s.As("ann")
		ann.Caller.Task = 102 // what she was asked
		made, err := s.Contacts.OpenAsk(s.Context(), ann.Caller, contact.Request{Target: "MiddleBot", Message: "Well?", Timeout: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		s.Pass(time.Second)
		s.Equal("time below it", s.Task(made.Task.ID).WaitUntil, s.Task(made.Task.ID+1).WaitUntil)
		if err := s.Contacts.Offline(s.Context(), s.As("rutger").Caller, "MiddleBot"); err != nil {
			t.Fatal(err)
		}
		s.Pass(time.Second)
		s.Equal("state", parley.TaskFailed, s.Task(made.Task.ID).State)
	})
}
