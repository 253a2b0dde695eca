package scenario

import (
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
)

// DataBot thinks ten seconds about each of its steps.
const thinking = `
agents:
  DataBot:
    - steps:
        - {wait: 10s, call: list_agents, args: {}}
        - {wait: 10s, call: list_agents, args: {}}
        - {wait: 10s, say: 'Done.'}
`

var thinkers = Team{Agents: []string{"DataBot"}, People: []string{"rutger", "louise"}, Script: thinking}

// What belongs to the thread that is worked in appears between two steps. It is
// delivered when the turn takes it in, and seen when a model was shown it. What
// belongs elsewhere waits for the next turn there.
func TestNewsOfTheThreadAppearsBetweenTwoSteps(t *testing.T) {
	Play(t, thinkers, func(s *Stage) {
		id := s.As("rutger").Delegate("DataBot", "Work.")
		s.Pass(5 * time.Second)
		here := s.As("rutger").Notify("DataBot", "Mind the gap.")
		there := s.As("louise").Notify("DataBot", "Something else.")
		s.Equal("at once", "accepted", s.Delivery(here, "DataBot"))
		s.Pass(10 * time.Second)
		s.Equal("while the model is thinking about it", "delivered", s.Delivery(here, "DataBot"))
		s.Pass(10 * time.Second)
		s.Equal("when it has answered", "seen", s.Delivery(here, "DataBot"))
		s.Wait(id)
		const note = "user: [Agent Notification from rutger]\n\nMind the gap."
		s.Equal("first step", 1, len(s.Saw("DataBot", 1)))
		s.Equal("second step", note, s.Saw("DataBot", 2)[len(s.Saw("DataBot", 2))-1])
		s.Equal("third step, once", 1, count(s.Saw("DataBot", 3), note))
		s.Equal("elsewhere", "accepted", s.Delivery(there, "DataBot"))
		s.Equal("not shown", false, s.Models.Showed("DataBot", "Something else."))
		s.Wait(s.As("louise").Delegate("DataBot", "And now?"))
		s.Equal("its own turn", "seen", s.Delivery(there, "DataBot"))
		s.Wait(s.As("rutger").Delegate("DataBot", "Again."))
		s.Equal("not news again", 1, count(s.Saw("DataBot", -1), note))
	})
}

// What arrives with the last step of a turn is neither missed nor marked as seen: the
// next turn shows it.
func TestNewsThatComesTooLateWaitsForTheNextTurn(t *testing.T) {
	Play(t, thinkers, func(s *Stage) {
		id := s.As("rutger").Delegate("DataBot", "Work.")
		s.Pass(25 * time.Second)
		note := s.As("rutger").Notify("DataBot", "Mind the gap.")
		s.Wait(id)
		s.Equal("not yet", "accepted", s.Delivery(note, "DataBot"))
		s.Wait(s.As("rutger").Delegate("DataBot", "Again."))
		s.Equal("then", "seen", s.Delivery(note, "DataBot"))
	})
}

// A turn that is cancelled between taking a message in and showing it has not seen
// it; the next turn in the thread does.
func TestNewsThatWasTakenInAndNeverShownIsShownLater(t *testing.T) {
	Play(t, thinkers, func(s *Stage) {
		id := s.As("rutger").Delegate("DataBot", "Work.")
		s.Pass(5 * time.Second)
		note := s.As("rutger").Notify("DataBot", "Mind the gap.")
		s.Pass(10 * time.Second)
		s.As("rutger").Cancel(id)
		s.Pass(time.Second)
		s.Equal("not seen", "delivered", s.Delivery(note, "DataBot"))
		next := s.As("rutger").Delegate("DataBot", "Again.")
		s.Wait(next)
		s.Equal("seen", "seen", s.Delivery(note, "DataBot"))
		s.Equal("shown", 1, count(s.Saw("DataBot", -1), "user: [Agent Notification from rutger]\n\nMind the gap."))
	})
}

// A result that comes when the budget is spent is taken in, and counts as seen only
// when the budget was raised and the model was asked.
func TestWhatArrivesWhenTheBudgetIsSpentIsSeenLater(t *testing.T) {
	team := Team{Agents: []string{"LeadBot", "DataBot"}, Script: `
agents:
  LeadBot:
    - steps:
        - {call: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Figures.'}}
        - {wait: 10s, call: list_agents, args: {}}
        - {say: 'Done.'}
  DataBot: [{steps: [{wait: 5s, say: 'Twelve.'}]}]
`}
	Play(t, team, func(s *Stage) {
		id := s.As("rutger").DelegateWith(parley.Budget{Time: 12 * time.Second}, "LeadBot", "Work.")
		s.Pass(time.Minute)
		s.Equal("waits for its budget", parley.WaitTree, s.Task(id).Waits)
		var result parley.Message
		for _, m := range s.messages() {
			if m.Kind == parley.ResultMessage {
				result = m
			}
		}
		s.Equal("taken in", "delivered", s.Delivery(result.ID, "LeadBot"))
		s.As("rutger").Raise(id, parley.Budget{Time: time.Hour})
		s.Wait(id)
		s.Equal("seen", "seen", s.Delivery(result.ID, "LeadBot"))
	})
}

// Killed before and after every commit, the message is shown in every later step,
// once in each.
func TestDyingAroundNews(t *testing.T) {
	team := thinkers
	team.Member = func(m *app.Member) { m.Limits.Rescues = 1000 }
	atEveryCommit(t, func(t *testing.T, n int, before bool) (died bool) { return dieAroundNews(t, team, n, before) })
}

func dieAroundNews(t *testing.T, team Team, n int, before bool) (died bool) {
	t.Helper()
	bubbletest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "parley.db")
		first, life := doomed(t, team, file)
		id := first.As("rutger").Delegate("DataBot", "Work.")
		first.Pass(time.Second)
		note := first.As("rutger").Notify("DataBot", "Mind the gap.")
		synctest.Wait()
		life.Doom(n, before)
		s := first
		if died = first.Dies(life, time.Minute); died {
			s = Raise(t, team, OpenFile(t, Remains(t, file)))
			s.Pass(2 * time.Minute)
			s.Models.Adopt(first.Models)
		}
		s.Equal("state", parley.Completed, s.Task(id).State)
		s.Equal("seen", "seen", s.Delivery(note, "DataBot"))
		s.Equal("shown once", 1, count(s.Saw("DataBot", -1), "user: [Agent Notification from rutger]\n\nMind the gap."))
		s.Stop()
	})
	return died
}

// What appeared between two steps is kept as the message it is, even by a turn that
// was resumed in another process: its readers are those of the dm, and a redaction
// finds it.
func TestNewsIsKeptAsTheMessageThatItIs(t *testing.T) {
	team := Team{Agents: []string{"DataBot"}, Member: loom, Script: `
agents:
  DataBot:
    - steps:
        - {wait: 10s, call: list_agents, args: {}}
        - {wait: 10m, call: list_agents, args: {}}
        - {call: context_offload, args: {topic: t, message_count: 20}}
        - {say: 'Done.'}
`}
	for name, restart := range map[string]bool{"in one go": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			Play(t, team, func(s *Stage) {
				id := s.As("rutger").Delegate("DataBot", "Work.")
				s.Pass(5 * time.Second)
				note := s.As("rutger").Notify("DataBot", "Mind the gap.")
				s.Pass(10 * time.Second)
				if restart {
					s.Stop()
					again := raise(s.TB, s.team, s.Store, s.Models)
					defer again.Stop()
					again.Wait(id)
				}
				s.Wait(id)
				_, list := s.Keeper(1)
				kept := slices.IndexFunc(list, func(m parley.KeptMessage) bool { return m.Message == note })
				s.Equal("kept for both", true, kept >= 0 && !list[kept].Private)
			})
		})
	}
}
