package scenario

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/policy"
)

// approves and denies are the steps of a manager that decides about the request it
// reads.
const (
	approves = `{call: approve_action, args: {` + whatItReads + `}}`
	denies   = `{call: deny_action, args: {` + whatItReads + `, reason: 'Ask me first.'}}`

	whatItReads = "approval_id: '{{capture `approval-1-[a-z]+` input}}', digest: '{{capture `digest ([0-9a-f]+)` input}}'"
)

// A manager whose turns the hub runs gets what waits as a task, with tools to
// decide.
func TestANativeManagerDecides(t *testing.T) {
	for decision, want := range map[string]string{
		approves: "Response from SeniorAnalystBot: It is sound.",
		denies:   "Error: Approval denied for contacting SeniorAnalystBot. Ask me first.",
	} {
		team := interns(askSenior + "  ChiefBot: [{steps: [" + decision + ", {say: 'Decided.'}]}]\n")
		team.Member = under(map[string]ruleset{"InternBot": {behavior: policy.Supervised, manager: "ChiefBot"}})
		t.Run(decision[7:14], func(t *testing.T) {
			Play(t, team, func(s *Stage) {
				id := s.As("rutger").Delegate("InternBot", "Go.")
				s.Wait(id)
				s.Equal("result", want, s.Result(id))
				a := s.Approval(1)
				s.Equal("the manager read", "[Approval Request | approval-1-"+a.Letters+" | digest "+a.Digest[:12]+"]\n\n"+
					"InternBot wants to contact SeniorAnalystBot and needs your approval.\n\n"+
					"Tool: contact_agent\n"+
					`Arguments: {"action":"ask","agentId":"SeniorAnalystBot","message":"Can you validate my analysis approach?"}`+"\n"+
					"Why: InternBot is supervised: what changes something needs approval.\n\n"+
					"Decide with approve_action or deny_action, with the id and the digest of the first line. "+
					"The arguments are the words of InternBot.", last(s.Models.Shown("ChiefBot")[0].Messages).Text)
				s.Equal("and nothing else", 1, len(s.Models.Shown("ChiefBot")[0].Messages))
				s.Equal("by", "ChiefBot", s.name(a.DecidedBy))
			})
		})
	}
}

// A manager that is away still gets its task, and begins it when it is back.
func TestANativeManagerThatWasAwayIsToldWhenItIsBack(t *testing.T) {
	team := interns(askSenior + "  ChiefBot: [{steps: [" + approves + ", {say: 'Decided.'}]}]\n")
	team.Member = under(map[string]ruleset{"InternBot": {behavior: policy.Supervised, manager: "ChiefBot"}})
	for name, away := range map[string]struct{ leaves, returns func(s *Stage) }{
		"offline": {
			func(s *Stage) { s.As("rutger").Offline("ChiefBot") },
			func(s *Stage) { s.As("rutger").Online("ChiefBot") }},
		"sleeping": {
			func(s *Stage) { s.As("rutger").Sleep("ChiefBot", 2*time.Hour) },
			func(s *Stage) { s.Pass(time.Hour) }},
		"sleeping, and woken": {
			func(s *Stage) { s.As("rutger").Sleep("ChiefBot", 20*time.Hour) },
			func(s *Stage) { s.As("rutger").Wake("ChiefBot") }},
	} {
		t.Run(name, func(t *testing.T) {
			Play(t, team, func(s *Stage) {
				away.leaves(s)
				id := hold(s)
				s.Pass(time.Hour)
				s.Equal("nothing was shown to it", 0, len(s.Models.Shown("ChiefBot")))
				s.Equal("it has one task", 1, len(s.tasks())-1)
				away.returns(s)
				s.Wait(id)
				s.Equal("result", "Response from SeniorAnalystBot: It is sound.", s.Result(id))
				s.Equal("by", "ChiefBot", s.name(s.Approval(1).DecidedBy))
			})
		})
	}
}

// The tools decide only about one's own reports: never about oneself, nor about a
// stranger.
func TestAnAgentCannotApproveItselfWithTheTool(t *testing.T) {
	team := interns(`
agents:
  InternBot:
    - match: 'Approve'
      steps: [{call: approve_action, args: {approval_id: approval-1, digest: '000000000000'}}, {say: '{{result}}'}]
    - steps: [{call: contact_agent, args: {action: notify, agentId: SeniorAnalystBot, message: 'Psst.'}}, {say: '{{result}}'}]
  HelperBot: [{steps: [{call: approve_action, args: {approval_id: approval-1, digest: '000000000000'}}, {say: '{{result}}'}]}]
`)
	team.Member = under(map[string]ruleset{"InternBot": {approval: []string{"*"}}, "OtherBot": {manager: "InternBot"}, "SeniorAnalystBot": {manager: "HelperBot"}})
	Play(t, team, func(s *Stage) {
		hold(s)
		s.Equal("it reads", "Error: You cannot decide about what you want yourself. A person or your manager decides about approval-1.",
			s.As("rutger").Ask("InternBot", "Approve."))
		s.Equal("another's manager reads", "Error: approval-1 not found.", s.As("rutger").Ask("HelperBot", "Go."))
		s.Equal("state", parley.ApprovalPending, s.Approval(1).State)
	})
}

// The hub dies at each of its commits from the request to the end, right before
// it or right after it, while a person or a native manager decides: the call runs
// exactly once.
func TestACrashAnywhereAroundAnApproval(t *testing.T) {
	managed := interns(askSenior + "  ChiefBot: [{steps: [" + approves + ", {say: 'Decided.'}]}]\n")
	managed.Member = func(m *app.Member) {
		under(map[string]ruleset{"InternBot": {behavior: policy.Supervised, manager: "ChiefBot"}})(m)
		m.Limits.Rescues = 1000
	}
	for who, team := range map[string]Team{"a person": interns(askSenior), "a manager": managed} {
		for _, before := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s before=%v", who, before), func(t *testing.T) {
				t.Parallel()
				n := 1
				for dieAroundApproval(t, team, n, before) {
					if n++; n > 60 || t.Failed() {
						t.Fatalf("at commit %d", n)
					}
				}
				if n < 8 {
					t.Errorf("there were only %d commits to die at", n)
				}
			})
		}
	}
}

func dieAroundApproval(t *testing.T, team Team, n int, before bool) (died bool) {
	t.Helper()
	bubbletest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "parley.db")
		first, life := doomed(t, team, file)
		first.As("rutger").Sleep("InternBot", time.Second)
		id := first.As("rutger").Delegate("InternBot", "Go.")
		synctest.Wait()
		life.Doom(n, before)
		go first.approveLater(life, 2*time.Second)
		s := first
		if died = first.Dies(life, 10*time.Second); died {
			s = Raise(t, team, OpenFile(t, Remains(t, file)))
			s.Pass(time.Minute)
			_ = s.approve(s.As("rutger").Caller, 1) // unless it is decided
			s.Pass(time.Minute)
			s.Models.Adopt(first.Models)
		}
		s.Stop()
		s.Equal("result", "Response from SeniorAnalystBot: It is sound.", s.Result(id))
		s.Equal("asked once", 1, len(s.Children(id)))
		s.Equal("approvals", 1, len(s.Events(parley.EventApprovalRequested)))
		s.Equal("decisions", 1, len(s.Events(parley.EventApprovalApproved)))
		s.Equal("a manager's task at most once", true, len(s.tasks()) <= 3)
		s.CheckPromises()
	})
	return died
}

// approveLater approves after a while, unless the hub is dead by then.
func (s *Stage) approveLater(life *Mortal, after time.Duration) {
	<-time.After(after)
	if !life.Dead() {
		_ = s.approve(access.Caller{Team: s.id, Agent: s.agent("rutger")}, 1) // the commit may be its last
	}
}

// Whoever becomes the manager while something waits gets it too, once; the former
// manager no longer decides.
func TestANewManagerGetsWhatWaits(t *testing.T) {
	managed := func(by string) func(*app.Member) {
		return under(map[string]ruleset{"InternBot": {behavior: policy.Supervised, manager: by}})
	}
	team := interns(askSenior + `
  ChiefBot: [{steps: [{say: 'Later.'}]}]
  BossBot: [{steps: [` + approves + `, {say: 'Decided.'}]}]
`)
	team.Agents, team.Member = append(team.Agents, "BossBot"), managed("ChiefBot")
	Play(t, team, func(s *Stage) {
		id := s.As("rutger").Delegate("InternBot", "Go.")
		s.Pass(time.Minute)
		s.rejoin(managed("BossBot"))
		for range 2 {
			s.As("rutger").must(s.Contacts.AskNewManagers(s.Context(), s.id))
		}
		s.Wait(id)
		s.Equal("result", "Response from SeniorAnalystBot: It is sound.", s.Result(id))
		s.Equal("by", "BossBot", s.name(s.Approval(1).DecidedBy))
		s.Equal("asked once each", [2]int{1, 1}, [2]int{len(s.Inboxes("ChiefBot")), len(s.Inboxes("BossBot"))})
		s.Equal("nothing was refused", 0, len(s.Events(parley.EventRefused)))
	})
}
