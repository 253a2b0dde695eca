package scenario

import (
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

// CoderBot discovers and plans; the others are connected with the file in different
// ways.
const finding = `
agents:
  CoderBot:
    - match: 'Discover'
      steps: [{call: peer_discovery, args: {finding: 'The token is never checked.', path: src//auth.go}}, {say: '{{result}}'}]
    - match: 'Elsewhere'
      steps: [{call: peer_discovery, args: {finding: 'It is slow.', path: other.go}}, {say: '{{result}}'}]
    - match: 'Intend'
      steps: [{call: peer_intent, args: {intent: 'I rewrite the check.', path: src/auth.go}}, {wait: 10m, say: '{{result}}'}]
    - match: 'Revise'
      steps: [{call: peer_plan_revision, args: {change: 'No rewrite.', reason: 'It works.', path: src/auth.go}}, {say: '{{result}}'}]
    - match: 'Tell'
      steps: [{call: peer_message, args: {target: TesterBot, message: 'Tests are next.'}}, {say: '{{result}}'}]
    - match: 'nothing'
      steps: [{call: peer_discovery, args: {finding: ' '}}, {say: '{{result}}'}]
    - match: 'Flood'
      steps: [{call: peer_discovery, args: {finding: 'One.'}}, {call: peer_discovery, args: {finding: 'Two.'}}, {say: '{{result}}'}]
  Coder Two: [{steps: [{say: 'Read.'}]}]
  TesterBot: [{steps: [{call: peer_claim_region, args: {path: src/auth.go, from_line: 1, to_line: 9}}, {wait: 30m, say: 'Tested.'}]}]
  ResearcherBot:
    - match: 'Discover'
      steps: [{call: peer_discovery, args: {finding: 'There is a standard.', path: src/auth.go}}, {say: '{{result}}'}]
    - steps: [{call: peer_intent, args: {intent: 'I read it.', path: ./src/auth.go}}, {wait: 30m, say: 'Read.'}]
  LeadBot:
    - match: 'Create'
      steps: [{call: peer_create_task, args: {title: Review, description: All of it., target: ReviewerBot, path: src/auth.go}}, {say: Given.}]
    - steps: [{say: 'Ok.'}]
  ReviewerBot: [{steps: [{wait: 30m, say: 'PASS: fine.'}]}]
`

var finders = Team{Agents: []string{"CoderBot", "Coder Two", "TesterBot", "ResearcherBot", "LeadBot", "ReviewerBot"}, Member: cast, Script: finding}

// A discovery reaches who has a claim, an intent or an open task on the path, and
// nobody else; it costs one contact.
func TestADiscoveryReachesWhomItConcerns(t *testing.T) {
	Play(t, finders, func(s *Stage) {
		for _, name := range []string{"TesterBot", "ResearcherBot"} {
			s.As("rutger").Delegate(name, "Work.")
			s.Pass(time.Second) // the first one's intent is there when the second has its own
		}
		s.As("rutger").Delegate("LeadBot", "Create.")
		s.Pass(time.Minute)
		s.Equal("result", "Discovery shared with TesterBot, ResearcherBot, ReviewerBot.", s.As("rutger").Ask("CoderBot", "Discover."))
		for _, name := range []string{"TesterBot", "ResearcherBot", "ReviewerBot"} {
			s.Equal(name, []Said{{"CoderBot", parley.NotificationMessage, "[Agent Notification from CoderBot]\n\nDiscovery (src/auth.go): The token is never checked."}},
				s.DM("CoderBot", name))
		}
		s.Equal("not its own role", 0, len(s.Inboxes("Coder Two")))
		s.Equal("elsewhere its role", "Discovery shared with Coder Two.", s.As("rutger").Ask("CoderBot", "Elsewhere."))
		s.Equal("a plan", "Plan revision told to TesterBot, ResearcherBot, ReviewerBot.", s.As("rutger").Ask("CoderBot", "Revise."))
		s.Equal("a message", "Notification sent to TesterBot.", s.As("rutger").Ask("CoderBot", "Tell."))
		s.Equal("nothing", "Error: There is nothing to tell. Say what the others should know.", s.As("rutger").Ask("CoderBot", "nothing"))
		dm := s.DM("CoderBot", "TesterBot")
		s.Equal("reads", "[Agent Notification from CoderBot]\n\nPlan revision (src/auth.go): No rewrite.\n\nReason: It works.", dm[1].Text)
		s.Pass(time.Hour)
		s.Equal("nobody is left", "It concerns nobody else at the moment, so nobody was told.", s.As("rutger").Ask("ResearcherBot", "Discover."))
	})
}

// An agent that has announced what it will work on hears what others discover there.
func TestAnIntentMakesOneConcerned(t *testing.T) {
	Play(t, finders, func(s *Stage) {
		id := s.As("rutger").Delegate("CoderBot", "Intend.")
		s.Pass(time.Minute)
		s.Equal("told its role", []string{"Intent told to Coder Two."}, s.Results(id))
		s.Equal("found", "Discovery shared with CoderBot.", s.As("rutger").Ask("ResearcherBot", "Discover."))
		s.Wait(id)
		s.Equal("after its task", "It concerns nobody else at the moment, so nobody was told.", s.As("rutger").Ask("ResearcherBot", "Discover."))
	})
}

// Rights are those of any contact: who may not be contacted, or only with an
// approval, is left out and named. Several cost one of the minute.
func TestADiscoveryRespectsRulesAndRate(t *testing.T) {
	team := finders
	team.Member = func(m *app.Member) {
		under(map[string]ruleset{"CoderBot": {deny: []string{"TesterBot"}, approval: []string{"ResearcherBot"}}})(m)
		cast(m)
		m.Limits.Rate, m.Limits.Burst = 1, 1
	}
	Play(t, team, func(s *Stage) {
		for _, name := range []string{"TesterBot", "ResearcherBot"} {
			s.As("rutger").Delegate(name, "Work.")
			s.Pass(time.Second) // the first one's intent is there when the second has its own
		}
		s.As("rutger").Delegate("LeadBot", "Create.")
		s.Pass(time.Minute)
		s.Equal("result", "Discovery shared with ReviewerBot. Not told, since you may not contact them by yourself: TesterBot, ResearcherBot.",
			s.As("rutger").Ask("CoderBot", "Discover."))
		s.Equal("only its task and an intent", 2, len(s.Inboxes("TesterBot")))
		s.Equal("no approval", 0, len(s.Events(parley.EventApprovalRequested)))
		s.Pass(time.Minute)
		s.Equal("rate", "Error: rate limit reached (1 messages per minute). Try again in 60 seconds.", s.As("rutger").Ask("CoderBot", "Flood."))
		s.Equal("one", 1, len(s.Inboxes("Coder Two")))
	})
}

// All tell all at once: the threads are locked in one order.
func TestPostgresDiscoveriesInAllDirections(t *testing.T) {
	team := Team{Agents: []string{"Coder One", "Coder Two", "Coder Three"}, Member: func(m *app.Member) { cast(m); m.Limits.Rate = 100 }, Script: `
agents:
  '*': [{match: 'Go', steps: [{call: peer_discovery, args: {finding: 'One.'}}, {call: peer_discovery, args: {finding: 'Two.'}}, {call: peer_discovery, args: {finding: 'Three.'}}, {say: '{{result}}'}]}]
`}
	playPostgres(t, team, func(s *Stage) {
		var ids []parley.TaskID
		for _, name := range team.Agents {
			ids = append(ids, s.As("rutger").Delegate(name, "Go."))
		}
		for _, id := range ids {
			s.Equal("state", parley.Completed, s.Wait(id).State)
		}
		for _, name := range team.Agents {
			s.Equal(name, 7, len(s.Inboxes(name)))
		}
	})
}
