package scenario

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/desk"
	"parley/internal/policy"
)

// joined is a team in which CodexBot and ClaudeBot are client agents. The hub looks for
// clients that are gone as often as a real one.
func joined(script string, rules map[string]ruleset) Team {
	return Team{Agents: []string{"CodexBot", "ClaudeBot", "DataBot", "LeadBot"}, People: []string{"rutger", "ann"}, Channels: []string{"all"}, Script: script,
		Hub: func(c *app.HubConfig) { c.Poll = 5 * time.Second },
		Member: func(m *app.Member) {
			under(rules)(m)
			if m.Name == "CodexBot" || m.Name == "ClaudeBot" {
				m.Kind, m.Model = parley.Client, nil
			}
		}}
}

// Receive waits for messages, as a program does.
func (p Participant) Receive(cursor string, wait time.Duration) desk.Batch {
	p.s.Helper()
	b, err := p.s.Desk.Receive(p.s.Context(), p.Caller, desk.Fetch{Cursor: cursor, Wait: wait})
	p.must(err)
	return b
}

// shown is what a program reads in a batch.
func shown(b desk.Batch) (list []string) {
	for _, i := range b.Items {
		text := i.Text
		if i.Again {
			text = "again: " + text
		}
		list = append(list, text)
	}
	return list
}

const leading = `
agents:
  LeadBot:
    - match: 'Who is there'
      steps:
        - call: list_agents
          args: {}
        - say: '{{result}}'
    - match: 'Result from'
      steps: [{say: 'It is: {{body}}'}]
    - match: 'hand over'
      steps:
        - call: contact_agent
          args: {action: delegate, agentId: CodexBot, message: 'Build it.', priority: high}
        - say: 'Handed over.'
    - match: 'ask'
      steps:
        - call: contact_agent
          args: {action: ask, agentId: CodexBot, message: 'Is it built?'}
        - say: 'Heard: {{result}}'
  DataBot: [{steps: [{say: 'Twelve.'}]}]
`

// A native agent delegates to a client, which delegates to a native one: one tree, in
// which every result comes once.
func TestAClientInATreeOfNativeAgents(t *testing.T) {
	Play(t, joined(leading, nil), func(s *Stage) {
		codex := s.As("CodexBot")
		root := s.As("rutger").Delegate("LeadBot", "Please hand over.")
		b := codex.Receive("", time.Minute)
		s.Equal("it reads", []string{"[Agent Request from LeadBot | Pattern: delegate | Priority: high | Task: task-102]\n\nBuild it."}, shown(b))
		codex.Caller.Task = b.Items[0].Task
		made, err := s.Contacts.Delegate(s.Context(), codex.Caller, contact.Request{Target: "DataBot", Message: "How many?"})
		codex.must(err)
		codex.Caller.Task = 0
		b = codex.Receive(b.Cursor, time.Minute)
		s.Equal("the result", []string{"[Delegation Result from DataBot | task-103]\nTwelve."}, shown(b))
		codex.must(s.Desk.Complete(s.Context(), codex.Caller, 102, "Built."))
		s.Wait(root)
		s.Equal("tree", "task-101 LeadBot completed\n  task-102 CodexBot completed\n    "+made.Task.ID.String()+" DataBot completed\n", s.Tree(root))
		s.Equal("nothing is left", []string(nil), shown(codex.Receive(b.Cursor, 0)))
	})
}

// Who is not connected counts as sleeping. An ask waits its time, says so, and wakes
// nobody; the answer comes later.
func TestAnAskOfAClientThatIsNotConnected(t *testing.T) {
	Play(t, joined(leading, nil), func(s *Stage) {
		root := s.As("rutger").Delegate("LeadBot", "Please ask.")
		s.Wait(root)
		s.Equal("heard", "Heard: Error: CodexBot did not respond within 120 seconds. Consider using 'delegate' for async processing. "+
			"CodexBot is not connected; the request waits for it. Its work goes on as task-102; await_task waits for the answer.", s.Result(root))
		s.Equal("it still waits", parley.Queued, s.Task(102).State)
		listed := s.As("rutger").Delegate("LeadBot", "Who is there?")
		s.Wait(listed)
		if !strings.Contains(s.Result(listed), "CodexBot (") || !strings.Contains(s.Result(listed), "sleeping (not connected)") {
			s.Errorf("list_agents: %s", s.Result(listed))
		}
		b := s.As("CodexBot").Receive("", 0)
		s.Equal("when it comes", []string{"[Agent Request from LeadBot | Pattern: ask]\n\nIs it built?"}, shown(b))
	})
}

// A client dies with a task. Another process of the same agent gets it, and the first to
// end it ends it.
func TestAClientDiesWithATask(t *testing.T) {
	Play(t, joined(leading, nil), func(s *Stage) {
		root := s.As("rutger").Delegate("LeadBot", "Please hand over.")
		codex := s.As("CodexBot")
		b := codex.Receive("", time.Minute)
		codex.must(s.Desk.Ack(s.Context(), codex.Caller, nil, b.Cursor))
		s.Pass(time.Minute + desk.DefaultLease + 6*time.Second) // what it waited for and its lease, and the next look
		s.Equal("it is free", parley.Queued, s.Task(102).State)
		b = codex.Receive("", time.Minute)
		s.Equal("again", []string{"again: [Agent Request from LeadBot | Pattern: delegate | Priority: high | Task: task-102]\n\nBuild it."}, shown(b))
		codex.must(s.Desk.Complete(s.Context(), codex.Caller, 102, "Built by the first."))
		s.Equal("the second", parley.Conflict, parley.KindOf(s.Desk.Complete(s.Context(), codex.Caller, 102, "Built by the second.")))
		s.Wait(root)
		s.Equal("once", "It is: Built by the first.", s.Result(root))
	})
}

// Calls of any kind keep a client connected, as long as it makes them.
func TestAClientThatCallsKeepsItsTasks(t *testing.T) {
	Play(t, joined(leading, nil), func(s *Stage) {
		s.As("rutger").Delegate("CodexBot", "Build it.")
		codex := s.As("CodexBot")
		b := codex.Receive("", 0)
		for range 20 {
			s.Pass(4 * time.Minute)
			codex.must(s.Desk.Touch(s.Context(), codex.Caller))
		}
		s.Equal("its own", [2]any{parley.Running, int64(1)}, [2]any{s.Task(101).State, s.Task(101).Token})
		s.Equal("nothing comes again", []string(nil), shown(codex.Receive(b.Cursor, 10*time.Minute)))
		s.Equal("not even while it waits", parley.Running, s.Task(101).State)
	})
}

// A thousand wait, and a message wakes its recipient only, at once and without a write
// for anybody else.
func TestAMessageWakesItsRecipientOnly(t *testing.T) {
	Play(t, joined(leading, nil), func(s *Stage) {
		codex, claude := s.As("CodexBot"), s.As("ClaudeBot")
		ctx, cancel := context.WithCancel(s.Context())
		got := make(chan string, 2)
		for name, p := range map[string]Participant{"CodexBot": codex, "ClaudeBot": claude} {
			go func() {
				b, err := s.Desk.Receive(ctx, p.Caller, desk.Fetch{Wait: 10 * time.Minute})
				got <- fmt.Sprint(name, " ", shown(b), " ", err)
			}()
		}
		synctest.Wait()
		began := time.Now()
		s.As("rutger").Notify("CodexBot", "Hello.")
		s.Equal("one", "CodexBot [[Agent Notification from rutger]\n\nHello.] <nil>", <-got)
		s.Equal("at once", time.Duration(0), time.Since(began))
		s.Pass(time.Minute)
		s.Equal("the other waits", 0, len(got))
		cancel()
		s.Equal("until it is stopped", "ClaudeBot [] context canceled", <-got)
	})
}

// A paused team hands out no work, and goes on when it is resumed.
func TestAPausedTeamHandsOutNoWork(t *testing.T) {
	Play(t, joined(leading, nil), func(s *Stage) {
		codex := s.As("CodexBot")
		codex.must(s.Contacts.Pause(s.Context(), s.As("rutger").Caller))
		s.As("rutger").Delegate("CodexBot", "Build it.")
		time.AfterFunc(time.Minute, func() { codex.must(s.Contacts.Resume(s.Context(), s.As("rutger").Caller)) })
		began := time.Now()
		b := codex.Receive("", 10*time.Minute)
		s.Equal("handed out", 1, len(b.Items))
		s.Equal("when it is resumed", time.Minute, time.Since(began))
	})
}

// A native agent's call waits for a client that is its manager, which decides with the
// digest. The agent never reads the letters.
func TestAClientManagesANativeAgent(t *testing.T) {
	Play(t, joined(leading, map[string]ruleset{"LeadBot": {behavior: policy.Supervised, manager: "ClaudeBot"}}), func(s *Stage) {
		root := s.As("rutger").Delegate("LeadBot", "Please hand over.")
		claude := s.As("ClaudeBot")
		b := claude.Receive("", time.Minute)
		a := s.Approval(1)
		s.Equal("it reads", "[Approval Request | "+a.Name()+" | digest "+a.ShortDigest()+"]", strings.SplitN(shown(b)[0], "\n", 2)[0])
		_, err := s.Contacts.Approve(s.Context(), claude.Caller, parley.ApprovalRef{ID: 1})
		s.Equal("the number alone", parley.Denied, parley.KindOf(err))
		_, err = s.Contacts.Approve(s.Context(), claude.Caller, parley.ApprovalRef{ID: 1, Letters: a.Letters, Digest: a.ShortDigest()})
		claude.must(err)
		s.Pass(time.Second)
		s.Equal("made", "task-101 LeadBot waiting\n  task-102 CodexBot queued\n", s.Tree(root))
		for _, request := range s.Models.Shown("LeadBot") {
			if strings.Contains(fmt.Sprint(request), a.Letters) {
				s.Error("the agent reads the letters of its approval")
			}
		}
	})
}

// A mention of a client is work for it, and its answer stands in the channel.
func TestAMentionOfAClient(t *testing.T) {
	Play(t, joined(leading, nil), func(s *Stage) {
		codex := s.As("CodexBot")
		_, err := s.Contacts.Post(s.Context(), s.As("rutger").Caller, contact.Post{Channel: "all", Message: "@CodexBot, is it built?"})
		codex.must(err)
		b := codex.Receive("", 0)
		s.Equal("it reads", []string{"[Channel Message from rutger | #all]\n\n@CodexBot, is it built?"}, shown(b))
		said, err := s.Desk.Reply(s.Context(), codex.Caller, b.Items[0].Message.ID, "Yes. @DataBot counted.")
		codex.must(err)
		s.Equal("said", "Answered; task-101 is completed.", said)
		s.Pass(time.Second)
		s.Equal("its own mention counts", "DataBot", s.name(s.Task(102).Agent))
	})
}

// One that does one thing at a time and waits on the chain is not asked in a circle.
func TestACircleThroughAClient(t *testing.T) {
	team := joined(leading, nil)
	member := team.Member
	team.Member = func(m *app.Member) { member(m); m.Limits.Turns = 1 }
	Play(t, team, func(s *Stage) {
		codex, claude := s.As("CodexBot"), s.As("ClaudeBot")
		s.As("rutger").Delegate("CodexBot", "Build it.")
		codex.Receive("", 0)
		codex.Caller.Task = 101
		_, err := s.Contacts.OpenAsk(s.Context(), codex.Caller, contact.Request{Target: "ClaudeBot", Message: "Help?"})
		codex.must(err)
		claude.Receive("", 0)
		claude.Caller.Task = 102
		_, err = s.Contacts.OpenAsk(s.Context(), claude.Caller, contact.Request{Target: "CodexBot", Message: "With what?"})
		if err == nil || !strings.Contains(err.Error(), "CodexBot → ClaudeBot → CodexBot") {
			s.Errorf("asked in a circle: %v", err)
		}
	})
}

// The hub is stopped and started while a client works: nothing is lost and nothing comes
// twice.
func TestAClientSurvivesARestartOfTheHub(t *testing.T) {
	Play(t, joined(leading, nil), func(s *Stage) {
		root := s.As("rutger").Delegate("LeadBot", "Please hand over.")
		b := s.As("CodexBot").Receive("", time.Minute)
		next := s.Restart()
		defer next.Stop()
		codex := next.As("CodexBot")
		s.Equal("its own", parley.Running, next.Task(102).State)
		s.Equal("the response may be lost", 1, len(codex.Receive("", 0).Items))
		s.Equal("or not", 0, len(codex.Receive(b.Cursor, 0).Items))
		codex.must(next.Desk.Complete(next.Context(), codex.Caller, 102, "Built."))
		next.Wait(root)
		s.Equal("once", "It is: Built.", next.Result(root))
	})
}
