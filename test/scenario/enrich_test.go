package scenario

import (
	"strings"
	"testing"
	"time"

	"parley/internal/keeper"
)

// A note that only happens to have a word of the question is not shown with it, and
// neither is the question as it was asked before.
func TestAQuestionIsNotShownWhatIsUnrelated(t *testing.T) {
	team := learning
	team.Script = `
agents:
  LearnerBot:
    - match: 'Put it away'
      steps: [{call: context_offload, args: {topic: 'notes', message_count: 20}}, {say: 'Done.'}]
    - match: '^\[Query from'
      steps: [{say: 'No idea.'}]
    - steps: [{say: 'Noted.'}]
`
	const question = "Which port does the billing database use in production?"
	for name, c := range map[string]struct {
		note string
		want bool
	}{
		"unrelated":    {"The database of recipes is on the kitchen shelf.", false},
		"asked before": {question, false},
		"relevant":     {"The billing database listens on port 5433 in production.", true},
	} {
		t.Run(name, func(t *testing.T) {
			Play(t, team, func(s *Stage) {
				s.As("rutger").Ask("LearnerBot", c.note)
				s.teach(3)
				s.tell("Put it away.")
				s.As("OtherBot").AskTeam("LearnerBot", question)
				s.Pass(time.Minute)
				s.Equal("shown", c.want, s.Models.Showed("LearnerBot", "Relevant context:"))
			})
		})
	}
}

// What a question was enriched with comes from keepers that its reader may read,
// and others may not: whoever puts the question away does not give it to the asker,
// who reads the same dm.
func TestWhatEnrichedAQuestionIsNotKeptForItsAsker(t *testing.T) {
	team := learning
	team.Script = `
agents:
  LearnerBot:
    - match: 'Put it away'
      steps: [{call: context_offload, args: {topic: 'auth research', message_count: 8}}, {say: '{{result}}'}]
    - match: '^\[Query from'
      steps: [{call: list_agents}, {call: list_agents}, {call: context_offload, args: {topic: 'what was asked', message_count: 8}}, {say: 'Bearer tokens.'}]
    - steps: [{say: 'Noted.'}]
  OtherBot:
    - match: '^\[Answer from'
      steps: [{say: 'Heard.'}]
    - steps: [{call: peer_ask_question, args: {question: 'Which tokens does the auth module check?', target: LearnerBot}}, {wait: 1m, say: 'Asked.'}]
`
	Play(t, team, func(s *Stage) {
		s.teach(8)
		s.tell("Put it away.")
		s.As("rutger").Ask("OtherBot", "Ask.")
		s.Pass(time.Minute)
		s.Equal("enriched", true, s.Models.Showed("LearnerBot", "Relevant context:"))
		_, list := s.Keeper(2)
		s.Equal("kept", "[Query from OtherBot | ID: query-1]\nWhich tokens does the auth module check?", list[0].Text)
		text, err := s.Keepers.Retrieve(s.Context(), s.As("OtherBot").Caller, keeper.Query{Text: "bearer tokens", Mode: keeper.Raw}, nil)
		s.Equal("error", nil, err)
		if !strings.Contains(text, "Which tokens") || strings.Contains(text, "part") {
			s.Errorf("the asker finds %q", text)
		}
	})
}
