package scenario

import (
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/store"
)

func TestAnOrderlyStopGivesTasksBackWithoutCountingARescue(t *testing.T) {
	Play(t, Team{Agents: []string{"CoordinatorBot", "DataBot"}, Script: `
agents:
  CoordinatorBot:
    - match: 'Begin'
      steps: [{call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Go.'}}, {say: '{{result}}'}]
  DataBot: [{steps: [{wait: 60s, say: 'Done.'}]}]
`, Hub: func(c *app.HubConfig) { c.Grace = 5 * time.Second }}, func(s *Stage) {
		s.As("rutger").Delegate("CoordinatorBot", "Begin.")
		for range 5 { // more often than rescues are allowed
			s.Pass(time.Second)
			began := time.Now()
			s.Stop()
			s.Equal("the stop took the grace", 5*time.Second, time.Since(began))
			for _, id := range []parley.TaskID{101, 102} {
				s.Equal("given back", parley.Queued, s.Task(id).State)
				s.Equal("rescues", 0, s.Task(id).Rescues)
			}
			s = s.Restart()
		}
		s.Wait(101)
		s.Equal("result", "Response from DataBot: Done.", s.Result(101))
		s.Equal("record", 0, len(s.Events(parley.EventRescued)))
		s.Stop()
	})
}

func TestTurnsFinishWithinTheGraceOfAStop(t *testing.T) {
	Play(t, Team{Agents: []string{"DataBot"}, Script: `
agents:
  DataBot: [{steps: [{wait: 5s, say: 'Done.'}]}]
`}, func(s *Stage) {
		id := s.As("rutger").Delegate("DataBot", "Go.")
		s.Pass(time.Second)
		began := time.Now()
		s.Stop()
		s.Equal("took", 4*time.Second, time.Since(began))
		s.Equal("state", parley.Completed, s.Task(id).State)
	})
}

// TestAStaleTokenChangesNothing suspends a hub in the middle of a turn until
// another has taken it for dead and done its work.
func TestAStaleTokenChangesNothing(t *testing.T) {
	for name, steps := range map[string]string{
		"a tool is called": `[{call: contact_agent, args: {action: notify, agentId: rutger, message: 'On my way.'}}, {say: 'Done.'}]`,
		"the turn ends":    `[{say: 'Done.'}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubbletest.Test(t, func(t *testing.T) {
				team := Team{Agents: []string{"DataBot"}, Script: "agents:\n  DataBot: [{steps: " + steps + "}]\n"}
				st := OpenFile(t, filepath.Join(t.TempDir(), "parley.db"))
				var process *Mortal
				suspended := team
				suspended.Hub = func(c *app.HubConfig) { process = NewMortal(t, c.Store); c.Store = process }
				first := raiseHeld(t, suspended, st, func(m *Models) *Gate { return m.Hold("DataBot") })
				id := first.As("rutger").Delegate("DataBot", "Go.")
				first.gate.Arrived()
				process.Kill()
				second := Raise(t, team, st) // takes everything over
				second.Wait(id)
				before, stored, inbox := second.record(), second.Steps(id), second.Inbox("rutger")
				process.Resume()
				first.gate.Open()
				first.Pass(time.Hour)
				second.Equal("events", before, second.record())
				second.Equal("steps", stored, second.Steps(id))
				second.Equal("inbox", inbox, second.Inbox("rutger"))
				second.Equal("token", int64(2), second.Task(id).Token)
				second.Equal("the first model was asked once and no more", 1, len(first.Models.Shown("DataBot")))
				first.CheckLog() // the token stopped it, not an error
				second.CheckLog()
			})
		})
	}
}

func texts(list []Said) (out []string) {
	for _, m := range list {
		out = append(out, m.Text)
	}
	return out
}

type held struct {
	*Stage
	gate *Gate
}

// raiseHeld starts a hub whose models are held from the first moment.
func raiseHeld(t *testing.T, team Team, st store.Store, hold func(*Models) *Gate) held {
	t.Helper()
	models := parseModels(t, team)
	gate := hold(models)
	return held{raise(t, team, st, models), gate}
}
