package scenario

import (
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

// What draws on the budget of others draws on it when it is tried again too: a
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
