package scenario

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/policy"
	"parley/internal/store"
)

// interns is a team in which InternBot may contact nobody by itself but HelperBot,
// which reports to it. ChiefBot, a program, is its manager.
func interns(script string) Team {
	return Team{Agents: []string{"InternBot", "SeniorAnalystBot", "HelperBot", "OtherBot", "ChiefBot"}, Script: script,
		Member: func(m *app.Member) {
			under(map[string]ruleset{"InternBot": {behavior: policy.Supervised, manager: "ChiefBot"}, "HelperBot": {manager: "InternBot"}})(m)
			m.Limits.Rescues = 1000
			if m.Name == "ChiefBot" {
				m.Kind, m.Model = parley.Client, nil
			}
		}}
}

const askSenior = `
agents:
  InternBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: SeniorAnalystBot, message: 'Can you validate my analysis approach?'}}, {say: '{{result}}'}]}]
  SeniorAnalystBot: [{steps: [{say: 'It is sound.'}]}]
`

// hold brings InternBot to the point where somebody has to decide.
func hold(s *Stage) parley.TaskID {
	s.Helper()
	id := s.As("rutger").Delegate("InternBot", "Go.")
	s.Pass(time.Second)
	t := s.Task(id)
	s.Equal("state", parley.Waiting, t.State)
	s.Equal("worker", int64(0), t.Worker)
	s.Equal("approvals", 1, t.Approvals)
	return id
}

// Example 7.
func TestSupervisedInternAsksWithApproval(t *testing.T) {
	Play(t, interns(askSenior), func(s *Stage) {
		id := hold(s)
		s.Equal("status", parley.StatusAwaitingApproval, s.Status("InternBot"))
		s.Equal("read", []string{"This action requires approval. Waiting for approval..."}, s.Held(id))
		a := s.Approval(1)
		s.Equal("approval", parley.Approval{ID: 1, Letters: a.Letters, Team: s.id, Task: id, Turn: 1, Call: a.Call, Agent: s.agent("InternBot"),
			Tool:   "contact_agent",
			Args:   `{"action":"ask","agentId":"SeniorAnalystBot","message":"Can you validate my analysis approach?"}`,
			Digest: parley.CallDigest(a.Tool, a.Args), Target: s.agent("SeniorAnalystBot"), Rule: "behavior supervised",
			Reason: "InternBot is supervised: what changes something needs approval.", State: parley.ApprovalPending,
			CreatedAt: a.CreatedAt, ExpiresAt: a.CreatedAt.Add(24 * time.Hour)}, a)
		s.Pass(time.Hour)
		s.Equal("nobody was asked", 0, len(s.Children(id)))
		s.As("rutger").Approve(1)
		s.Wait(id)
		s.Equal("result", "Response from SeniorAnalystBot: It is sound.", s.Result(id))
		s.Equal("the ask's time began with the decision", 120*time.Second,
			s.Children(id)[0].WaitUntil.Until(s.Children(id)[0].CreatedAt))
		s.Equal("on record", []string{
			"approval.requested by InternBot to SeniorAnalystBot task-101 (approval-1: contact_agent [rule: behavior supervised])",
			"approval.approved by rutger to InternBot task-101 (approval-1)",
		}, s.Events(parley.EventApprovalRequested, parley.EventApprovalApproved, parley.EventRefused))
	})
}

func TestSupervisedInternIsDenied(t *testing.T) {
	for reason, want := range map[string]string{
		"":                "Error: Approval denied for contacting SeniorAnalystBot.",
		"Read the notes.": "Error: Approval denied for contacting SeniorAnalystBot. Read the notes.",
	} {
		t.Run(reason, func(t *testing.T) {
			Play(t, interns(askSenior), func(s *Stage) {
				id := hold(s)
				s.As("ChiefBot").Deny(1, reason)
				s.Wait(id)
				s.Equal("result", want, s.Result(id))
				s.Equal("tasks", 1, len(s.tasks()))
			})
		})
	}
}

// An approved contact neither asks again nor counts against the rate.
func TestAnApprovedContactIsNotHeldAgain(t *testing.T) {
	for call, want := range map[string]string{
		`contact_agent, args: {action: ask, agentId: senioranalystbot, message: 'Well?'}`:    "Response from SeniorAnalystBot: Yes.",
		`contact_agent, args: {action: notify, agentId: SeniorAnalystBot, message: 'Well?'}`: "Notification sent to SeniorAnalystBot.",
		`call_agent, args: {target: SeniorAnalystBot, task: 'Well?'}`:                        "Response from SeniorAnalystBot: Yes.\n\n(thread-5)",
	} {
		team := interns(fmt.Sprintf(`
agents:
  InternBot: [{steps: [{call: %s}, {say: '{{result}}'}]}]
  SeniorAnalystBot: [{steps: [{say: 'Yes.'}]}]
`, call))
		member := team.Member
		team.Member = func(m *app.Member) {
			member(m)
			m.Limits.Rate, m.Limits.Burst = 1, 1
			m.Toolsets = []string{"contact", "peers"}
		}
		t.Run(call[:30], func(t *testing.T) {
			Play(t, team, func(s *Stage) {
				id := hold(s)
				s.As("InternBot").Notify("HelperBot", "I wait.") // all that the rate allows
				s.As("rutger").Approve(1)
				s.Wait(id)
				s.Equal("result", want, s.Result(id))
				s.Equal("held once", 1, len(s.Held(id)))
			})
		})
	}
}

// When the call runs, it is checked again who is there and what the rules deny.
func TestAnApprovedContactMeetsTheWorldAsItIs(t *testing.T) {
	Play(t, interns(askSenior), func(s *Stage) {
		id := hold(s)
		s.As("rutger").Offline("SeniorAnalystBot")
		s.As("rutger").Approve(1)
		s.Wait(id)
		s.Equal("result", "Error: SeniorAnalystBot is offline (agent unavailable). Use 'notify' to leave a message, or choose another agent.", s.Result(id))
	})
}

func TestADenyRuleThatCameLaterStands(t *testing.T) {
	Play(t, interns(askSenior), func(s *Stage) {
		id := hold(s)
		s.rejoin(under(map[string]ruleset{"InternBot": {behavior: policy.Supervised, deny: []string{"SeniorAnalystBot"}}}))
		s.As("rutger").Approve(1)
		s.Wait(id)
		s.Equal("result", "Error: InternBot's contact rules deny it to contact SeniorAnalystBot.", s.Result(id))
	})
}

func TestTwoWhoDecideAtOnce(t *testing.T) {
	team := interns(askSenior)
	team.People = []string{"rutger", "ann"}
	Play(t, team, func(s *Stage) {
		id := hold(s)
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i, name := range []string{"rutger", "ann"} {
			who := s.As(name).Caller
			wg.Go(func() { errs[i] = s.approve(who, 1) })
		}
		wg.Wait()
		by := s.name(s.Approval(1).DecidedBy)
		lost := errs[1]
		if by == "ann" {
			lost = errs[0]
		}
		s.Equal("the loser reads", "Error: approval-1 was approved by "+by+" already.", parley.ToolError(lost))
		s.Equal("and is told the kind", parley.Conflict, parley.KindOf(lost))
		s.Wait(id)
		s.Equal("asked once", 1, len(s.Children(id)))
		s.Equal("decided once", 1, len(s.Events(parley.EventApprovalApproved)))
		s.Equal("a later one", "Error: approval-1 was approved by "+by+" already.",
			parley.ToolError(s.deny(s.As("ann").Caller, 1, "No.")))
	})
}

func TestARestartWhileSomebodyHasToDecide(t *testing.T) {
	Play(t, interns(askSenior), func(s *Stage) {
		id := hold(s)
		again := s.Restart()
		again.Pass(time.Hour)
		again.Equal("state", parley.Waiting, again.Task(id).State)
		again.As("rutger").Approve(1)
		again.Wait(id)
		again.Equal("result", "Response from SeniorAnalystBot: It is sound.", again.Result(id))
		again.Stop()
	})
}

func TestAnApprovalExpiresAsADenial(t *testing.T) {
	Play(t, interns(askSenior), func(s *Stage) {
		id := hold(s)
		s.Pass(24*time.Hour - 2*time.Second)
		s.Equal("state", parley.Waiting, s.Task(id).State)
		s.Pass(2 * time.Second)
		s.Equal("result", "Error: Approval denied for contacting SeniorAnalystBot. Nobody decided in time.", s.Result(id))
		s.Equal("on record", []string{"approval.expired to InternBot task-101 (approval-1: Nobody decided in time.)"},
			s.Events(parley.EventApprovalExpired))
		s.Equal("too late", "Error: approval-1 is not pending any more: it is expired.",
			parley.ToolError(s.approve(s.As("rutger").Caller, 1)))
	})
}

func TestOnlyAPersonOrTheManagerDecides(t *testing.T) {
	Play(t, interns(askSenior), func(s *Stage) {
		id := hold(s)
		for name, want := range map[string]string{
			"InternBot":        "Error: You cannot decide about what you want yourself. A person or your manager decides about approval-1.",
			"OtherBot":         "Error: approval-1 not found.",
			"SeniorAnalystBot": "Error: approval-1 not found.",
		} {
			s.Equal(name+" approves", want, parley.ToolError(s.approve(s.As(name).Caller, 1)))
			s.Equal(name+" denies", want, parley.ToolError(s.deny(s.As(name).Caller, 1, "No.")))
		}
		for name, want := range map[string]int{"rutger": 1, "ChiefBot": 1, "InternBot": 1, "OtherBot": 0} {
			list, err := s.Reading.Approvals(s.Context(), s.As(name).Caller, false, 10)
			s.Equal("error", nil, err)
			s.Equal(name+" sees", want, len(list))
		}
		s.As("ChiefBot").Approve(1)
		s.Wait(id)
	})
}

func TestAnotherTeamNeitherSeesNorDecides(t *testing.T) {
	Play(t, interns(askSenior), func(s *Stage) {
		hold(s)
		other, err := s.Join(s.Context(), app.Roster{Team: "other", Members: []app.Member{
			{Name: "eve", Kind: parley.Person, Limits: parley.DefaultLimits()},
			{Name: "ChiefBot", Kind: parley.Native, Model: s.Models, Limits: parley.DefaultLimits()},
		}})
		s.Equal("error", nil, err)
		for _, name := range []string{"eve", "ChiefBot"} {
			e, err := s.Directory.Find(other.ID, name)
			s.Equal("error", nil, err)
			c := access.Caller{Team: other.ID, Agent: e.ID}
			s.Equal("approves", "Error: approval-1 not found.", parley.ToolError(s.approve(c, 1)))
			_, err = s.Reading.Approval(s.Context(), c, parley.ApprovalRef{ID: 1})
			s.Equal("reads", "Error: approval-1 not found.", parley.ToolError(err))
			list, err := s.Reading.Approvals(s.Context(), c, true, 10)
			s.Equal("error", nil, err)
			s.Equal("lists", 0, len(list))
		}
		s.Equal("still pending", parley.ApprovalPending, s.Approval(1).State)
	})
}

// The calls beside a held one finish; what comes back meanwhile waits in the
// inbox and wakes nobody.
func TestAHeldCallBesideOthers(t *testing.T) {
	team := interns(`
agents:
  InternBot:
    - match: 'Go'
      steps:
        - calls:
            - {tool: contact_agent, args: {action: ask, agentId: SeniorAnalystBot, message: 'Well?'}}
            - {tool: contact_agent, args: {action: delegate, agentId: HelperBot, message: 'Look.'}}
            - {tool: contact_agent, args: {action: notify, agentId: OtherBot, message: 'Psst.'}}
            - {tool: list_agents, args: {}}
        - say: 'Done.'
    - match: '^\[Delegation Result'
      steps: [{say: 'All done.'}]
  SeniorAnalystBot: [{steps: [{say: 'Yes.'}]}]
  HelperBot: [{steps: [{wait: 10s, say: 'Looked.'}]}]
`)
	Play(t, team, func(s *Stage) {
		id := s.As("rutger").Delegate("InternBot", "Go.")
		s.Pass(time.Minute)
		task := s.Task(id)
		s.Equal("state", parley.Waiting, task.State)
		s.Equal("approvals", 2, task.Approvals)
		s.Equal("the others are finished", 2, len(s.Results(id)))
		s.Equal("the result is in the inbox, unread", [2]int{1, 0}, [2]int{task.InboxCount, task.InboxRead})
		s.Equal("nothing has woken it", 1, len(s.Events(parley.EventWaiting)))
		s.Equal("status", parley.StatusAwaitingApproval, s.Status("InternBot"))
		s.As("rutger").Approve(1)
		s.Pass(time.Minute)
		s.Equal("one is still pending", parley.Waiting, s.Task(id).State)
		s.Equal("nothing runs before all are decided", 2, len(s.Results(id)))
		s.As("rutger").Deny(2, "Leave it alone.")
		s.Wait(id)
		s.Equal("results", []string{"Response from SeniorAnalystBot: Yes.", "Error: Approval denied for contacting OtherBot. Leave it alone."}, s.Results(id)[2:])
		task = s.Task(id)
		s.Equal("the result was read", [2]int{1, 1}, [2]int{task.InboxCount, task.InboxRead})
	})
}

// If the decision comes while the step's other calls still run, the task does not
// wait at all.
func TestADecisionWhileTheStepStillRuns(t *testing.T) {
	team := interns(`
agents:
  InternBot:
    - steps:
        - calls:
            - {tool: contact_agent, args: {action: ask, agentId: SeniorAnalystBot, message: 'Well?'}}
            - {tool: contact_agent, args: {action: ask, agentId: HelperBot, message: 'Slowly?'}}
        - say: '{{result}}'
  SeniorAnalystBot: [{steps: [{say: 'Yes.'}]}]
  HelperBot: [{steps: [{wait: 10s, say: 'Slowly.'}]}]
`)
	Play(t, team, func(s *Stage) {
		id := s.As("rutger").Delegate("InternBot", "Go.")
		s.Pass(5 * time.Second)
		s.Equal("state", parley.Running, s.Task(id).State)
		s.Equal("status", parley.StatusWorking, s.Status("InternBot"))
		s.As("rutger").Approve(1)
		s.Pass(10 * time.Second)
		s.Equal("results", []string{"Response from HelperBot: Slowly.", "Response from SeniorAnalystBot: Yes."}, s.Results(id))
		s.Equal("it never waited", 0, len(s.Events(parley.EventWaiting)))
	})
}

// meddler calls a function after every look at the store.
type meddler struct {
	store.Store
	looked atomic.Pointer[func()] // nil until somebody meddles
}

func (m *meddler) View(ctx context.Context, fn func(*store.Tx) error) error {
	err := m.Store.View(ctx, fn)
	if looked := m.looked.Load(); looked != nil {
		(*looked)()
	}
	return err
}

// If the decision comes after the turn has looked and before the task waits, the task
// must not wait for something that nobody will bring.
func TestADecisionBetweenTheLookAndTheWaiting(t *testing.T) {
	m := &meddler{}
	team := interns(askSenior)
	team.Hub = func(c *app.HubConfig) { m.Store, c.Store = c.Store, m }
	Play(t, team, func(s *Stage) {
		rutger := s.As("rutger")
		var once sync.Once
		looked := func() {
			pending := false
			err := m.Store.View(context.Background(), func(tx *store.Tx) error {
				a, err := tx.Approval(1)
				pending = err == nil && a.State == parley.ApprovalPending
				return nil
			})
			if err == nil && pending {
				once.Do(func() { rutger.Approve(1) })
			}
		}
		m.looked.Store(&looked)
		id := rutger.Delegate("InternBot", "Go.")
		s.Pass(time.Minute)
		s.Equal("result", "Response from SeniorAnalystBot: It is sound.", s.Result(id))
		s.Equal("it never waited", 0, len(s.Events(parley.EventWaiting)))
	})
}

func TestAnotherToolIsHeldAndDeniedByItsName(t *testing.T) {
	for name, decide := range map[string]func(Participant){
		"Posted.": func(p Participant) { p.Approve(1) },
		"Error: Approval denied for post_letter. No.": func(p Participant) { p.Deny(1, "No.") },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutside()
			Play(t, Team{Agents: []string{"InternBot"}, Tools: o.tools(), Member: func(m *app.Member) { m.Toolsets = []string{"outside"} }, Script: `
agents:
  InternBot: [{steps: [{call: post_letter, args: {}}, {say: '{{result}}'}]}]
`}, func(s *Stage) {
				id := hold(s)
				s.Equal("letters", 0, len(o.letters))
				decide(s.As("rutger"))
				s.Wait(id)
				s.Equal("result", name, s.Result(id))
				if name == "Posted." {
					s.Equal("letters", 1, len(o.letters))
				} else {
					s.Equal("letters", 0, len(o.letters))
				}
			})
		})
	}
}

// Nobody is asked to approve what would then be refused for its arguments. The same
// call without the mistake is held.
func TestACallThatCannotBeMadeIsNotHeld(t *testing.T) {
	strict := under(map[string]ruleset{"InternBot": {behavior: policy.Strict}})
	Play(t, Team{Agents: []string{"InternBot"}, Member: strict, Script: `
agents:
  InternBot: [{steps: [{call: cancel_task, args: {task: task-999}}, {call: cancel_task, args: {task_id: task-999}}, {say: '{{result}}'}]}]
`}, func(s *Stage) {
		id := hold(s)
		s.Equal("results", []string{`Error: Unknown argument "task". Did you mean task_id?`}, s.Results(id))
		s.Equal("held", `{"task_id":"task-999"}`, s.Approval(1).Args)
	})
}

func TestACancelledTaskWithdrawsItsApproval(t *testing.T) {
	Play(t, interns(askSenior), func(s *Stage) {
		id := hold(s)
		s.As("rutger").Cancel(id)
		s.Equal("state", parley.ApprovalWithdrawn, s.Approval(1).State)
		s.Equal("too late", "Error: approval-1 is not pending any more: it is withdrawn.",
			parley.ToolError(s.approve(s.As("rutger").Caller, 1)))
		s.Pass(48 * time.Hour)
		s.Equal("nobody was asked", 1, len(s.tasks()))
		s.Equal("on record", []string{"approval.withdrawn by rutger to InternBot task-101 (approval-1)"},
			s.Events(parley.EventApprovalWithdrawn, parley.EventApprovalExpired))
	})
}

func TestAFailedTaskWithdrawsItsApproval(t *testing.T) {
	Play(t, interns(askSenior), func(s *Stage) {
		id := hold(s)
		s.Equal("error", nil, s.Contacts.Fail(s.Context(), id, "it was given up."))
		s.Equal("state", parley.ApprovalWithdrawn, s.Approval(1).State)
	})
}

// An approval is bound to what was shown: if its payload was changed in the database,
// the call does not run.
func TestACallThatIsNotTheApprovedOneIsRefused(t *testing.T) {
	for name, change := range map[string]string{
		"the arguments": `UPDATE approval SET args = '{"action":"ask","agentId":"OtherBot","message":"Tell me."}'`,
		"the tool":      `UPDATE approval SET tool = 'call_agent'`,
		"the digest":    `UPDATE approval SET digest = 'a' || digest`,
		"the step":      `UPDATE step SET content = replace(content, 'validate', 'publish')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubbletest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "parley.db")
				s := Raise(t, interns(askSenior), OpenFile(t, file))
				id := hold(s)
				forge(t, file, change)
				s.As("rutger").Approve(1)
				s.Wait(id)
				s.Stop()
				s.Equal("result", "Error: The call is not the one that was approved, so it was not made.", s.Result(id))
				s.Equal("nobody was asked", 0, len(s.Children(id)))
			})
		})
	}
}

// forge changes a database without the hub.
func forge(t *testing.T, file, sql string) {
	t.Helper()
	c, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err == nil {
		err = errors.Join(sqlitex.ExecuteTransient(c, sql, nil), c.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A turn that another agent started has somebody to decide about its calls too: its
// asker need not run into the time-out.
func TestATurnThatAnAgentStartedHasSomebodyToDecide(t *testing.T) {
	for _, who := range []string{"rutger", "ChiefBot"} {
		t.Run(who, func(t *testing.T) {
			Play(t, interns(askSenior+`  OtherBot: [{steps: [{call: contact_agent, args: {action: ask, agentId: InternBot, message: 'Well?'}}, {say: '{{result}}'}]}]
`), func(s *Stage) {
				root := s.As("rutger").Delegate("OtherBot", "Go.")
				s.Pass(time.Minute)
				list, err := s.Reading.Deciding(s.Context(), s.As(who).Caller, 10)
				s.Equal("error", nil, err)
				s.Equal("waits for a decision", 1, len(list))
				s.As(who).Approve(1)
				s.Wait(root)
				s.Equal("result", "Response from InternBot: > Response from SeniorAnalystBot: It is sound.", s.Result(root))
			})
		})
	}
}
