package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

const again = "        - {call: contact_agent, args: {action: ask, agentId: DataBot, message: 'And now?'}}\n"

func circles(steps ...string) Team {
	return Team{Agents: []string{"AskBot", "DataBot", "OtherBot"}, Script: "agents:\n  AskBot:\n    - steps:\n" + strings.Join(steps, "") +
		"        - say: 'Enough.'\n  DataBot: [{steps: [{say: 'Not yet.'}]}]\n  OtherBot: [{steps: [{say: 'Hm.'}]}]\n"}
}

const goInCircles = "four rounds in a row did nothing but contact DataBot: the two seem to go in circles."

func TestFourRoundsWithTheSameAgentStopTheTurn(t *testing.T) {
	for name, c := range map[string]struct {
		steps []string
		fails bool
	}{
		"three":                        {[]string{again, again, again}, false},
		"four different questions":     {different(4), false},
		"eleven different questions":   {different(11), false},
		"the same but for a tenth":     {nearlySame(4, 1), true},
		"the same but for two tenths":  {nearlySame(4, 2), false},
		"the same four times in seven": {[]string{again, different(1)[0], again, different(2)[1], again, different(3)[2], again}, true},
		"four":                         {[]string{again, again, again, again, again}, true},
		"the name spelled freely":      {[]string{again, strings.Replace(again, "DataBot", "databot", 1), again, again}, true},
		"another name of the argument": {[]string{again, strings.Replace(again, "agentId", "target_agent", 1), again, again}, true},
		"another tool between":         {[]string{again, again, "        - {call: list_agents}\n", again, again, again}, false},
		"another agent between":        {[]string{again, again, strings.Replace(again, "DataBot", "OtherBot", 1), again, again}, false},
		"another call beside":          {[]string{again, again, again, "        - calls: [{tool: list_agents}, {tool: contact_agent, args: {action: ask, agentId: DataBot, message: 'Now?'}}]\n", again}, false},
	} {
		t.Run(name, func(t *testing.T) {
			Play(t, circles(c.steps...), func(s *Stage) {
				id := s.As("rutger").Delegate("AskBot", "Go.")
				task := s.Wait(id)
				if !c.fails {
					s.Equal("state", parley.Completed, task.State)
					return
				}
				s.Equal("error", goInCircles, strings.Replace(task.Error, "databot", "DataBot", 1))
				asked := 4
				if name == "the same four times in seven" {
					asked = 7
				}
				s.Equal("asked", asked, len(s.Children(id)))
				s.Equal("rutger reads", true, strings.Contains(s.Inbox("rutger")[0].Text, "go in circles"))
			})
		})
	}
}

// different are questions of which none is like another.
func different(n int) (list []string) {
	for i := range n {
		list = append(list, strings.Replace(again, "And now?", fmt.Sprintf("What of item %d, page %d?", 100+i, 200+i), 1))
	}
	return list
}

// nearlySame are questions of ten words, of which some differ each time.
func nearlySame(n, words int) (list []string) {
	for i := range n {
		text := "has the report on sales come in"
		for w := range 10 - 7 - words {
			text += fmt.Sprintf(" w%d", w)
		}
		for w := range words {
			text += fmt.Sprintf(" x%d%d", w, i)
		}
		list = append(list, strings.Replace(again, "And now?", text, 1))
	}
	return list
}

func TestTwelveRoundsWithTheSameAgentStopTheTurnWhateverIsSaid(t *testing.T) {
	Play(t, circles(different(14)...), func(s *Stage) {
		id := s.As("rutger").Delegate("AskBot", "Go.")
		s.Equal("error", "twelve rounds in a row did nothing but contact DataBot: the two seem to go in circles.", s.Wait(id).Error)
		s.Equal("asked", 12, len(s.Children(id)))
	})
}

// The rounds are counted from what is stored.
func TestRoundsAreCountedAcrossARestart(t *testing.T) {
	Play(t, circles(again, again, again, again, again), func(s *Stage) {
		gate := s.Models.Hold("DataBot")
		id := s.As("rutger").Delegate("AskBot", "Go.")
		gate.Arrived()
		s = s.Restart()
		gate.Open()
		s.Equal("error", goInCircles, s.Wait(id).Error)
		s.Equal("asked", 4, len(s.Children(id)))
	})
}

// paced is a planner that delegates to the same reviewer on each of its results.
func paced(steps string) Team {
	return Team{Agents: []string{"PlanBot", "ReviewBot", "BossBot"}, Script: `
agents:
  PlanBot:
    - match: '^\[Delegation (Result|Failed)'
      steps: ` + steps + `
    - steps: ` + steps + `
  ReviewBot: [{steps: [{wait: 6s, say: 'Not good enough.'}]}]
  BossBot: [{steps: [{say: 'Hm.'}]}]
`, Member: func(m *app.Member) {
		under(map[string]ruleset{"PlanBot": {manager: "BossBot"}})(m)
		m.Limits.Rate = 1000
	}}
}

const reviseAgain = `[{call: contact_agent, args: {action: delegate, agentId: ReviewBot, message: 'Look again.'}}, {say: 'I wait.'}]`

func TestAPacedLoopAsksPeopleAfterTenRounds(t *testing.T) {
	const pace = time.Hour
	Play(t, paced(reviseAgain), func(s *Stage) {
		id := s.As("rutger").Delegate("PlanBot", "Plan.")
		s.Pass(pace)
		s.Equal("the first and ten rounds", 11, len(s.Children(id)))
		s.Equal("asked", 1, len(s.Held(id)))
		s.Equal("no manager is", 0, len(s.Models.Shown("BossBot")))
		s.Equal("nor decides", true, s.approve(s.As("BossBot").Caller, 1) != nil)
		s = s.Restart()
		s.As("rutger").Approve(1)
		s.Pass(pace)
		s.Equal("ten more", 21, len(s.Children(id)))
		s.Equal("asked again", 2, len(s.Held(id)))
		s.As("rutger").Deny(2, "Enough.")
		s.Equal("error", "10 rounds did nothing but delegate to ReviewBot again on its results. Going on was not approved. Enough.", s.Wait(id).Error)
	})
}

// Nobody decides: the task fails.
func TestRoundsThatNobodyAllowsFailTheTask(t *testing.T) {
	Play(t, paced(reviseAgain), func(s *Stage) {
		id := s.As("rutger").Delegate("PlanBot", "Plan.")
		s.Pass(25 * time.Hour)
		s.Equal("error", "10 rounds did nothing but delegate to ReviewBot again on its results. Going on was not approved. Nobody decided in time.", s.Task(id).Error)
		s.Equal("delegations", 11, len(s.Children(id)))
	})
}

// Several delegations in one reply are one round, and what else a task does in between
// begins the count anew.
func TestWhatIsARound(t *testing.T) {
	const twice = `[{calls: [{tool: contact_agent, args: {action: delegate, agentId: ReviewBot, message: 'One.'}}, {tool: contact_agent, args: {action: delegate, agentId: reviewbot, message: 'Two.'}}]}, {say: 'I wait.'}]`
	const looks = `[{call: list_agents}, {call: contact_agent, args: {action: delegate, agentId: ReviewBot, message: 'Look again.'}}, {say: 'I wait.'}]`
	for name, c := range map[string]struct {
		steps string
		held  int
	}{
		"several at once":  {twice, 1},
		"with other calls": {looks, 0},
	} {
		t.Run(name, func(t *testing.T) {
			team := paced(c.steps)
			member := team.Member
			team.Member = func(m *app.Member) { member(m); m.Limits.Rounds = 1 }
			Play(t, team, func(s *Stage) {
				id := s.As("rutger").Delegate("PlanBot", "Plan.")
				s.Pass(2 * time.Minute)
				s.Equal("asked", c.held, len(s.Held(id)))
				if c.held > 0 {
					s.Equal("the first reply, and two replies on the same results", 6, len(s.Children(id)))
				}
				s.As("rutger").Cancel(id)
			})
		})
	}
}
