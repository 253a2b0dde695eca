package scenario

import (
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
)

const interruptedWork = `
agents:
  Lead:
    - steps:
        - {call: post_letter, args: {}}
        - {call: contact_agent, args: {action: ask, agentId: Data, message: 'Figures?'}}
        - {wait: 10s, call: look, args: {}}
        - {call: contact_agent, args: {action: notify, agentId: Data, message: 'Thanks.'}}
        - {call: post_letter, args: {}}
        - say: 'Done.'
  Data: [{steps: [{wait: 1s, say: 'Twelve.'}]}]
`

// A task whose time was over is resumed, and the hub dies at any commit since then:
// when it is back, the task goes on, and nothing is done twice.
func TestAHubThatDiesWhileATaskIsResumed(t *testing.T) {
	t.Parallel()
	atEveryCommit(t, func(t *testing.T, n int, before bool) (died bool) {
		bubbletest.Test(t, func(t *testing.T) {
			o := newOutside()
			team := Team{Agents: []string{"Lead", "Data"}, Script: interruptedWork, Tools: o.tools(), Member: func(m *app.Member) {
				m.Toolsets = []string{"contact", "outside"}
				m.Limits.DelegationDeadline = 8 * time.Second
				m.Rules = ruled(ruleset{profile: "open"})
			}}
			file := filepath.Join(t.TempDir(), "parley.db")
			s := Raise(t, team, OpenFile(t, file))
			s.As("rutger").Delegate("Lead", "Begin.")
			s.Pass(20 * time.Second)
			s.Equal("at its deadline", parley.TaskFailed, s.Task(101).State)
			team.Member = func(m *app.Member) {
				m.Toolsets = []string{"contact", "outside"}
				m.Rules = ruled(ruleset{profile: "open"})
			}
			s.Stop()
			file = Remains(t, file)
			var life *Mortal
			s, life = doomed(t, team, file)
			next := s.As("rutger").GoOn(101)
			life.Doom(n, before)
			if died = s.Dies(life, 15*time.Second); died {
				shown := s.Models
				s = Raise(t, team, OpenFile(t, Remains(t, file)))
				s.Models.Adopt(shown)
				s.Pass(10 * time.Minute)
			}
			s.Equal("state", parley.Completed, s.Task(next).State)
			s.Equal("asked", 1, len(s.Children(101))+len(s.Children(next)))
			s.Equal("told", 3, len(s.DM("Lead", "Data")))
			for key, n := range o.letters {
				if n > 1 {
					s.Errorf("the letter %s was posted %d times", key, n)
				}
			}
			s.Stop()
		})
		return died
	})
}
