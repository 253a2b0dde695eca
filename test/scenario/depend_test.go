package scenario

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/contact"
)

// LeadBot has research and tests done, and then the code, which needs both.
const building = `
agents:
  LeadBot:
    - match: 'Build'
      steps:
        - {call: peer_create_task, args: {title: 'Research', description: 'Look around.', target: ResearcherBot}}
        - {call: peer_create_task, args: {title: 'Tests', description: 'Write them.', role: tester}}
        - {call: peer_create_task, args: {title: 'Code', description: 'Write it.', role: coder, depends_on: [task-102, task-103], path: src/auth.go}}
        - say: 'Planned.'
    - steps: [{say: 'Heard: {{body}}'}]
  ResearcherBot: [{steps: [{wait: 10m, say: 'Found.'}]}]
  TesterBot: [{steps: [{wait: 20m, say: 'Tested.'}]}]
  CoderBot: [{steps: [{wait: 1m, say: 'Written.'}]}]
`

var builders = Team{Agents: []string{"LeadBot", "ResearcherBot", "TesterBot", "CoderBot"}, Member: cast, Script: building}

func TestATaskBeginsWhenWhatItDependsOnIsCompleted(t *testing.T) {
	Play(t, builders, func(s *Stage) {
		id := s.As("rutger").Delegate("LeadBot", "Build.")
		s.Pass(time.Minute)
		s.Equal("created", []string{
			"Created task-102 for ResearcherBot. You'll receive the result automatically when ResearcherBot finishes.",
			"Created task-103 for TesterBot. You'll receive the result automatically when TesterBot finishes.",
			"Created task-104 for CoderBot. It begins when task-102, task-103 is completed. You'll receive the result automatically when CoderBot finishes.",
		}, s.Results(id))
		s.Equal("title", "Code", s.Task(104).Title)
		s.Equal("state", parley.Waiting, s.Task(104).State)
		s.Equal("status", parley.StatusIdle, s.Status("CoderBot"))
		s.Pass(15 * time.Minute)
		s.Equal("with one of two", parley.Waiting, s.Task(104).State)
		s.Equal("nothing shown", 0, len(s.Models.Shown("CoderBot")))
		s.Wait(id)
		s.Equal("tree", "task-101 LeadBot completed\n  task-102 ResearcherBot completed\n  task-103 TesterBot completed\n  task-104 CoderBot completed\n", s.Tree(id))
		s.Equal("began after the last", true, s.Task(104).StartedAt >= s.Task(103).EndedAt)
		s.Equal("soon", true, s.Task(104).StartedAt.Since(s.Task(103).EndedAt) < time.Second)
		s.Equal("result", "Heard: Written.", s.Result(id))
	})
}

// If a task fails, what depends on it fails, and so on; each requester is told once,
// with the reason.
func TestAFailedDependencyFailsTheDependent(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(s *Stage)
		want string
	}{
		"failed": {func(s *Stage) {
			s.As("ResearcherBot").must(s.Contacts.Decline(s.Context(), s.As("ResearcherBot").Caller, 102, "No access."))
		}, "it depends on task-102, which was not completed (failed): No access."},
		"cancelled": {func(s *Stage) { s.As("rutger").Cancel(102) },
			"it depends on task-102, which was not completed (cancelled): cancelled by rutger."},
	} {
		t.Run(name, func(t *testing.T) {
			team := builders
			team.Script = strings.Replace(building, "- say: 'Planned.'",
				"- {call: peer_create_task, args: {title: 'Docs', description: 'Write them.', role: coder, depends_on: [task-104]}}\n        - say: 'Planned.'", 1)
			Play(t, team, func(s *Stage) {
				id := s.As("rutger").Delegate("LeadBot", "Build.")
				s.Pass(time.Minute)
				c.end(s)
				s.Pass(time.Second)
				s.Equal("state", parley.TaskFailed, s.Task(104).State)
				s.Equal("reason", c.want, s.Task(104).Error)
				s.Equal("in turn", "it depends on task-104, which was not completed (failed): "+c.want, s.Task(105).Error)
				s.Equal("never ran", 0, len(s.Models.Shown("CoderBot")))
				s.Wait(id)
				s.Equal("told", 4, s.Task(id).InboxCount)
			})
		})
	}
}

// Cycles, unknown tasks and failed ones are refused, and nothing is created.
func TestDependenciesThatCannotBe(t *testing.T) {
	create := func(on string) string {
		return "{call: peer_create_task, args: {title: T, description: D, target: CoderBot, depends_on: [" + on + "]}}"
	}
	team := builders
	team.Agents = append(team.Agents, "OtherBot")
	team.Script = `
agents:
  LeadBot:
    - match: 'Circle'
      steps: [` + create("task-101") + `, {say: '{{result}}'}]
    - match: 'Above'
      steps: [{call: contact_agent, args: {action: delegate, agentId: ResearcherBot, message: Go.}}, {say: Given.}]
    - match: 'Stranger'
      steps: [` + create("task-103") + `, {say: '{{result}}'}]
    - match: 'Nothing'
      steps: [` + create("task-999") + `, {say: '{{result}}'}]
    - match: 'Both'
      steps: [{call: peer_create_task, args: {title: T, description: D, target: CoderBot, role: coder}}, {say: '{{result}}'}]
    - match: 'Untitled'
      steps: [{call: peer_create_task, args: {title: ' ', description: D, target: CoderBot}}, {say: '{{result}}'}]
    - steps: [{say: 'Ok.'}]
  ResearcherBot: [{steps: [` + create("task-102") + `, {say: '{{result}}'}]}]
  OtherBot: [{steps: [{wait: 1h, say: 'Long.'}]}]
  CoderBot: [{steps: [{say: 'Written.'}]}]
`
	const circle = "Error: The task would wait for its own end: it → %s → it. A task cannot wait for one that waits for it. Leave the dependency out."
	Play(t, team, func(s *Stage) {
		s.Equal("its creator", fmt.Sprintf(circle, "task-101"), s.As("rutger").Ask("LeadBot", "Circle."))
		above := s.As("rutger").Delegate("LeadBot", "Above.")
		s.Wait(above)
		s.Equal("above its creator", fmt.Sprintf(circle, "task-102"), s.Result(103))
		other := s.As("rutger").Delegate("OtherBot", "Work.")
		s.Pass(time.Second)
		s.Equal("another's", true, strings.HasPrefix(s.As("rutger").Ask("LeadBot", "Nothing."), "Error: task-999 not found."))
		s.Equal("both", "Error: A task is for one agent, or for one of a role. Give target or role.", s.As("rutger").Ask("LeadBot", "Both."))
		s.Equal("untitled", "Error: The task has no title. Say in a few words what is to be done.", s.As("rutger").Ask("LeadBot", "Untitled."))
		_, err := s.Contacts.CreateTask(s.Context(), s.As("LeadBot").Caller, contact.NewTask{Title: "T", Target: "CoderBot", After: []parley.TaskID{other}})
		s.Equal("a stranger's", "Error: "+other.String()+" not found.", parley.ToolError(err))
		s.As("rutger").Cancel(other)
		_, err = s.Contacts.CreateTask(s.Context(), s.As("rutger").Caller, contact.NewTask{Title: "T", Target: "CoderBot", After: []parley.TaskID{other}})
		s.Equal("cancelled", "Error: "+other.String()+" is cancelled, so nothing can wait for it. Create the task without it, or retry it first.", parley.ToolError(err))
		s.Equal("nothing was made", 0, len(s.Inboxes("CoderBot")))
		made, err := s.Contacts.CreateTask(s.Context(), s.As("rutger").Caller, contact.NewTask{Title: "T", Target: "CoderBot", After: []parley.TaskID{above}})
		s.Equal("error", nil, err)
		s.Equal("of what is completed nothing is left to wait for", parley.Completed, s.Wait(made.Task.ID).State)
	})
}

// Two tasks, each of which wants a child that waits for the other: the second is
// refused.
func TestACircleThroughChildren(t *testing.T) {
	Play(t, builders, func(s *Stage) {
		a := s.As("rutger").Delegate("ResearcherBot", "A.")
		b := s.As("rutger").Delegate("ResearcherBot", "B.")
		s.Pass(time.Second)
		child := func(of, on parley.TaskID) error {
			c := s.As("ResearcherBot").Caller
			c.Task = of
			_, err := s.Contacts.CreateTask(s.Context(), c, contact.NewTask{Title: "T", Target: "CoderBot", After: []parley.TaskID{on}})
			return err
		}
		s.Equal("first", nil, child(a, b))
		s.Equal("second", "Error: The task would wait for its own end: it → task-101 → task-103 → task-102 → it. A task cannot wait for one that waits for it. Leave the dependency out.",
			parley.ToolError(child(b, a)))
		s.Wait(a)
		s.Wait(b)
	})
}

// Killed before and after every commit: the dependent runs once, after the others.
func TestDyingAroundADependency(t *testing.T) {
	team := builders
	team.Member = func(m *app.Member) { cast(m); m.Limits.Rescues = 1000 }
	team.Script = strings.NewReplacer("10m", "10s", "20m", "20s", "1m,", "1s,").Replace(building) // hours have many polls
	atEveryCommit(t, func(t *testing.T, n int, before bool) (died bool) { return dieAroundDependency(t, team, n, before) })
}

func dieAroundDependency(t *testing.T, team Team, n int, before bool) (died bool) {
	t.Helper()
	bubbletest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "parley.db")
		first, life := doomed(t, team, file)
		first.As("rutger").Sleep("LeadBot", time.Second)
		id := first.As("rutger").Delegate("LeadBot", "Build.")
		synctest.Wait()
		life.Doom(n, before)
		s := first
		if died = first.Dies(life, time.Minute); died {
			s = Raise(t, team, OpenFile(t, Remains(t, file)))
			s.Pass(2 * time.Minute)
			s.Models.Adopt(first.Models)
		}
		s.Equal("state", parley.Completed, s.Task(id).State)
		s.Equal("tree", "task-101 LeadBot completed\n  task-102 ResearcherBot completed\n  task-103 TesterBot completed\n  task-104 CoderBot completed\n", s.Tree(id))
		s.Equal("in order", true, s.Task(104).StartedAt >= max(s.Task(102).EndedAt, s.Task(103).EndedAt))
		s.Equal("told once of each", 3, s.Task(id).InboxCount)
		s.Stop()
	})
	return died
}

func TestPostgresATaskBeginsWhenWhatItDependsOnIsCompleted(t *testing.T) {
	team := builders
	team.Script = strings.NewReplacer("10m", "1ms", "20m", "1ms", "1m,", "1ms,").Replace(building)
	playPostgres(t, team, func(s *Stage) {
		id := s.As("rutger").Delegate("LeadBot", "Build.")
		s.Wait(id)
		s.Equal("tree", 3, strings.Count(s.Tree(id), "\n  "))
		var last parley.Task
		for _, c := range s.Children(id) {
			s.Equal(c.ID.String(), parley.Completed, c.State)
			if c.Title == "Code" {
				last = c
			}
		}
		s.Equal("there is one", true, last.ID != 0)
	})
}

// A retried task still waits for what it depends on.
func TestARetriedTaskWaitsForWhatItDependsOn(t *testing.T) {
	Play(t, Team{Agents: []string{"LeadBot", "DataBot"}, Member: loom, Script: `
agents:
  LeadBot:
    - match: '^\[Delegation'
      steps: [{say: 'Heard.'}]
    - steps:
        - {call: peer_create_task, args: {title: first, description: x, target: DataBot}}
        - {call: peer_create_task, args: {title: second, description: x, target: DataBot, depends_on: [task-102]}}
        - {say: 'Planned.'}
  DataBot:
    - match: first
      steps: [{wait: 1h, say: 'One.'}]
    - steps: [{say: 'Two.'}]
`}, func(s *Stage) {
		s.As("rutger").Begin("LeadBot", "Go.")
		s.Pass(time.Second)
		s.As("rutger").Cancel(103)
		again := s.As("rutger").Retry(103)
		s.Pass(time.Minute)
		s.Equal("it waits", parley.WaitDependency, s.Task(again).Waits)
		s.Pass(2 * time.Hour)
		s.Equal("and begins then", "Two.", s.Result(again))
	})
}
