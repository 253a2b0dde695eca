package scenario

import (
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

// A task that draws on the budget of others does so when it is retried, too: a
// mention on that of the task that wrote it, a child on that of a parent that has
// ended.
func TestARetryDrawsOnTheSameBudget(t *testing.T) {
	team := workers(`
agents:
  WorkBot:
    - match: 'room'
      steps: [{call: send_channel_message, args: {channel: room, content: '@HelperBot Help.'}, usage: {input: 10}}, {say: 'Posted.', usage: {input: 10}}]
    - steps: [{call: send_to_agent, args: {target_agent: HelperBot, message: 'Help.'}, usage: {input: 10}}, {say: 'Sent.', usage: {input: 10}}]
  HelperBot: [{steps: [{fail: 'Not now.'}]}]
`)
	team.Channels = []string{"room"}
	team.Member = func(m *app.Member) { m.Toolsets = []string{"contact", "chorus"} }
	for name, ask := range map[string]string{"a mention": "Post in the room.", "a message": "Send."} {
		t.Run(name, func(t *testing.T) {
			Play(t, team, func(s *Stage) {
				root := s.As("rutger").DelegateWith(parley.Budget{Tasks: 3, Tokens: 1000}, "WorkBot", ask)
				s.Wait(root)
				s.Pass(time.Second)
				failed := root + 1
				s.Equal("failed", parley.TaskFailed, s.Task(failed).State)
				again := s.As("WorkBot").Retry(failed)
				s.Wait(again)
				s.Equal("budget", [2]any{root, int64(3)}, [2]any{s.Task(again).Budget, s.Account(root).Tasks})
				_, err := s.Contacts.Retry(s.Context(), s.As("WorkBot").Caller, again)
				s.Equal("a fourth task", true, parley.IsBudgetSpent(err))
				s.Wait(s.As("rutger").Retry(again)) // a person knows that it is one more
				s.Equal("tasks", int64(4), s.Account(root).Tasks)
			})
		})
	}
}

// Tasks that wait for tomorrow continue when the files raise today's budget.
func TestADayThatTheFilesGiveMoreGoesOn(t *testing.T) {
	daily := func(b parley.Budget) func(*app.Member) { return func(m *app.Member) { m.Limits.Daily = b } }
	for name, then := range map[string]parley.Budget{"raised": {Tokens: 900}, "without a bound": {}} {
		t.Run(name, func(t *testing.T) {
			team := workers(worker)
			team.Member = daily(parley.Budget{Tokens: 100})
			Play(t, team, func(s *Stage) {
				id := s.As("rutger").Delegate("WorkBot", "Work.")
				s.Pass(time.Hour)
				s.Equal("put off", parley.WaitDay, s.Task(id).Waits)
				s.rejoin(daily(parley.Budget{Tokens: 100}))
				s.Pass(time.Minute)
				s.Equal("still", parley.WaitDay, s.Task(id).Waits)
				s.rejoin(daily(then))
				s.Pass(time.Minute)
				s.Equal("today", parley.Completed, s.Task(id).State)
				s.Equal("told once", 1, len(s.Events(parley.EventDaySpent)))
			})
		})
	}
}

// An agent whose task waits for its budget does not look as if it waited for others.
func TestAStatusSaysThatABudgetIsSpent(t *testing.T) {
	Play(t, workers(worker), func(s *Stage) {
		s.As("rutger").DelegateWith(parley.Budget{Tokens: 1}, "WorkBot", "Work.")
		s.Pass(time.Second)
		a, err := s.Reading.Agent(s.Context(), s.As("rutger").Caller, "WorkBot")
		s.Equal("status", "awaiting_delegation (1 for budget)", a.Status.Because(a.Reason))
		s.Equal("error", nil, err)
		open := a.Open
		open.Children = 2
		s.Equal("both", "2 open, 1 for budget", a.ReasonAt(0, open))
	})
}
