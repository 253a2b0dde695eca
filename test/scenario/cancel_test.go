package scenario

import (
	"testing"
	"time"

	"parley"
)

// family: a coordinator delegates to a manager, who delegates to a worker,
// and asks a helper.
const family = `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps:
        - {call: contact_agent, args: {action: delegate, agentId: ManagerBot, message: 'Manage.'}}
        - say: 'Begun.'
    - match: 'Stop (\S+)'
      steps:
        - {call: contact_agent, args: {action: delegate, agentId: ManagerBot, message: 'Manage.'}}
        - {call: cancel_task, args: {task_id: '{{capture "task-[0-9]+" result}}'}}
        - say: 'Stopped.'
    - match: '^\[Delegation'
      steps: [{say: '{{input}}'}]
  ManagerBot:
    - match: 'Manage'
      steps:
        - {call: contact_agent, args: {action: delegate, agentId: WorkerBot, message: 'Work.'}}
        - {call: contact_agent, args: {action: ask, agentId: HelperBot, message: 'Help.'}}
        - say: 'Managed.'
    - match: '^\[Delegation'
      steps: [{say: '{{input}}'}]
  WorkerBot:
    - steps: [{wait: 1h, say: 'Worked.'}]
  HelperBot:
    - steps: [{wait: 100s, say: 'Helped.'}]
`

var familyTeam = Team{Agents: []string{"CoordinatorBot", "ManagerBot", "WorkerBot", "HelperBot"}, People: []string{"rutger", "ann"}, Script: family}

func TestCancelEndsTheWholeSubtree(t *testing.T) {
	Play(t, familyTeam, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Pass(time.Second)
		s.Equal("before", "task-101 CoordinatorBot waiting\n  task-102 ManagerBot running\n    task-103 WorkerBot running\n    task-104 HelperBot running\n", s.Tree(root))
		s.As("ann").Cancel(root)
		s.Pass(0)
		s.Equal("after", "task-101 CoordinatorBot cancelled\n  task-102 ManagerBot cancelled\n    task-103 WorkerBot cancelled\n    task-104 HelperBot cancelled\n", s.Tree(root))
		for _, a := range familyTeam.Agents {
			s.Equal(a, parley.StatusIdle, s.Status(a))
		}
		s.Equal("the requester is told", []Said{
			{"CoordinatorBot", parley.ReplyMessage, "Begun."},
			{"CoordinatorBot", parley.FailureMessage, "[Delegation Failed | CoordinatorBot | task-101]\nError: cancelled by ann."},
		}, s.Inbox("rutger"))
		s.Equal("record", []string{
			"task.cancelled by ann to CoordinatorBot task-101",
			"task.cancelled by ann to ManagerBot task-102",
			"task.cancelled by ann to WorkerBot task-103",
			"task.cancelled by ann to HelperBot task-104",
		}, s.Events(parley.EventCancelled))
		before := len(s.record())
		s.Pass(2 * time.Hour)
		s.Equal("nothing runs again", before, len(s.record()))
	})
}

func TestAChildCancelledBySomeoneElseCallsBackAsFailed(t *testing.T) {
	Play(t, familyTeam, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Pass(time.Second)
		s.As("ann").Cancel(102)
		s.Pass(0)
		s.Equal("tree", "task-101 CoordinatorBot completed\n  task-102 ManagerBot cancelled\n    task-103 WorkerBot cancelled\n    task-104 HelperBot cancelled\n", s.Tree(root))
		s.Equal("read", "[Delegation Failed | ManagerBot | task-102]\nError: cancelled by ann.", s.Result(root))
		s.Equal("kind", Said{"ManagerBot", parley.FailureMessage, "[Delegation Failed | ManagerBot | task-102]\nError: cancelled by ann."},
			s.DM("rutger", "CoordinatorBot")[2])
	})
}

func TestAChildCancelledByItsParentDoesNotCallBack(t *testing.T) {
	Play(t, familyTeam, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Stop it.")
		s.Pass(time.Second)
		s.Equal("read", []string{
			"Delegated to ManagerBot (subtask task-102). You'll receive the result automatically when ManagerBot finishes.",
			"task-102 is cancelled.",
		}, s.Results(root))
		s.Equal("the parent goes on to its end", parley.Completed, s.Task(root).State)
		s.Equal("and hears nothing more of it", "Stopped.", s.Result(root))
		s.Equal("turns", 1, s.Task(root).Turns)
		s.Equal("child", parley.Cancelled, s.Task(102).State)
	})
}

func TestAnAskCancelledBySomeoneElseIsReadAsAnError(t *testing.T) {
	Play(t, familyTeam, func(s *Stage) {
		s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Pass(time.Second)
		s.As("ann").Cancel(104)
		s.Pass(0)
		s.Equal("ManagerBot reads", "Error: HelperBot failed to respond: cancelled by ann.", s.Results(102)[1])
		s.As("ann").Cancel(101)
	})
}

func TestCancelEndsTheModelCall(t *testing.T) {
	Play(t, familyTeam, func(s *Stage) {
		gate := s.Models.Hold("WorkerBot")
		id := s.As("rutger").Delegate("WorkerBot", "Work.")
		gate.Arrived()
		s.As("rutger").Cancel(id)
		s.Pass(0) // the gate never opens: only the turn's context can end the call
		gate.Left()
		s.Equal("status", parley.StatusIdle, s.Status("WorkerBot"))
	})
}

func TestALateResultOfACancelledTaskIsDroppedAndRecorded(t *testing.T) {
	Play(t, Team{Agents: []string{"DeafBot"}, Script: `
agents:
  DeafBot:
    - steps: [{say: 'What I found out.'}]
`}, func(s *Stage) {
		gate := s.Models.Hold("DeafBot")
		gate.Deaf = true
		id := s.As("rutger").Delegate("DeafBot", "Find out.")
		gate.Arrived()
		s.As("rutger").Cancel(id)
		s.Pass(time.Minute)
		gate.Open()
		s.Pass(time.Minute)
		s.Equal("state", parley.Cancelled, s.Task(id).State)
		s.Equal("record", []string{"result.dropped by DeafBot task-101 (What I found out.)"}, s.Events(parley.EventDropped))
		s.Equal("the conversation has no reply", []Said{
			{"rutger", parley.DelegateMessage, "[Agent Request from rutger | Pattern: delegate | Priority: normal | Task: task-101]\n\nFind out."},
			{"DeafBot", parley.FailureMessage, "[Delegation Failed | DeafBot | task-101]\nError: cancelled by rutger."},
		}, s.DM("rutger", "DeafBot"))
	})
}

func TestAFailedTaskCancelsItsOpenSubtree(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "ManagerBot", "WorkerBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps: [{call: contact_agent, args: {action: delegate, agentId: ManagerBot, message: 'Manage.'}}, {say: 'Begun.'}]
    - steps: [{say: '{{input}}'}]
  ManagerBot:
    - steps:
        - {call: contact_agent, args: {action: delegate, agentId: WorkerBot, message: 'Work.'}}
        - {wait: 1m, fail: 'Lost the plan.'}
  WorkerBot:
    - steps: [{wait: 1h, say: 'Worked.'}]
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Pass(time.Hour)
		s.Equal("tree", "task-101 CoordinatorBot completed\n  task-102 ManagerBot failed\n    task-103 WorkerBot cancelled\n", s.Tree(root))
		s.Equal("result", "[Delegation Failed | ManagerBot | task-102]\nError: ManagerBot failed to complete the task: Lost the plan.", s.Result(root))
		s.Equal("why", "cancelled by ManagerBot.", s.Task(103).Error)
	})
}

func TestWhoMayCancel(t *testing.T) {
	Play(t, familyTeam, func(s *Stage) {
		s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Pass(time.Second)
		err := s.Contacts.Cancel(s.Context(), s.As("HelperBot").Caller, 103)
		s.Equal("somebody who has nothing to do with it",
			"Error: task-103 is not yours to cancel. Only a person, or who asked for the task or one above it, may do so.", parley.ToolError(err))
		err = s.Contacts.Cancel(s.Context(), s.As("WorkerBot").Caller, 103)
		s.Equal("who works on it", parley.Denied, parley.KindOf(err))
		s.As("CoordinatorBot").Cancel(103) // asked for the task above
		s.Pass(0)
		s.Equal("state", parley.Cancelled, s.Task(103).State)
		err = s.Contacts.Cancel(s.Context(), s.As("rutger").Caller, 103)
		s.Equal("twice", "Error: task-103 has ended already (cancelled).", parley.ToolError(err))
		err = s.Contacts.Cancel(s.Context(), s.As("rutger").Caller, 999)
		s.Equal("unknown", "Error: task-999 not found.", parley.ToolError(err))
		s.As("rutger").Cancel(101)
	})
}

func TestRetryMakesANewTaskThatNamesTheOldOne(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "WriterBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps:
        - {call: contact_agent, args: {action: delegate, agentId: WriterBot, message: 'Draw the chart.', context: 'In blue.', priority: high}}
        - {call: contact_agent, args: {action: delegate, agentId: WriterBot, message: 'Take an hour.'}}
        - say: 'Begun.'
    - steps: [{say: '{{input}}'}]
  WriterBot:
    - match: 'Take an hour'
      steps: [{wait: 1h, say: 'An hour.'}]
    - match: 'Draw the chart'
      seen: 2
      steps: [{say: 'Here is the chart.'}]
    - match: 'Draw the chart'
      steps: [{fail: 'The pen is broken.'}]
`}, func(s *Stage) {
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Pass(time.Second)
		s.Equal("the failure is told", "[Delegation Failed | WriterBot | task-102]\nError: WriterBot failed to complete the task: The pen is broken.", s.Result(root))
		made := s.As("rutger").Retry(102)
		again := s.Wait(made)
		s.Equal("names the old one", parley.TaskID(102), again.RetryOf)
		s.Equal("is a child of the same parent", root, again.Parent)
		s.Equal("the old one stays as it is", parley.TaskFailed, s.Task(102).State)
		s.Equal("the target reads the same again",
			"user: [Agent Request from CoordinatorBot | Pattern: delegate | Priority: high | Task: task-104]\n\nContext: In blue.\n\nDraw the chart.", last(s.Saw("WriterBot", -1)))
		s.Pass(0)
		s.Equal("the parent gets its result", "[Delegation Result from WriterBot | task-104]\nHere is the chart.", s.Result(root))
		s.Equal("record", "task.opened by rutger to WriterBot task-104 (retry of task-102)", last(s.Events(parley.EventTask)))
		_, err := s.Contacts.Retry(s.Context(), s.As("rutger").Caller, 104)
		s.Equal("what went well is not retried", "Error: task-104 is completed. Only a failed or cancelled task can be retried.", parley.ToolError(err))
		s.Wait(root)
	})
}

func TestRetryAfterTheEndOfTheParentGoesToWhoAsked(t *testing.T) {
	Play(t, Team{Agents: []string{"WriterBot"}, Script: `
agents:
  WriterBot:
    - match: 'Draw the chart'
      seen: 2
      steps: [{say: 'Here is the chart.'}]
    - match: 'Draw the chart'
      steps: [{fail: 'The pen is broken.'}]
`}, func(s *Stage) {
		first := s.As("rutger").Delegate("WriterBot", "Draw the chart.")
		s.Wait(first)
		made := s.As("rutger").Retry(first)
		s.Wait(made)
		s.Equal("inbox", []Said{
			{"WriterBot", parley.FailureMessage, "[Delegation Failed | WriterBot | task-101]\nError: WriterBot failed to complete the task: The pen is broken."},
			{"WriterBot", parley.ReplyMessage, "Here is the chart."},
		}, s.Inbox("rutger"))
	})
}

func last[T any](list []T) (v T) {
	if len(list) > 0 {
		v = list[len(list)-1]
	}
	return v
}
