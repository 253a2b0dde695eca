package scenario

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/contact"
)

// worker takes three steps of 100 tokens and a cent each, with a second of
// thought.
const worker = `
agents:
  WorkBot:
    - steps:
        - {wait: 1s, call: list_agents, usage: {input: 80, output: 20, money: 0.01}}
        - {wait: 1s, call: list_agents, usage: {input: 80, output: 20, money: 0.01}}
        - {wait: 1s, say: 'Done.', usage: {input: 80, output: 20, money: 0.01}}
`

func workers(script string) Team {
	return Team{Agents: []string{"WorkBot", "HelperBot", "OtherBot"}, Script: script}
}

func TestASpentBudgetParksTheTaskUntilItIsRaised(t *testing.T) {
	for _, c := range []struct {
		name     string
		limit    parley.Budget
		says     string
		add      parley.Budget
		replies  int
		raisedTo string
		example  string
	}{
		{"tokens", parley.Budget{Tokens: 250}, "200 of 250 tokens; the next step may take up to 100 tokens", parley.Budget{Tokens: 50}, 2, "tokens=50", "tokens=2000"},
		{"to the last token", parley.Budget{Tokens: 200}, "200 of 200 tokens", parley.Budget{Tokens: 100}, 2, "tokens=100", "tokens=2000"},
		{"money", parley.Budget{Money: 15_000}, "$0.01 of $0.015; the next step may cost up to $0.01", parley.Budget{Money: 15_000}, 1, "money=0.015", "money=1"},
		{"time", parley.Budget{Time: 2 * time.Second}, "2s of 2s", parley.Budget{Time: time.Minute}, 2, "time=1m0s", "time=10m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			Play(t, workers(worker), func(s *Stage) {
				id := s.As("rutger").DelegateWith(c.limit, "WorkBot", "Work.")
				s.Pass(time.Hour)
				task := s.Task(id)
				s.Equal("state", [3]any{parley.Waiting, parley.WaitTree, int64(0)}, [3]any{task.State, task.Waits, task.Worker})
				s.Equal("model calls", c.replies, len(s.Models.Shown("WorkBot")))
				s.Equal("rutger is told", []Said{{"WorkBot", parley.NotificationMessage, "[Agent Notification from WorkBot]\n\n" +
					"task-101 waits: its budget is spent (" + c.says + "). A person can raise it with: parley task budget task-101 --add " + c.example}}, s.Inbox("rutger"))
				s.As("rutger").Raise(id, c.add)
				s.Wait(id)
				s.Equal("result", "Done.", s.Result(id))
				s.Equal("model calls in all", 3, len(s.Models.Shown("WorkBot")))
				s.Equal("spent", parley.Spending{Input: 240, Output: 60, Money: 30_000, Active: 3 * time.Second}, s.Account(id).Spent)
				s.Equal("on record", []string{
					"task.waiting by WorkBot to rutger task-101 (budget: " + c.says + ")",
					"budget.spent by WorkBot to rutger task-101 (" + c.says + ")",
					"budget.raised by rutger task-101 (" + c.raisedTo + ")",
				}, s.Events(parley.EventWaiting, parley.EventBudgetSpent, parley.EventBudgetRaised))
			})
		})
	}
}

func TestATreeWithoutABudgetIsAddedUp(t *testing.T) {
	Play(t, workers(worker+`
  HelperBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: WorkBot, message: 'Go.'}, usage: {input: 1}}, {say: 'Ok.', usage: {output: 1}}]}]
`), func(s *Stage) {
		id := s.As("rutger").Delegate("HelperBot", "Go.")
		s.Wait(id)
		spent, err := s.Reading.Spent(s.Context(), s.As("rutger").Caller, id)
		if err != nil {
			s.Fatal(err)
		}
		// Waiting for WorkBot is not work.
		s.Equal("spent", parley.Spending{Input: 241, Output: 61, Money: 30_000, Active: 3 * time.Second}, spent.Spent)
		s.Equal("tasks", int64(2), spent.Tasks)
	})
}

// parents hands work to two children that may think at the same time.
const parents = `
agents:
  WorkBot:
    - match: 'from rutger'
      steps:
        - calls:
            - {tool: contact_agent, args: {action: delegate, agentId: HelperBot, message: 'Help.'}}
            - {tool: contact_agent, args: {action: delegate, agentId: OtherBot, message: 'Help.'}}
          usage: {input: 10}
        - {say: 'Handed out.', usage: {input: 10}}
    - match: '^\[Delegation'
      steps: [{say: 'Noted.', usage: {input: 10}}]
  HelperBot: [{steps: [{wait: 10s, say: 'A.', usage: {input: 50, estimate: %d}}]}]
  OtherBot: [{steps: [{wait: 10s, say: 'B.', usage: {input: 50, estimate: %d}}]}]
`

// Two children find room for one: the second waits, and goes on by itself if the
// first needs less than it had reserved.
func TestTwoChildrenCannotBothTakeTheLastOfABudget(t *testing.T) {
	for estimate, parked := range map[string]bool{"50": true, "80": false} {
		t.Run(estimate, func(t *testing.T) {
			Play(t, workers(strings.ReplaceAll(parents, "%d", estimate)), func(s *Stage) {
				limit := int64(165)
				if parked {
					limit = 105
				}
				root := s.As("rutger").DelegateWith(parley.Budget{Tokens: limit}, "WorkBot", "Go.")
				s.Pass(5 * time.Second)
				s.Equal("think at once", 1, len(s.Models.Shown("HelperBot"))+len(s.Models.Shown("OtherBot")))
				if parked {
					s.Pass(time.Hour)
					s.Equal("told once", 1, len(s.Events(parley.EventBudgetSpent)))
					s.Equal("replies", 1, len(s.Models.Shown("HelperBot"))+len(s.Models.Shown("OtherBot")))
					s.As("rutger").Raise(root, parley.Budget{Tokens: 1000})
				}
				s.Wait(root)
				s.Equal("told", parked, len(s.Events(parley.EventBudgetSpent)) > 0)
				s.Equal("tree", "task-101 WorkBot completed\n  task-102 HelperBot completed\n  task-103 OtherBot completed\n", s.Tree(root))
			})
		})
	}
}

func TestAContactBeyondTheTasksOfABudgetWaits(t *testing.T) {
	Play(t, workers(`
agents:
  WorkBot:
    - steps:
        - {call: contact_agent, args: {action: ask, agentId: HelperBot, message: 'One.'}}
        - {call: contact_agent, args: {action: ask, agentId: OtherBot, message: 'Two.'}}
        - say: '{{result}}'
  HelperBot: [{steps: [{say: 'A.'}]}]
  OtherBot: [{steps: [{say: 'B.'}]}]
`), func(s *Stage) {
		id := s.As("rutger").DelegateWith(parley.Budget{Tasks: 2}, "WorkBot", "Go.")
		s.Pass(time.Second)
		s.Equal("waits", parley.WaitTree, s.Task(id).Waits)
		s.Equal("event", []string{"budget.spent by WorkBot to rutger task-101 (2 of 2 tasks)"}, s.Events(parley.EventBudgetSpent))
		s.Equal("nothing was refused", 0, len(s.Events(parley.EventRefused)))
		s.As("rutger").Raise(id, parley.Budget{Tasks: 1})
		s.Wait(id)
		s.Equal("result", "Response from OtherBot: B.", s.Result(id))
		s.Equal("tasks", int64(3), s.Account(id).Tasks)
	})
}

// A program that needs approval reads at once that it gives no budgets, instead of
// losing the budget on the way.
func TestABudgetDoesNotWaitForApproval(t *testing.T) {
	Play(t, visitors(counting), func(s *Stage) {
		refused := s.As("VisitorBot").Refused(parley.Delegate, contact.Request{Target: "DataBot", Message: "Go.", Budget: parley.Budget{Tokens: 5}})
		s.Equal("give", "Error: Only people may give a task a budget. Ask a person to do it.", refused)
		s.Equal("approvals", 0, len(s.Events(parley.EventApprovalRequested)))
	})
}

// A post that mentions several wants a task for each, and waits for all of them.
func TestAPostBeyondTheTasksOfABudgetWaits(t *testing.T) {
	team := workers(`
agents:
  WorkBot: [{steps: [{call: send_channel_message, args: {channel: room, content: '@HelperBot @OtherBot well?'}}, {say: '{{result}}'}]}]
  HelperBot: [{steps: [{say: 'A.'}]}]
  OtherBot: [{steps: [{say: 'B.'}]}]
`)
	team.Channels = []string{"room"}
	Play(t, team, func(s *Stage) {
		id := s.As("rutger").DelegateWith(parley.Budget{Tasks: 2}, "WorkBot", "Go.")
		s.Pass(time.Second)
		s.Equal("waits", parley.WaitTree, s.Task(id).Waits)
		s.Equal("nothing was refused", 0, len(s.Events(parley.EventRefused)))
		s.As("rutger").Raise(id, parley.Budget{Tasks: 1})
		s.Wait(id)
		s.Equal("result", "Posted in #room. HelperBot and OtherBot reply there.", s.Result(id))
		s.Pass(time.Minute)
		s.Equal("tasks", int64(3), s.Account(id).Tasks)
	})
}

// A person's reply that mentions others draws on the same budget as a turn's.
func TestAReplyBeyondTheTasksOfABudgetMentionsNobody(t *testing.T) {
	team := workers(`
agents:
  WorkBot: [{steps: [{call: send_channel_message, args: {channel: room, content: '@rutger well?'}}, {say: 'Asked.'}]}]
  HelperBot: [{steps: [{say: 'A.'}]}]
`)
	team.Channels = []string{"room"}
	Play(t, team, func(s *Stage) {
		rutger := s.As("rutger")
		id := rutger.DelegateWith(parley.Budget{Tasks: 2}, "WorkBot", "Go.")
		s.Wait(id)
		rutger.must(s.Contacts.Reply(s.Context(), rutger.Caller, s.Mentions()[0].ID, "@HelperBot knows."))
		s.Pass(time.Minute)
		s.Equal("mentions", 1, len(s.Mentions()))
		s.Equal("on record", []string{"contact.refused by rutger to HelperBot task-102 (mention: The budget of task-101 is spent (2 of 2 tasks). " +
			"A person can raise it with: parley task budget task-101 --add tasks=5 [rule: budget])"}, s.Events(parley.EventRefused))
	})
}

func TestATaskThatWaitsForItsBudgetCanBeCancelled(t *testing.T) {
	Play(t, workers(worker), func(s *Stage) {
		id := s.As("rutger").DelegateWith(parley.Budget{Tokens: 1}, "WorkBot", "Work.")
		s.Pass(time.Second)
		s.Equal("state", parley.Waiting, s.Task(id).State)
		s.As("rutger").Cancel(id)
		s.As("rutger").Raise(id, parley.Budget{Tokens: 1000})
		s.Pass(time.Hour)
		s.Equal("state", parley.Cancelled, s.Task(id).State)
		s.Equal("model calls", 0, len(s.Models.Shown("WorkBot")))
	})
}

func TestARootTakesTheBudgetOfItsAgent(t *testing.T) {
	team := workers(worker)
	team.Member = func(m *app.Member) {
		if m.Name == "WorkBot" {
			m.Limits.Budget = parley.Budget{Tokens: 1000, Tasks: 5}
		}
	}
	Play(t, team, func(s *Stage) {
		plain := s.As("rutger").Delegate("WorkBot", "Work.")
		given := s.As("rutger").DelegateWith(parley.Budget{Tokens: 500, Money: parley.Dollar}, "WorkBot", "Work.")
		s.Wait(plain)
		s.Wait(given)
		s.Equal("its agent's", parley.Budget{Tokens: 1000, Tasks: 5}, s.Account(plain).Limit)
		s.Equal("the person's before it", parley.Budget{Tokens: 500, Money: parley.Dollar, Tasks: 5}, s.Account(given).Limit)
	})
}

// No agent changes a budget, whatever it calls and through whichever door.
func TestAnAgentCannotRaiseABudget(t *testing.T) {
	Play(t, workers(`
agents:
  WorkBot:
    - steps:
        - {call: raise_budget, args: {add: {tokens: 1000000}}, usage: {input: 5}}
        - {call: contact_agent, args: {action: delegate, agentId: HelperBot, message: 'Go.', budget: {tokens: 1000000}}, usage: {input: 5}}
        - {call: contact_agent, args: {action: delegate, agentId: HelperBot, message: 'Go.'}, usage: {input: 10}}
        - {say: 'Well.', usage: {input: 10}}
  HelperBot: [{steps: [{say: 'Yes.', usage: {input: 1000}}]}] # more than there is: it waits
`), func(s *Stage) {
		id := s.As("rutger").DelegateWith(parley.Budget{Tokens: 30}, "WorkBot", "Go.")
		s.Pass(time.Hour)
		bot := s.As("WorkBot")
		for what, err := range map[string]error{
			"raise":  s.Contacts.RaiseBudget(s.Context(), bot.Caller, id, parley.Budget{Tokens: 5}),
			"today":  s.Contacts.RaiseToday(s.Context(), bot.Caller, parley.Budget{Tokens: 5}),
			"pause":  s.Contacts.Pause(s.Context(), bot.Caller),
			"resume": s.Contacts.Resume(s.Context(), bot.Caller),
		} {
			s.Equal(what, parley.Denied, parley.KindOf(err))
		}
		refused := bot.Refused(parley.Delegate, contact.Request{Target: "HelperBot", Message: "Go.", Budget: parley.Budget{Tokens: 1 << 40}})
		s.Equal("give", "Error: Only people may give a task a budget. Ask a person to do it.", refused)
		s.Equal("the bound", parley.Budget{Tokens: 30}, s.Account(id).Limit)
		s.Equal("only the one without a budget", 1, len(s.Children(id)))
		s.Equal("the tree draws on it", id, s.Children(id)[0].Budget)
	})
}

func TestATeamThatHasSpentItsDayGoesOnTomorrow(t *testing.T) {
	team := workers(worker)
	team.Member = func(m *app.Member) { m.Limits.Daily = parley.Budget{Tokens: 400} }
	Play(t, team, func(s *Stage) {
		s.Wait(s.As("rutger").Delegate("WorkBot", "Work."))
		second := s.As("rutger").Delegate("WorkBot", "Work.")
		third := s.As("rutger").Delegate("WorkBot", "Work.")
		s.Pass(time.Hour)
		midnight := s.Task(second).Due
		s.Equal("put off", [2]any{parley.Queued, parley.WaitDay}, [2]any{s.Task(second).State, s.Task(second).Waits})
		s.Equal("until midnight", true, midnight.Time().UTC().Format("15:04:05") == "00:00:00")
		s.Equal("told once", []string{"budget.day_spent (400 of 400 tokens)"}, s.Events(parley.EventDaySpent))
		if err := s.Contacts.RaiseToday(s.Context(), s.As("rutger").Caller, parley.Budget{Tokens: 200}); err != nil {
			s.Fatal(err)
		}
		s.Pass(time.Minute)
		s.Equal("one can finish", true, s.Task(second).State == parley.Completed || s.Task(third).State == parley.Completed ||
			s.Task(second).Waits == parley.WaitDay)
		s.Pass(24 * time.Hour)
		s.Equal("second", parley.Completed, s.Task(second).State)
		s.Equal("third", parley.Completed, s.Task(third).State)
	})
}
