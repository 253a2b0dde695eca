package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

// curious is a planner whose task stays open and who asks on whatever comes back to it.
// Of those it asks, the names say what they do.
func curious(again string, agents ...string) Team {
	const slow = `{call: contact_agent, args: {action: delegate, agentId: SlowBot, message: 'Take your time.'}}`
	return Team{Agents: append([]string{"PlanBot", "SlowBot", "BossBot"}, agents...), Script: `
agents:
  PlanBot:
    - match: '^\[(Answer from|Query Unanswered)'
      steps: [` + again + `, {say: 'I wait.'}]
    - steps: [` + slow + `, ` + again + `, {say: 'I wait.'}]
  SlowBot: [{steps: [{wait: 2000h, say: 'Done.'}]}]
  BossBot: [{steps: [{wait: 2000h, say: 'Hm.'}]}]
  PassBot: [{match: 'ID: (query-\d+)', steps: [{wait: 6s, call: peer_answer_question, args: {query_id: '{{match 1}}', pass: true}}, {say: 'No.'}]}]
  RelayBot: [{match: 'ID: (query-\d+)', steps: [{wait: 6s, call: peer_forward_question, args: {query_id: '{{match 1}}', target: KnowBot, enrichment: 'It knows.'}}, {say: 'Sent on.'}]}]
  "*": [{steps: [{wait: 6s, say: 'Not yet.'}]}]
`, Member: func(m *app.Member) {
		under(map[string]ruleset{"PlanBot": {manager: "BossBot"}})(m)
		loom(m)
		m.Limits.Rate = 1000
	}}
}

// asking is a call that asks somebody, or all.
func asking(target, text string) string {
	if target == "" {
		return fmt.Sprintf("{call: peer_ask_question, args: {question: '%s'}}", text)
	}
	return fmt.Sprintf("{call: peer_ask_question, args: {target: %s, question: '%s'}}", target, text)
}

// questions counts the questions that were asked.
func (s *Stage) questions() (n int) {
	for _, e := range s.events() {
		if e.Kind == parley.EventQuestionAsked {
			n++
		}
	}
	return n
}

// Answers are results too: whoever only asks again on them goes round, whether it is
// answered, passed on, passed or left alone.
func TestQuestionsAskedAgainAndAgainAskPeopleAfterTenRounds(t *testing.T) {
	for name, c := range map[string]struct{ again, other, who string }{
		"of one":              {asking("KnowBot", "And now?"), "KnowBot", "KnowBot"},
		"of one who passes":   {asking("PassBot", "And now?"), "PassBot", "PassBot"},
		"of one who forwards": {asking("RelayBot", "And now?"), "RelayBot", "RelayBot"},
		"of all":              {asking("", "And now?"), "KnowBot", "all agents"},
	} {
		t.Run(name, func(t *testing.T) {
			team := curious(c.again, c.other)
			if c.other == "RelayBot" {
				team.Agents = append(team.Agents, "KnowBot")
			}
			Play(t, team, func(s *Stage) {
				id := s.As("rutger").Delegate("PlanBot", "Plan.")
				s.Pass(5 * time.Minute)
				s.Equal("the first and ten rounds", 11, s.questions())
				s.Equal("asked", 1, len(s.Held(id)))
				s.Equal("nor decides", true, s.approve(s.As("BossBot").Caller, 1) != nil)
				s = s.Restart()
				s.As("rutger").Approve(1)
				s.Pass(5 * time.Minute)
				s.Equal("ten more", 21, s.questions())
				s.As("rutger").Deny(2, "Enough.")
				s.Equal("error", "10 rounds did nothing but ask "+c.who+" again on the answers. Going on was not approved. Enough.", s.Wait(id).Error)
			})
		})
	}
}

// Twelve answer a question to all, each at its own time, and each is asked something
// once more. That is one round, however many they are: nobody goes in circles.
func TestTheAnswersToOneQuestionAreOneRound(t *testing.T) {
	team := curious("{say: 'Hm.'}")
	var names []string
	var b strings.Builder
	for i := range 12 {
		name := fmt.Sprintf("Know%02d", i)
		names = append(names, name)
		fmt.Fprintf(&b, "  %s:\n    - match: 'What more'\n      steps: [{wait: 1000h, say: 'Nothing.'}]\n    - steps: [{wait: %ds, say: 'I do.'}]\n", name, 120+10*i)
	}
	team.Agents = append([]string{"PlanBot", "SlowBot"}, names...)
	team.Script = `
agents:
  PlanBot:
    - match: '^\[Answer from (\w+)'
      steps: [` + asking("'{{match 1}}'", "What more, {{match 1}}?") + `, {say: 'I wait.'}]
    - steps: [{call: contact_agent, args: {action: delegate, agentId: SlowBot, message: 'Take your time.'}}, ` + asking("", "Who knows?") + `, {say: 'I wait.'}]
  SlowBot: [{match: Take, steps: [{wait: 2000h, say: 'Done.'}]}, {match: Query, steps: [{wait: 2000h, say: 'Hm.'}]}]
` + b.String()
	Play(t, team, func(s *Stage) {
		id := s.As("rutger").Delegate("PlanBot", "Plan.")
		s.Pass(9 * time.Minute)
		s.Equal("the one to all, and one more for each answer", 13, s.questions())
		s.Equal("asked", 0, len(s.Held(id)))
		s.As("rutger").Cancel(id)
	})
}
