package scenario

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/store"
)

const askRutger = `
agents:
  PlannerBot: [{steps: [{call: ask_user, args: {question: 'Blue or red?', options: [blue, red]}}, {say: 'So: {{result}}'}]}]
  BossBot: [{steps: [{call: contact_agent, args: {action: delegate, agentId: PlannerBot, message: 'Plan.'}}, {say: 'Given away.'}]}]
`

var planners = Team{Agents: []string{"PlannerBot", "BossBot"}, Script: askRutger}

// asked brings an agent to the point where a person has to answer.
func asked(s *Stage) (task, question parley.TaskID) {
	s.Helper()
	task = s.As("rutger").Delegate("PlannerBot", "Plan.")
	s.Pass(time.Second)
	s.Equal("state", parley.Waiting, s.Task(task).State)
	s.Equal("worker", int64(0), s.Task(task).Worker)
	s.Equal("children", 1, len(s.Children(task)))
	return task, s.Children(task)[0].ID
}

func TestAnAgentAsksAPersonAndWaits(t *testing.T) {
	Play(t, planners, func(s *Stage) {
		task, question := asked(s)
		s.Equal("status", parley.StatusAwaitingDelegation, s.Status("PlannerBot"))
		inbox := s.Inbox("rutger")
		s.Equal("the person reads", "[Agent Request from PlannerBot | Pattern: delegate | Priority: normal | Task: task-102]\n\nBlue or red?\n\n1. blue\n2. red",
			inbox[len(inbox)-1].Text)
		s.Pass(72 * time.Hour)
		s.Equal("still", parley.Waiting, s.Task(task).State)
		s.Equal("the model was asked once so far", 1, len(s.Models.Shown("PlannerBot")))
		s.As("rutger").Reply(question, "Blue.")
		s.Wait(task)
		s.Equal("result", "So: Response from rutger: Blue.", s.Result(task))
		s.Equal("results", []string{"Response from rutger: Blue."}, s.Results(task))
		s.Equal("inbox", 0, s.Task(task).InboxCount)
		s.Equal("the model was asked twice in all", 2, len(s.Models.Shown("PlannerBot")))
		s.Equal("turns", 1, s.Task(task).Turns)
	})
}

// A decline, a cancel of the question and its deadline are errors that the model
// reads; a cancel of the task takes the question with it.
func TestAQuestionThatIsNotAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(s *Stage, task, question parley.TaskID)
		want string
	}{
		"declined": {func(s *Stage, _, question parley.TaskID) {
			s.As("rutger").must(s.Contacts.Decline(s.Context(), s.As("rutger").Caller, question, "Ask Ada."))
		}, "So: Error: rutger failed to respond: Ask Ada."},
		"cancelled": {func(s *Stage, _, question parley.TaskID) { s.As("rutger").Cancel(question) },
			"So: Error: rutger failed to respond: cancelled by rutger."},
		"too late": {func(s *Stage, _, _ parley.TaskID) { s.Pass(8 * 24 * time.Hour) },
			"So: Error: rutger failed to respond: its deadline has passed."},
	} {
		t.Run(name, func(t *testing.T) {
			team := planners
			team.Member = func(m *app.Member) {
				if m.Name == "rutger" {
					m.Limits.DelegationDeadline = 365 * 24 * time.Hour // for the task itself
				}
			}
			Play(t, team, func(s *Stage) {
				task, question := asked(s)
				c.end(s, task, question)
				s.Wait(task)
				s.Equal("result", c.want, s.Result(task))
				s.Equal("open", 0, s.Task(task).OpenChildren)
			})
		})
	}
	t.Run("task cancelled", func(t *testing.T) {
		Play(t, planners, func(s *Stage) {
			task, question := asked(s)
			s.As("rutger").Cancel(task)
			s.Equal("question", parley.Cancelled, s.Task(question).State)
			s.Equal("asked again", 1, len(s.Models.Shown("PlannerBot")))
			err := s.Contacts.Reply(s.Context(), s.As("rutger").Caller, question, "Blue.")
			s.Equal("a late answer", parley.Conflict, parley.KindOf(err))
		})
	})
}

// Who is asked: the person named, else the one at the root, else the team's own
// person.
func TestWhomAnAgentAsks(t *testing.T) {
	ask := func(args string) Team {
		return Team{Agents: []string{"PlannerBot", "BossBot", "ClientBot"}, People: []string{"ada", "rutger", "zoe"}, Script: fmt.Sprintf(`
agents:
  PlannerBot: [{steps: [{call: ask_user, args: {%s}}, {say: '{{result}}'}]}]
  BossBot: [{match: 'Go', steps: [{call: contact_agent, args: {action: delegate, agentId: PlannerBot, message: 'Plan.'}}, {say: 'Given away.'}]}, {steps: [{say: 'Done.'}]}]
`, args), Member: func(m *app.Member) {
			if m.Name == "ClientBot" {
				m.Kind, m.Model = parley.Client, nil
			}
		}}
	}
	for _, c := range []struct{ from, args, asked, want string }{
		{"rutger", `question: 'Well?'`, "rutger", "Response from rutger: Yes."},
		{"ClientBot", `question: 'Well?'`, "ada", "Response from ada: Yes."},
		{"rutger", `question: 'Well?', person: Zoe`, "zoe", "Response from zoe: Yes."},
		{"rutger", `question: 'Well?', person: BossBot`, "", "Error: BossBot is not a person. Use contact_agent to ask an agent."},
		{"rutger", `question: 'Well?', person: Rudger`, "", "Error: Agent 'Rudger' not found. Did you mean rutger?"},
		{"rutger", `question: ' '`, "", "Error: The question is empty. Say what you want to know."},
	} {
		t.Run(c.from+" "+c.args, func(t *testing.T) {
			Play(t, ask(c.args), func(s *Stage) {
				s.As(c.from).Delegate("BossBot", "Go.")
				s.Pass(time.Second)
				planner := parley.TaskID(102)
				if c.asked != "" {
					s.As(c.asked).Reply(103, "Yes.")
				}
				s.Wait(planner)
				s.Equal("result", c.want, s.Result(planner))
			})
		})
	}
}

// Calls beside the question are run at once, and each answer is taken when all
// are there; a result of a delegation that comes meanwhile is not lost.
func TestAQuestionBesideOtherCalls(t *testing.T) {
	Play(t, Team{Agents: []string{"PlannerBot", "DataBot"}, People: []string{"ada", "rutger"}, Script: `
agents:
  PlannerBot:
    - match: '^\[Delegation Result'
      steps: [{say: 'And {{body}}'}]
    - steps:
        - calls:
            - {tool: ask_user, args: {question: 'One?'}}
            - {tool: contact_agent, args: {action: delegate, agentId: DataBot, message: 'Figures.'}}
            - {tool: ask_user, args: {question: 'Two?', person: ada}}
        - say: 'I know: {{results}}'
  DataBot: [{steps: [{wait: 10s, say: 'Twelve.'}]}]
`}, func(s *Stage) {
		task := s.As("rutger").Delegate("PlannerBot", "Plan.")
		s.Pass(time.Minute)
		s.Equal("open", 2, s.Task(task).OpenChildren)
		s.Equal("state", parley.Waiting, s.Task(task).State)
		s.As("ada").Reply(104, "B.")
		s.Pass(time.Minute)
		s.Equal("state", parley.Waiting, s.Task(task).State)
		s.Equal("the model was asked once so far", 1, len(s.Models.Shown("PlannerBot")))
		s.As("rutger").Reply(102, "A.")
		s.Wait(task)
		s.Equal("children", 3, len(s.Children(task)))
		s.Equal("results", []string{"Delegated to DataBot (subtask task-103). You'll receive the result automatically when DataBot finishes.",
			"Response from ada: B.", "Response from rutger: A."}, s.Results(task))
	})
}

func TestARestartWhileAPersonIsAsked(t *testing.T) {
	Play(t, planners, func(s *Stage) {
		task, question := asked(s)
		next := s.Restart()
		next.Pass(time.Hour)
		next.Equal("state", parley.Waiting, next.Task(task).State)
		next.Equal("children", 1, len(next.Children(task)))
		next.As("rutger").Reply(question, "Red.")
		next.Wait(task)
		next.Equal("result", "So: Response from rutger: Red.", next.Result(task))
		next.Equal("the model was asked twice in all", 2, len(next.Models.Shown("PlannerBot")))
		next.Stop()
	})
}

// Killed before and after every commit from the question to the end: one
// question, one answer, nothing twice.
func TestDyingAroundAQuestion(t *testing.T) {
	team := planners
	team.Member = func(m *app.Member) { m.Limits.Rescues = 1000 }
	atEveryCommit(t, func(t *testing.T, n int, before bool) (died bool) { return dieAroundQuestion(t, team, n, before) })
}

func dieAroundQuestion(t *testing.T, team Team, n int, before bool) (died bool) {
	t.Helper()
	bubbletest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "parley.db")
		first, life := doomed(t, team, file)
		first.As("rutger").Sleep("PlannerBot", time.Second)
		id := first.As("rutger").Delegate("PlannerBot", "Plan.")
		synctest.Wait()
		life.Doom(n, before)
		go first.answerLater(life, 102, 2*time.Second)
		s := first
		if died = first.Dies(life, 10*time.Second); died {
			s = Raise(t, team, OpenFile(t, Remains(t, file)))
			s.Pass(time.Minute)
			_ = s.Contacts.Reply(s.Context(), s.As("rutger").Caller, 102, "Blue.") // unless it is answered
			s.Pass(time.Minute)
			s.Models.Adopt(first.Models)
		}
		s.Stop()
		s.Equal("result", "So: Response from rutger: Blue.", s.Result(id))
		s.Equal("asked once", 1, len(s.Children(id)))
		s.Equal("tasks", 2, len(s.tasks()))
		s.CheckPromises()
	})
	return died
}

// answerLater answers after a while, unless the hub is dead by then.
func (s *Stage) answerLater(life *Mortal, id parley.TaskID, after time.Duration) {
	<-time.After(after)
	if !life.Dead() {
		_ = s.Contacts.Reply(s.Context(), access.Caller{Team: s.id, Agent: s.agent("rutger")}, id, "Blue.") // the commit may be its last
	}
}

func TestPostgresAQuestionToAPerson(t *testing.T) {
	playPostgres(t, planners, func(s *Stage) {
		task := s.As("rutger").Delegate("PlannerBot", "Plan.")
		s.Until("it waits", func() bool { return s.Task(task).State == parley.Waiting })
		s.As("rutger").Reply(s.Children(task)[0].ID, "Red.")
		s.Wait(task)
		s.Equal("result", "So: Response from rutger: Red.", s.Result(task))
		s.Equal("open", 0, s.Task(task).OpenChildren)
	})
}

// An answer that arrives at the moment when the turn is about to wait is not missed.
func TestPostgresAnswersAtOnce(t *testing.T) {
	team := planners
	team.Member = func(m *app.Member) { m.Limits.Rate = 1000 }
	playPostgres(t, team, func(s *Stage) {
		var tasks []parley.TaskID
		for range 20 {
			tasks = append(tasks, s.As("rutger").Delegate("PlannerBot", "Plan."))
		}
		for _, task := range tasks {
			s.Until("the question is there", func() bool { return len(s.Children(task)) == 1 })
			s.As("rutger").Reply(s.Children(task)[0].ID, "Red.")
		}
		for _, task := range tasks {
			s.Wait(task)
			s.Equal("result", "So: Response from rutger: Red.", s.Result(task))
		}
	})
}

// hasty calls a function after every commit.
type hasty struct {
	store.Store
	stored func()
}

func (h *hasty) Update(ctx context.Context, fn func(*store.Tx) error) error {
	err := h.Store.Update(ctx, fn)
	if ctx.Value(answering{}) == nil {
		h.stored()
	}
	return err
}

// answering marks the transaction that answers, which calls nobody.
type answering struct{}

// If the person answers before the turn waits, the turn must not wait for what is
// already there.
func TestAnAnswerBetweenTheQuestionAndTheWaiting(t *testing.T) {
	h := &hasty{stored: func() {}}
	team := planners
	team.Hub = func(c *app.HubConfig) { h.Store, c.Store = c.Store, h }
	Play(t, team, func(s *Stage) {
		rutger := s.As("rutger")
		var mu sync.Mutex // others store something too; the turn has to find the answer
		answered := false
		h.stored = func() {
			mu.Lock()
			defer mu.Unlock()
			if !answered && s.open(102) {
				answered = true
				s.Equal("error", nil, s.Contacts.Reply(context.WithValue(s.Context(), answering{}, true), rutger.Caller, 102, "Blue."))
			}
		}
		id := rutger.Delegate("PlannerBot", "Plan.")
		s.Pass(time.Minute)
		s.Equal("result", "So: Response from rutger: Blue.", s.Result(id))
		s.Equal("it never waited", 0, len(s.Events(parley.EventWaiting)))
	})
}

// open reports whether there is such a task and it has not ended.
func (s *Stage) open(id parley.TaskID) (open bool) {
	s.Helper()
	s.view(func(tx *store.Tx) error {
		t, err := tx.Task(id)
		open = err == nil && t.State.Open()
		return nil
	})
	return open
}

// A question and a call that needs approval in one step: whichever is settled
// first, each is done once, and the model goes on when both are.
func TestAQuestionBesideACallThatNeedsApproval(t *testing.T) {
	script := `
agents:
  InternBot:
    - steps:
        - calls:
            - {tool: contact_agent, args: {action: ask, agentId: SeniorAnalystBot, message: 'Sound?'}}
            - {tool: ask_user, args: {question: 'Go on?'}}
        - say: 'I know both.'
  SeniorAnalystBot: [{steps: [{say: 'It is sound.'}]}]
`
	decide := func(s *Stage) { s.As("rutger").Approve(1) }
	answer := func(s *Stage) { s.As("rutger").Reply(102, "Yes.") }
	for name, c := range map[string]struct {
		first, second func(*Stage)
		results       []string
	}{
		"decided first":  {decide, answer, []string{"Response from SeniorAnalystBot: It is sound.", "Response from rutger: Yes."}},
		"answered first": {answer, decide, []string{"Response from rutger: Yes.", "Response from SeniorAnalystBot: It is sound."}},
	} {
		t.Run(name, func(t *testing.T) {
			Play(t, interns(script), func(s *Stage) {
				id := hold(s)
				s.Equal("open", 1, s.Task(id).OpenChildren)
				c.first(s)
				s.Pass(time.Hour)
				s.Equal("state", parley.Waiting, s.Task(id).State)
				s.Equal("the model was asked once so far", 1, len(s.Models.Shown("InternBot")))
				c.second(s)
				s.Wait(id)
				s.Equal("result", "I know both.", s.Result(id))
				s.Equal("results", c.results, s.Results(id))
				s.Equal("children", 2, len(s.Children(id)))
			})
		})
	}
}
