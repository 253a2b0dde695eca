package scenario

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

// Each of these went wrong somewhere once, and has a test that says how.

func TestChildFinishesWhileParentTurnRuns(t *testing.T) {
	for _, c := range []struct {
		name, rest string
		turns      int
	}{
		{"and the parent's turn ends after it", `
        - {wait: 1m, say: 'Begun.'}`, 2},
		{"and the parent makes another step", `
        - {wait: 1m, call: list_agents, args: {}}
        - {say: 'Begun.'}`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps:
        - {call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Quickly.'}}` + c.rest + `
    - match: '^\[Delegation Result'
      steps: [{say: 'Got it: {{body}}'}]
  DataBot: [{steps: [{wait: 1s, say: 'Done.'}]}]
`}, func(s *Stage) {
				root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
				s.Pass(30 * time.Second)
				s.Equal("the child has finished", parley.Completed, s.Task(102).State)
				s.Equal("while the parent runs", parley.Running, s.Task(root).State)
				s.Pass(time.Minute)
				s.Equal("the parent noticed", "Got it: Done.", s.Result(root))
				s.Equal("and completed", parley.Completed, s.Task(root).State)
				s.Equal("turns", c.turns, s.Task(root).Turns)
				s.Equal("the result came once", 1, count(s.Saw("CoordinatorBot", -1), "user: [Delegation Result from DataBot | task-102]\nDone."))
			})
		})
	}
}

func TestOneWorkerSlotAndNestedAsk(t *testing.T) {
	team := passOn(4, "ask")
	team.Hub = func(c *app.HubConfig) { c.Workers = 1 }
	Play(t, team, func(s *Stage) {
		began := time.Now()
		s.As("rutger").Ask("a1", "Go on.")
		s.Equal("took", time.Duration(0), time.Since(began))
		s.Equal("tasks", 4, len(s.tasks()))
	})
}

func TestOneWorkerSlotAndManyNestedAsksAtOnce(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Well?'}}, {say: '{{result}}'}]}]
  DataBot: [{steps: [{wait: 1s, say: 'So.'}]}]
`, Hub: func(c *app.HubConfig) { c.Workers = 1 }, Member: limits(func(l *parley.Limits) { l.Rate = 100 })}, func(s *Stage) {
		began := time.Now()
		var ids []parley.TaskID
		for range 5 {
			ids = append(ids, s.As("rutger").Delegate("CallerBot", "Ask."))
		}
		for _, id := range ids {
			s.Wait(id)
			s.Equal("result", "Response from DataBot: So.", s.Result(id))
		}
		s.Equal("one at a time", 5*time.Second, time.Since(began))
	})
}

func TestPendingChildrenAreCountedPerTask(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot", "WriterBot"}, People: []string{"rutger", "ann"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Use (\w+)'
      steps: [{call: contact_agent, args: {action: delegate, agentId: '{{match 1}}', message: 'Work.'}}, {say: 'Begun.'}]
    - match: '^\[Delegation Result'
      steps: [{say: '{{body}}'}]
  DataBot: [{steps: [{wait: 10m, say: 'Late data.'}]}]
  WriterBot: [{steps: [{wait: 1m, say: 'Early text.'}]}]
`}, func(s *Stage) {
		first := s.As("rutger").Delegate("CoordinatorBot", "Use DataBot.")
		second := s.As("ann").Delegate("CoordinatorBot", "Use WriterBot.")
		s.Pass(2 * time.Minute)
		s.Equal("the one whose child is done", parley.Completed, s.Task(second).State)
		s.Equal("with its own result", "Early text.", s.Result(second))
		s.Equal("the other waits on", parley.Waiting, s.Task(first).State)
		s.Equal("status", parley.StatusAwaitingDelegation, s.Status("CoordinatorBot"))
		s.Pass(10 * time.Minute)
		s.Equal("and is resumed too", parley.Completed, s.Task(first).State)
		s.Equal("with its own result", "Late data.", s.Result(first))
		s.Equal("ann heard nothing of it", []Said{
			{"CoordinatorBot", parley.ReplyMessage, "Begun."}, {"CoordinatorBot", parley.ReplyMessage, "Early text."}}, s.Inbox("ann"))
	})
}

func TestQueuedTaskThatWasCancelledNeverRuns(t *testing.T) {
	Play(t, Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot: [{steps: [{wait: 1h, say: 'Done.'}]}]
`, Member: turns(1)}, func(s *Stage) {
		first := s.As("rutger").Delegate("DataBot", "One.")
		queued := s.As("rutger").Delegate("DataBot", "Two.")
		s.Pass(time.Minute)
		s.As("rutger").Sleep("DataBot", 3*time.Hour)
		delayed := s.As("rutger").Delegate("DataBot", "Three.")
		s.As("rutger").Cancel(queued)
		s.As("rutger").Cancel(delayed)
		s.Pass(24 * time.Hour)
		s.Equal("first", parley.Completed, s.Task(first).State)
		s.Equal("queued", parley.Cancelled, s.Task(queued).State)
		s.Equal("delayed", parley.Cancelled, s.Task(delayed).State)
		s.Equal("steps of the model", 1, len(s.Models.Shown("DataBot")))
	})
}

func TestContextOfRequestReachesTarget(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot:
    - match: 'Please (ask|delegate|notify)'
      steps:
        - {call: contact_agent, args: {action: '{{match 1}}', agentId: DataBot, message: 'The message.', context: "The context,\nof two lines."}}
        - say: '{{result}}'
    - steps: [{say: 'Got it.'}]
  DataBot: [{steps: [{say: 'Yes.'}]}]
`}, func(s *Stage) {
		for _, action := range []string{"notify", "ask", "delegate"} {
			s.Wait(s.As("rutger").Delegate("CallerBot", "Please "+action+"."))
		}
		s.Equal("what DataBot reads at last", []string{
			"user: [Agent Notification from CallerBot]\n\nContext: The context,\nof two lines.\n\nThe message.",
			"user: [Agent Request from CallerBot | Pattern: ask]\n\nContext: The context,\nof two lines.\n\nThe message.",
			"assistant: Yes.",
			"user: [Agent Request from CallerBot | Pattern: delegate | Priority: normal | Task: task-105]\n\nContext: The context,\nof two lines.\n\nThe message.",
		}, s.Saw("DataBot", -1))
	})
}

func TestNotificationsAreSeenAtTheNextTurn(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Anything new?'}}, {say: '{{result}}'}]}]
  DataBot: [{steps: [{say: '{{conversation}}'}]}]
`}, func(s *Stage) {
		note := s.As("CallerBot").Notify("DataBot", "Something new.")
		s.Pass(time.Hour)
		s.Equal("an idle agent is not woken by it", "accepted", s.Delivery(note, "DataBot"))
		s.As("rutger").Ask("CallerBot", "Ask him.")
		s.Equal("in the model's context", "user: [Agent Notification from CallerBot]\n\nSomething new.", s.Saw("DataBot", 1)[0])
		s.Equal("and recorded as seen", "seen", s.Delivery(note, "DataBot"))
	})
}

func TestMessagesMarkedSeenWereReallyInAModelsContext(t *testing.T) {
	// CheckPromises compares all deliveries with all model requests. Here is a
	// conversation that gives it something to compare: the failure of an ask that
	// was given up arrives between a request and its turn.
	Play(t, Team{Agents: []string{"CallerBot", "SlowBot"}, Script: `
agents:
  CallerBot:
    - match: 'from rutger'
      steps: [{call: contact_agent, args: {action: ask, agentId: SlowBot, message: 'Well?'}}, {say: 'I cannot wait.'}]
    - match: 'Are you there'
      steps: [{say: 'Yes.'}]
  SlowBot:
    - match: 'Well'
      steps: [{wait: 5m, fail: 'Out of paper.'}]
    - match: 'from rutger'
      steps: [{call: contact_agent, args: {action: delegate, agentId: CallerBot, message: 'Are you there?'}}, {say: 'Asked.'}]
    - steps: [{say: 'Good.'}]
`}, func(s *Stage) {
		s.As("rutger").Delegate("CallerBot", "Ask him.")
		s.Pass(3 * time.Minute)
		s.As("rutger").Sleep("CallerBot", time.Hour)
		s.As("rutger").Delegate("SlowBot", "Ask her.")
		s.Pass(10 * time.Minute) // the failure is stored after the request and before its turn
		s.Equal("dm", []parley.MessageKind{parley.AskMessage, parley.DelegateMessage, parley.FailureMessage}, kinds(s.DM("CallerBot", "SlowBot")))
		s.Pass(time.Hour)
		s.Equal("CallerBot reads it", 1, count(s.Saw("CallerBot", -1), "user: [Delegation Failed | SlowBot | task-102]\nError: SlowBot failed to complete the task: Out of paper."))
		s.Equal("and the request", 1, count(s.Saw("CallerBot", -1), "user: [Agent Request from SlowBot | Pattern: delegate | Priority: normal | Task: task-104]\n\nAre you there?"))
	})
}

func kinds(list []Said) (out []parley.MessageKind) {
	for _, m := range list {
		out = append(out, m.Kind)
	}
	return out
}

func TestSuccessIsNeverReportedForUnknownRecipient(t *testing.T) {
	Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot:
    - match: 'Please (ask|delegate|notify)'
      steps: [{call: contact_agent, args: {action: '{{match 1}}', agentId: DtaBot, message: 'Hello.'}}, {say: '{{result}}'}]
    - match: 'Yourself'
      steps: [{call: contact_agent, args: {action: notify, agentId: callerbot, message: 'Hello.'}}, {say: '{{result}}'}]
`}, func(s *Stage) {
		for _, action := range []string{"ask", "delegate", "notify"} {
			s.Equal(action, "Error: Agent 'DtaBot' not found. Did you mean DataBot?", s.As("rutger").Ask("CallerBot", "Please "+action+"."))
		}
		s.Equal("oneself, in another case", "Error: You cannot contact yourself.", s.As("rutger").Ask("CallerBot", "Yourself."))
		s.Equal("tasks: none but the person's", 4, len(s.tasks()))
	})
}

func TestSubscriptionsMadeTwiceDeliverOnce(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps:
        - {call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Work.'}}
        - {call: await_task, args: {task_id: '{{capture "task-[0-9]+" result}}'}}
        - {call: await_task, args: {task_id: '{{capture "task-[0-9]+" result}}'}}
        - say: 'Begun.'
    - steps: [{say: '{{results}}'}]
  DataBot: [{steps: [{wait: 1m, say: 'Done.'}]}]
`}, func(s *Stage) {
		s.join() // the team's files are read again
		s.join()
		root := s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		s.Wait(root)
		s.Equal("result: waited for three times, delivered once", "DataBot: Done.", s.Result(root))
		s.Equal("steps of DataBot's model", 1, len(s.Models.Shown("DataBot")))
		s.Equal("inbox of the person", 2, len(s.Inbox("rutger")))
	})
}

func TestMadeUpEnumGetsAnErrorTheModelCanActOn(t *testing.T) {
	for _, c := range []struct{ name, call, want string }{
		{"action", `{call: contact_agent, args: {action: shout, agentId: DataBot, message: 'Hello.'}}`,
			`Error: Unknown action "shout". Use 'ask', 'delegate' or 'notify'.`},
		{"no action", `{call: contact_agent, args: {agentId: DataBot, message: 'Hello.'}}`,
			`Error: Unknown action "". Use 'ask', 'delegate' or 'notify'.`},
		{"priority", `{call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Hello.', priority: asap}}`,
			`Error: Unknown priority "asap". Use 'low', 'normal', 'high' or 'urgent'.`},
		{"thread mode", `{call: call_agent, args: {target: DataBot, task: 'Hello.', thread_mode: fork}}`,
			`Error: Unknown thread_mode "fork". Use 'new' or 'reuse'.`},
		{"thread id", `{call: call_agent, args: {target: DataBot, task: 'Hello.', thread_mode: reuse, thread_id: nonsense}}`,
			`Error: "nonsense" is not an id like thread-101.`},
		{"task id", `{call: cancel_task, args: {task_id: 'the first one'}}`,
			`Error: "the first one" is not an id like task-101.`},
		{"message id", `{call: message_status, args: {message_id: -1}}`,
			`Error: The arguments do not fit the tool: message_id cannot be a number. Send a string.`},
		{"a number for a text", `{call: contact_agent, args: {action: 7, agentId: DataBot, message: 'Hello.'}}`,
			`Error: The arguments do not fit the tool: action cannot be a number. Send a string.`},
		{"an object for a text", `{call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Hello.', context: {a: 1}}}`,
			`Error: The arguments do not fit the tool: context cannot be an object. Send a string.`},
		{"an argument", `{call: contact_agent, args: {action: ask, agent: DataBot, message: 'Hello.'}}`,
			`Error: Unknown argument "agent". Did you mean agentId?`},
		{"two names for one argument", `{call: contact_agent, args: {action: ask, agentId: DataBot, target: CallerBot, message: 'Hello.'}}`,
			`Error: agentId and target are the same argument, with different values. Give it once.`},
		{"a tool", `{call: contact_everyone, args: {}}`,
			`Error: There is no tool "contact_everyone". There are contact_agent, ask_user, await_task, cancel_task, remind, sleep, message_status, list_agents, read_agent_docs, query_workspace, send_channel_message, read_channel, search_messages, read_inbox, read_attachment, call_agent.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			Play(t, Team{Agents: []string{"CallerBot", "DataBot"}, Script: fmt.Sprintf(`
agents:
  CallerBot: [{steps: [%s, {say: '{{result}}'}]}]
`, c.call), Member: func(m *app.Member) { m.Toolsets = []string{"contact", "peers"} }}, func(s *Stage) {
				s.Equal("read", c.want, s.As("rutger").Ask("CallerBot", "Go."))
				s.Equal("nothing was changed", 1, len(s.tasks()))
			})
		})
	}
}

func TestSeveralSystemMessagesAreNeverSent(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot", "AnalystBot", "WriterBot"}, Script: quarterlyReview}, func(s *Stage) {
		s.As("rutger").Notify("CoordinatorBot", "By the way.")
		s.As("rutger").Delegate("CoordinatorBot", "Prepare the quarterly review.")
		s.Pass(10 * time.Minute)
		for _, req := range s.Models.Shown("CoordinatorBot") {
			if req.System == "" {
				t.Error("no system text")
			}
			for _, m := range req.Messages {
				if m.Role != "user" && m.Role != "assistant" && m.Role != "tool" {
					t.Errorf("a message of role %q", m.Role)
				}
			}
		}
	})
}
