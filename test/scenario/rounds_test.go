package scenario

import (
	"strings"
	"testing"

	"parley"
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
				s.Equal("asked", 4, len(s.Children(id)))
				s.Equal("rutger reads", true, strings.Contains(s.Inbox("rutger")[0].Text, "go in circles"))
			})
		})
	}
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
