package scenario

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/contact"
	"parley/internal/retention"
	"parley/internal/store"
)

const day = 24 * time.Hour

// What is older than the rule is gone, what somebody needs is not, and the team
// goes on.
func TestOldMessagesAreRemoved(t *testing.T) {
	Play(t, Team{Agents: []string{"EchoBot", "SleepyBot"}, Script: `
agents:
  EchoBot: [{steps: [{say: 'You said: {{body}}'}]}]
  SleepyBot: [{steps: [{say: 'Awake.'}]}]
`}, func(s *Stage) {
		rutger := s.As("rutger")
		rutger.Ask("EchoBot", "An old secret.")
		rutger.Sleep("SleepyBot", 200*day)
		open := rutger.Delegate("SleepyBot", "Later.")
		keeper := s.Sweeper(s.id, retention.Rule{Messages: 90 * day})
		s.Pass(89 * day)
		gone, err := keeper.Sweep(s.Context())
		s.Equal("too early", []any{0, nil}, []any{gone.Messages, err})
		s.Pass(12 * day)
		before := s.Task(101)
		gone, err = keeper.Sweep(s.Context())
		s.Equal("in time", []any{1, nil}, []any{gone.Messages, err}) // the reply is unread
		s.Equal("the open task's message", "Later.", s.request(open))
		after := s.Task(101)
		s.Equal("the row stays", []any{before.State, before.EndedAt, before.Agent, before.Requester},
			[]any{after.State, after.EndedAt, after.Agent, after.Requester})
		s.Equal("without its words", "", after.Title)

		again, err := keeper.Sweep(s.Context())
		s.Equal("again", []any{retention.Removed{}, nil}, []any{again, err})
		s.Equal("one event", []string{"retention.removed (1 messages older than 90d)"}, s.Events(parley.EventRetention))
		s.Equal("it goes on", "You said: And now?", rutger.Ask("EchoBot", "And now?"))
		s.Equal("its history has what is left", false, strings.Contains(strings.Join(s.Saw("EchoBot", -1), "\n"), "user: An old secret."))
	})
}

// A channel whose last message was removed, and an approval whose contact was,
// can be looked at all the same.
func TestWhatIsLeftIsReadableWhenItsMessagesAreRemoved(t *testing.T) {
	team := visitors(counting)
	team.Channels = []string{"room"}
	Play(t, team, func(s *Stage) {
		rutger, visitor := s.As("rutger"), s.As("VisitorBot")
		rutger.Post("room", "Good morning.")
		first := visitor.Wants(parley.Delegate, howMany)
		rutger.Approve(first)
		s.Pass(100 * day)
		visitor.Wants(parley.Notify, contact.Request{Target: "DataBot", Message: "And now?"})
		rutger.Ask("DataBot", "Still there?")
		gone, err := s.Sweeper(s.id, retention.Rule{Messages: 90 * day}).Sweep(s.Context())
		rutger.must(err)
		s.Equal("removed", true, gone.Messages >= 1)
		channel, err := s.Reading.Group(s.Context(), rutger.Caller, "room")
		s.Equal("the channel", []any{1, parley.MessageID(0), nil}, []any{channel.Count, channel.Last.ID, err})
		list, err := s.Reading.Approvals(s.Context(), rutger.Caller, true, 10)
		s.Equal("the approvals", []any{1, nil}, []any{len(list), err})
	})
}

func (s *Stage) request(id parley.TaskID) (body string) {
	s.view(func(tx *store.Tx) error {
		t, err := tx.Task(id)
		if err != nil {
			return err
		}
		m, err := tx.Message(t.Request)
		body = m.Body
		return err
	})
	return body
}
