package scenario

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/contact"
	"parley/internal/policy"
)

// visitors is a team with VisitorBot, a program outside the hub that may contact
// nobody by itself. ChiefBot is its manager.
func visitors(script string) Team {
	return Team{Agents: []string{"VisitorBot", "DataBot", "OtherBot", "ChiefBot"}, People: []string{"rutger", "ann"}, Script: script,
		Member: func(m *app.Member) {
			under(map[string]ruleset{"VisitorBot": {behavior: policy.Supervised, manager: "ChiefBot"}})(m)
			m.Limits.Rescues = 1000
			if m.Name == "VisitorBot" {
				m.Kind, m.Model = parley.Client, nil
			}
		}}
}

const counting = `
agents:
  DataBot: [{steps: [{say: 'Twelve.'}]}]
  ChiefBot: [{steps: [{say: 'I do not decide.'}]}]
`

// howMany is a request with a key.
var howMany = contact.Request{Target: "DataBot", Message: "How many?", Context: "Of 2029.", Key: "k"}

// Wants asks for a contact that needs approval, and returns the approval.
func (p Participant) Wants(pattern parley.Pattern, r contact.Request) parley.ApprovalID {
	p.s.Helper()
	_, err := p.contact(pattern, r)
	need, ok := parley.AsNeedsApproval(err)
	if !ok || need.Approval == 0 {
		p.s.Fatalf("%s to %s: %v", pattern, r.Target, err)
	}
	p.s.Equal("it reads", "This action requires approval. Waiting for approval...", need.Unwrap().(*parley.Error).Message)
	return need.Approval
}

// Finds makes sure that somebody has a text in the inbox, once.
func (s *Stage) Finds(who, text string) {
	s.Helper()
	n := 0
	for _, m := range s.Inbox(who) {
		if m.Text == text {
			n++
		}
	}
	if n != 1 {
		s.Errorf("%q is %d times in the inbox of %s: %q", text, n, who, s.Inbox(who))
	}
}

// contact makes a contact as a door does.
func (p Participant) contact(pattern parley.Pattern, r contact.Request) (contact.Contact, error) {
	switch pattern {
	case parley.Ask:
		return p.s.Contacts.OpenAsk(p.s.Context(), p.Caller, r)
	case parley.Delegate:
		return p.s.Contacts.Delegate(p.s.Context(), p.Caller, r)
	default:
		return p.s.Contacts.Notify(p.s.Context(), p.Caller, r)
	}
}

// With each pattern, a record of the exact request waits. Approval makes the contact,
// which the same key finds from then on. Its result comes back as usual.
func TestACallerFromOutsideWaitsForApproval(t *testing.T) {
	for _, pattern := range []parley.Pattern{parley.Ask, parley.Delegate, parley.Notify} {
		t.Run(string(pattern), func(t *testing.T) {
			Play(t, visitors(counting), func(s *Stage) {
				visitor := s.As("VisitorBot")
				id := visitor.Wants(pattern, howMany)
				priority := ""
				if pattern == parley.Delegate {
					priority = `"priority":"normal",`
				}
				a := s.Approval(id)
				s.Equal("approval", parley.Approval{ID: 1, Letters: a.Letters, Team: s.id, Call: a.Call, Agent: s.agent("VisitorBot"), Tool: "contact_agent",
					Args:   fmt.Sprintf(`{"action":%q,"agentId":"DataBot","message":"How many?","context":"Of 2029.",%s"key":"k"}`, pattern, priority),
					Digest: parley.CallDigest(a.Tool, a.Args), Target: s.agent("DataBot"), Rule: "behavior supervised",
					Reason: "VisitorBot is supervised: what changes something needs approval.", State: parley.ApprovalPending,
					CreatedAt: a.CreatedAt, ExpiresAt: a.CreatedAt.Add(24 * time.Hour)}, a)
				s.Equal("asking again finds it", id, visitor.Wants(pattern, howMany))
				s.Pass(time.Hour)
				s.Equal("DataBot heard nothing", 0, len(s.Models.Shown("DataBot")))
				s.As("rutger").Approve(id)
				made, err := visitor.contact(pattern, howMany)
				s.Equal("error", nil, err)
				s.Equal("the same key finds the contact", s.Approval(id).Message, made.Message)
				s.Equal("and another one waits anew", parley.ApprovalID(2), visitor.Wants(pattern, contact.Request{Target: "DataBot", Message: "How many?", Key: "l"}))
				if pattern == parley.Notify {
					s.Equal("said", "[Agent Notification from VisitorBot]\n\nContext: Of 2029.\n\nHow many?", s.DM("VisitorBot", "DataBot")[0].Text)
					return
				}
				s.Wait(made.Task.ID)
				s.Finds("VisitorBot", "Twelve.")
				if pattern == parley.Ask {
					s.Equal("an ask's time begins with the decision", s.Approval(id).DecidedAt.Add(120*time.Second), made.Task.WaitUntil)
				}
				s.Equal("on record", []string{
					"approval.requested by VisitorBot to DataBot (approval-1: " + string(pattern) + " [rule: behavior supervised])",
					"approval.approved by rutger to VisitorBot (approval-1)",
				}, s.Events(parley.EventApprovalRequested, parley.EventApprovalApproved, parley.EventRefused)[:2])
			})
		})
	}
}

// For a task of its own it makes a subtask, which it did not have before.
func TestACallerFromOutsideWaitsForItsTask(t *testing.T) {
	Play(t, visitors(counting), func(s *Stage) {
		root := s.As("rutger").Delegate("VisitorBot", "Count.")
		visitor := s.As("VisitorBot")
		visitor.Caller.Task = root
		id := visitor.Wants(parley.Delegate, howMany)
		s.Equal("the task counts it", 1, s.Task(root).Approvals)
		s.As("rutger").Approve(id)
		s.Pass(time.Second)
		s.Equal("tree", "task-101 VisitorBot queued\n  task-103 DataBot completed\n", s.Tree(root))
		s.Equal("the result is in its inbox", [2]int{1, 0}, [2]int{s.Task(root).InboxCount, s.Task(root).Approvals})
		visitor.Reply(root, "Twelve.")
		s.Equal("result", "Twelve.", s.Result(root))
	})
}

// No contact results from a request that is denied, expires, or can no longer be
// made; its caller is told and finds it by its key.
func TestACallerFromOutsideIsToldWhatCameOfIt(t *testing.T) {
	for name, c := range map[string]struct {
		decide     func(s *Stage)
		inbox, key string
		state      parley.ApprovalState
	}{
		"denied": {func(s *Stage) { s.As("ann").Deny(1, "Read the notes.") },
			"[Agent Notification from ann]\n\napproval-1: Approval denied for contacting DataBot. Read the notes.",
			"Error: Approval denied for contacting DataBot. Read the notes.", parley.ApprovalDenied},
		"expired": {func(s *Stage) { s.Pass(24 * time.Hour) },
			"[Agent Notification from VisitorBot]\n\napproval-1: Approval denied for contacting DataBot. Nobody decided in time.",
			"Error: Approval denied for contacting DataBot. Nobody decided in time.", parley.ApprovalExpired},
		"offline by then": {func(s *Stage) { s.As("rutger").Offline("DataBot"); s.As("rutger").Approve(1) },
			"[Agent Notification from rutger]\n\napproval-1: approval-1 was approved, but the contact could not be made: DataBot is offline (agent unavailable). Use 'notify' to leave a message, or choose another agent. Use a new key to ask again.",
			"Error: approval-1 was approved, but the contact could not be made: DataBot is offline (agent unavailable). Use 'notify' to leave a message, or choose another agent. Use a new key to ask again.", parley.ApprovalApproved},
		"denied by a rule by then": {func(s *Stage) {
			s.rejoin(func(m *app.Member) {
				visitors("").Member(m)
				if m.Name == "VisitorBot" {
					m.Rules = ruled(ruleset{behavior: policy.Supervised, manager: "ChiefBot", deny: []string{"DataBot"}})
				}
			})
			s.As("rutger").Approve(1)
		}, "[Agent Notification from rutger]\n\napproval-1: approval-1 was approved, but the contact could not be made: VisitorBot's contact rules deny it to contact DataBot. Use a new key to ask again.",
			"Error: VisitorBot's contact rules deny it to contact DataBot.", parley.ApprovalApproved},
	} {
		t.Run(name, func(t *testing.T) {
			Play(t, visitors(counting), func(s *Stage) {
				s.As("VisitorBot").Wants(parley.Ask, howMany)
				c.decide(s)
				s.Equal("state", c.state, s.Approval(1).State)
				s.Finds("VisitorBot", c.inbox)
				s.Equal("by its key", c.key, s.As("VisitorBot").Refused(parley.Ask, howMany))
				s.Equal("DataBot heard nothing", 0, len(s.Models.Shown("DataBot")))
			})
		})
	}
}

// A request ends with its task, however that ends, or when its caller withdraws it;
// for anybody else it does not exist.
func TestACallerFromOutsideWithdrawsItsRequest(t *testing.T) {
	for name, end := range map[string]func(s *Stage, root parley.TaskID){
		"replied":   func(s *Stage, root parley.TaskID) { s.As("VisitorBot").Reply(root, "Never mind.") },
		"cancelled": func(s *Stage, root parley.TaskID) { s.As("rutger").Cancel(root) },
		"declined": func(s *Stage, root parley.TaskID) {
			s.Equal("error", nil, s.Contacts.Decline(s.Context(), s.As("VisitorBot").Caller, root, "No."))
		},
		"withdrawn": func(s *Stage, root parley.TaskID) {
			s.Equal("by another", "Error: approval-1 not found.", parley.ToolError(s.Contacts.Withdraw(s.Context(), s.As("OtherBot").Caller, parley.ApprovalRef{ID: 1})))
			s.Equal("error", nil, s.Contacts.Withdraw(s.Context(), s.As("VisitorBot").Caller, parley.ApprovalRef{ID: 1}))
			s.Equal("twice", "Error: approval-1 is not pending any more: it is withdrawn.",
				parley.ToolError(s.Contacts.Withdraw(s.Context(), s.As("VisitorBot").Caller, parley.ApprovalRef{ID: 1})))
			s.As("VisitorBot").Reply(root, "Never mind.")
		},
	} {
		t.Run(name, func(t *testing.T) {
			Play(t, visitors(counting), func(s *Stage) {
				root := s.As("rutger").Delegate("VisitorBot", "Count.")
				visitor := s.As("VisitorBot")
				visitor.Caller.Task = root
				visitor.Wants(parley.Delegate, howMany)
				end(s, root)
				s.Equal("state", parley.ApprovalWithdrawn, s.Approval(1).State)
				s.Equal("the task counts none", 0, s.Task(root).Approvals)
				s.Equal("too late", "Error: approval-1 is not pending any more: it is withdrawn.",
					parley.ToolError(s.approve(s.As("rutger").Caller, 1)))
				s.Pass(48 * time.Hour)
				s.Equal("DataBot heard nothing", 0, len(s.Models.Shown("DataBot")))
			})
		})
	}
}

// A native manager decides about an outside report with its tools.
func TestANativeManagerDecidesAboutACallerFromOutside(t *testing.T) {
	Play(t, visitors(`
agents:
  DataBot: [{steps: [{say: 'Twelve.'}]}]
  ChiefBot: [{steps: [`+approves+`, {say: 'Decided.'}]}]
`), func(s *Stage) {
		s.As("VisitorBot").Wants(parley.Ask, howMany)
		s.Pass(time.Second)
		s.Equal("by", "ChiefBot", s.name(s.Approval(1).DecidedBy))
		s.Finds("VisitorBot", "Twelve.")
	})
}

func TestTwoWhoDecideAtOnceAboutACallerFromOutside(t *testing.T) {
	for name, second := range map[string]func(s *Stage, c access.Caller) error{
		"approved twice":      func(s *Stage, c access.Caller) error { return s.approve(c, 1) },
		"approved and denied": func(s *Stage, c access.Caller) error { return s.deny(c, 1, "No.") },
	} {
		t.Run(name, func(t *testing.T) {
			Play(t, visitors(counting), func(s *Stage) {
				s.As("VisitorBot").Wants(parley.Delegate, howMany)
				errs := make([]error, 2)
				rutger, ann := s.As("rutger").Caller, s.As("ann").Caller
				var wg sync.WaitGroup
				wg.Go(func() { errs[0] = s.approve(rutger, 1) })
				wg.Go(func() { errs[1] = second(s, ann) })
				wg.Wait()
				s.Equal("one won", true, (errs[0] == nil) != (errs[1] == nil))
				s.Pass(time.Second)
				want := 0
				if s.Approval(1).State == parley.ApprovalApproved {
					want = 1
				}
				s.Equal("made as it was decided", want, len(s.Models.Shown("DataBot")))
			})
		})
	}
}

// The record is bound to what was shown.
func TestARequestThatIsNotTheApprovedOneIsNotMade(t *testing.T) {
	for name, change := range map[string]string{
		"the arguments": `UPDATE approval SET args = replace(args, 'many', 'few')`,
		"the digest":    `UPDATE approval SET digest = 'a' || digest`,
		"the tool":      `UPDATE approval SET tool = 'call_agent'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubbletest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "parley.db")
				s := Raise(t, visitors(counting), OpenFile(t, file))
				s.As("VisitorBot").Wants(parley.Ask, howMany)
				forge(t, file, change)
				s.As("rutger").Approve(1)
				s.Stop()
				s.Equal("failure", "The request is not the one that was shown, so nothing was sent.", s.Approval(1).Failure)
				s.Equal("nothing was said", 0, len(s.Models.Shown("DataBot")))
			})
		})
	}
}

// The hub dies at each of its commits from the request to the answer, right before
// it or right after it. The contact is made once, and the caller gets one answer.
func TestACrashAnywhereAroundARequestFromOutside(t *testing.T) {
	for _, before := range []bool{true, false} {
		t.Run(fmt.Sprintf("before=%v", before), func(t *testing.T) {
			t.Parallel()
			n := 1
			for dieAroundRequest(t, n, before) {
				if n++; n > 60 || t.Failed() {
					t.Fatalf("at commit %d", n)
				}
			}
			if n < 4 {
				t.Errorf("there were only %d commits to die at", n)
			}
		})
	}
}

func dieAroundRequest(t *testing.T, n int, before bool) (died bool) {
	t.Helper()
	bubbletest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "parley.db")
		first, life := doomed(t, visitors(counting), file)
		s := first
		life.Doom(n, before)
		visitor, rutger := s.As("VisitorBot").Caller, s.As("rutger").Caller
		go func() {
			_, _ = s.Contacts.OpenAsk(s.Context(), visitor, howMany)
			if !life.Dead() {
				_ = s.approve(rutger, 1) // the commit may be its last
			}
		}()
		if died = s.Dies(life, 10*time.Second); died {
			s = Raise(t, visitors(counting), OpenFile(t, Remains(t, file)))
			_, _ = s.Contacts.OpenAsk(s.Context(), visitor, howMany)
			_ = s.approve(rutger, 1) // unless it is decided
			s.Pass(time.Minute)
			s.Models.Adopt(first.Models)
		}
		made, err := s.As("VisitorBot").contact(parley.Ask, howMany)
		s.Equal("error", nil, err)
		s.Wait(made.Task.ID)
		s.Stop()
		s.Equal("approvals", 1, len(s.Events(parley.EventApprovalRequested)))
		s.Equal("decisions", 1, len(s.Events(parley.EventApprovalApproved)))
		s.Equal("contacts", 1, len(s.asked("DataBot")))
		s.Equal("the manager was told once", 1, len(s.asked("ChiefBot")))
		s.CheckPromises()
	})
	return died
}

// asked are the tasks of an agent.
func (s *Stage) asked(agent string) (list []parley.Task) {
	s.Helper()
	for _, t := range s.tasks() {
		if t.Agent == s.agent(agent) {
			list = append(list, t)
		}
	}
	return list
}

// Asking for approval counts against the rate, so that nobody is flooded. The
// approved contact does not, nor does asking again with the same key.
func TestRequestsFromOutsideCostTheRate(t *testing.T) {
	team := visitors(counting)
	member := team.Member
	team.Member = func(m *app.Member) { member(m); m.Limits.Rate, m.Limits.Burst = 2, 2 }
	Play(t, team, func(s *Stage) {
		visitor := s.As("VisitorBot")
		visitor.Wants(parley.Notify, howMany)
		visitor.Wants(parley.Notify, howMany)
		visitor.Wants(parley.Notify, contact.Request{Target: "DataBot", Message: "x"})
		s.Equal("past it", "Error: rate limit reached (2 messages per minute). Try again in 30 seconds.",
			visitor.Refused(parley.Notify, contact.Request{Target: "DataBot", Message: "x"}))
		s.As("rutger").Approve(1)
		s.Equal("made", 1, len(s.DM("VisitorBot", "DataBot")))
	})
}

// A key belongs to one request, and the hub's own keys to nobody.
func TestKeysOfRequestsFromOutside(t *testing.T) {
	Play(t, visitors(counting), func(s *Stage) {
		visitor := s.As("VisitorBot")
		visitor.Wants(parley.Notify, howMany)
		other := howMany
		other.Message = "How few?"
		s.Equal("another request", `Error: The key "k" was used for another contact. Use a new key for each contact, and the same one only to repeat it.`,
			visitor.Refused(parley.Notify, other))
		for _, key := range []string{"approval/approval-1", "approval/x", "approval-1"} {
			other.Key = key
			want := fmt.Sprintf("Error: The key %q is one of the hub's own. Use another key.", key)
			s.Equal(key, want, visitor.Refused(parley.Notify, other))
			err := s.Contacts.AnswerQuestion(t.Context(), visitor.Caller, 1, "Many.", key)
			s.Equal("an answer: "+key, want, parley.ToolError(err))
			_, err = s.Contacts.Post(t.Context(), visitor.Caller, contact.Post{Channel: "room", Message: "Hello.", Key: key})
			s.Equal("a post: "+key, want, parley.ToolError(err))
		}
		other.Key = "approval-of-mine"
		visitor.Wants(parley.Notify, other)
		first := visitor.Wants(parley.Notify, contact.Request{Target: "DataBot", Message: "x"})
		if second := visitor.Wants(parley.Notify, contact.Request{Target: "DataBot", Message: "x"}); first == second {
			s.Errorf("without keys both are %s", first)
		}
	})
}

// Those who may decide find it in their inbox; others do not.
func TestWhoIsToldThatSomethingWaits(t *testing.T) {
	team := visitors(counting)
	member := team.Member
	team.Member = func(m *app.Member) {
		member(m)
		if m.Name == "ChiefBot" {
			m.Kind, m.Model = parley.Client, nil
		}
	}
	Play(t, team, func(s *Stage) {
		s.As("VisitorBot").Wants(parley.Ask, howMany)
		for name, want := range map[string]int{"rutger": 1, "ann": 1, "ChiefBot": 1, "VisitorBot": 0, "DataBot": 0, "OtherBot": 0} {
			list, err := s.Reading.Deciding(s.Context(), s.As(name).Caller, 10)
			s.Equal("error", nil, err)
			s.Equal(name, want, len(list))
		}
		s.As("ChiefBot").Approve(1)
		list, err := s.Reading.Deciding(s.Context(), s.As("rutger").Caller, 10)
		s.Equal("error", nil, err)
		s.Equal("decided", 0, len(list))
	})
}

// A manager finds its report's however many of others wait before it.
func TestAManagerFindsItsReportsBehindThoseOfOthers(t *testing.T) {
	team := visitors(counting)
	member := team.Member
	team.Member = func(m *app.Member) {
		member(m)
		if m.Name == "OtherBot" {
			m.Kind, m.Model, m.Rules = parley.Client, nil, ruled(ruleset{behavior: policy.Supervised})
		}
	}
	Play(t, team, func(s *Stage) {
		for range 5 {
			s.As("OtherBot").Wants(parley.Notify, ask("DataBot"))
		}
		id := s.As("VisitorBot").Wants(parley.Notify, ask("DataBot"))
		list, err := s.Reading.Deciding(s.Context(), s.As("ChiefBot").Caller, 2)
		s.Equal("error", nil, err)
		s.Equal("found", 1, len(list))
		s.Equal("its report's", id, list[0].ID)
	})
}

// What is stored survives a restart.
func TestARestartWhileACallerFromOutsideWaits(t *testing.T) {
	Play(t, visitors(counting), func(s *Stage) {
		s.As("VisitorBot").Wants(parley.Ask, howMany)
		again := s.Restart()
		again.As("VisitorBot").Wants(parley.Ask, howMany)
		again.As("rutger").Approve(1)
		again.Pass(time.Second)
		again.Finds("VisitorBot", "Twelve.")
		again.Stop()
	})
}

// If the rules have come to allow a contact, and it is made under the same key while
// the request still waits, the approval finds that contact.
func TestAnApprovalFindsAContactThatWasMadeMeanwhile(t *testing.T) {
	Play(t, visitors(counting), func(s *Stage) {
		s.As("VisitorBot").Wants(parley.Notify, howMany)
		s.rejoin(func(m *app.Member) {
			visitors("").Member(m)
			m.Rules = ruled(ruleset{})
		})
		made, err := s.As("VisitorBot").contact(parley.Notify, howMany)
		s.Equal("error", nil, err)
		s.As("rutger").Approve(1)
		s.Equal("the same", made.Message, s.Approval(1).Message)
		s.Equal("once", 1, len(s.DM("VisitorBot", "DataBot")))
	})
}
