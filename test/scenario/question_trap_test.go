package scenario

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/contact"
)

// Each target of a question passes the same rules as any contact; a broadcast
// leaves out whom the asker may not contact, or only with approval.
func TestAQuestionPassesTheRulesOfContacts(t *testing.T) {
	rules := map[string]ruleset{"AnnBot": {deny: []string{"BeeBot"}, approval: []string{"CidBot"}}}
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot", "CidBot", "DanBot"}, Member: func(m *app.Member) { under(rules)(m); loom(m) }, Script: `
agents:
  AnnBot:` + heard + `
    - match: all
      steps: [{call: peer_ask_question, args: {question: 'Well?'}}, {wait: 1m, say: 'Asked.'}]
    - match: Bee
      steps: [{call: peer_ask_question, args: {question: 'Well?', target: BeeBot}}, {say: '{{result}}'}]
    - steps: [{call: peer_ask_question, args: {question: 'Well?', target: CidBot}}, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{say: 'Yes.'}]}]
  CidBot: [{steps: [{say: 'Yes.'}]}]
  DanBot: [{steps: [{say: 'Yes.'}]}]
`}, func(s *Stage) {
		s.Equal("denied", true, strings.HasPrefix(s.As("rutger").Ask("AnnBot", "Bee."), "Error: "))
		s.Equal("nothing was asked", 1, len(s.tasks()))
		s.Equal("on record", 1, len(s.Events(parley.EventRefused)))
		s.As("rutger").Ask("AnnBot", "all.")
		_, routes := s.Question(1)
		s.Equal("left out", []string{"0 AnnBot → rutger asked", "0 AnnBot → DanBot answered"}, routes)
		held := s.As("rutger").Begin("AnnBot", "Cid.")
		s.Pass(time.Second)
		s.Equal("held", parley.StatusAwaitingApproval, s.Status("AnnBot"))
		s.Equal("approved", nil, s.approve(s.As("rutger").Caller, 1))
		s.Pass(2 * time.Minute)
		s.Equal("answered then", "Heard: Yes.", s.Result(held))
		s.Pass(time.Hour)
	})
}

// A program outside has no turn that could wait: the approval asks its question.
func TestAQuestionFromOutsideIsAskedWhenItIsApproved(t *testing.T) {
	Play(t, Team{Agents: []string{"OutBot", "BeeBot"}, Member: func(m *app.Member) {
		loom(m)
		if m.Name == "OutBot" {
			m.Kind, m.Model, m.Rules = parley.Client, nil, ruled(ruleset{approval: []string{"BeeBot"}})
		}
	}, Script: "agents:\n  BeeBot: [{steps: [{say: 'Yes.'}]}]\n"}, func(s *Stage) {
		_, err := s.Contacts.Question(s.Context(), s.As("OutBot").Caller, contact.Request{Target: "BeeBot", Message: "Well?"})
		need, ok := parley.AsNeedsApproval(err)
		s.Equal("held", true, ok && need.Approval == 1)
		s.Equal("approved", nil, s.approve(s.As("rutger").Caller, 1))
		s.Pass(time.Second)
		_, routes := s.Question(1)
		s.Equal("path", []string{"0 OutBot → BeeBot answered"}, routes)
		s.Equal("its inbox", []Said{{"rutger", parley.NotificationMessage, "[Agent Notification from rutger]\n\napproval-1 was approved: question BeeBot, as task-101."},
			{"BeeBot", parley.AnswerMessage, "[Answer from BeeBot | Query: query-1]\nYes."}}, s.Inbox("OutBot"))
	})
}

// Two who ask each other again with every answer come to an end.
func TestQuestionsThatBringForthQuestionsComeToAnEnd(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, Member: func(m *app.Member) { loom(m); m.Limits.Rate = 1000 }, Script: `
agents:
  AnnBot: [{steps: [{call: peer_ask_question, args: {question: 'Well?', target: BeeBot}}, {say: '{{result}}'}]}]
  BeeBot: [{steps: [{wait: 1s, say: 'Yes.'}]}]
`}, func(s *Stage) {
		s.As("rutger").Ask("AnnBot", "Go.")
		s.Pass(time.Hour)
		end := s.Results(s.tasks()[len(s.tasks())-1].ID)[0]
		s.Equal("the end", true, strings.HasPrefix(end, "Error: Maximum delegation depth (10) reached. The chain is rutger → AnnBot → BeeBot → AnnBot → "))
	})
}

// A cancelled task wants no answers, and its questions are withdrawn.
func TestCancellingTheAskerTakesItsQuestionsBack(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, Member: loom, Script: `
agents:
  AnnBot: [{steps: [` + askB + `, {wait: 1h, say: 'Asked.'}]}]
  BeeBot: [{steps: [{wait: 1m, say: 'Yes.'}]}]
`}, func(s *Stage) {
		asking := s.As("rutger").Begin("AnnBot", "Go.")
		s.Pass(time.Second)
		s.As("rutger").Cancel(asking)
		s.Pass(time.Hour)
		q, routes := s.Question(1)
		s.Equal("closed", parley.QuestionExpired, q.State)
		s.Equal("path", []string{"0 AnnBot → BeeBot failed"}, routes)
		s.Equal("nothing came of it", []int{2, 0}, []int{len(s.tasks()), s.Task(asking).InboxCount})
	})
}

// Cancelling the task of somebody who was asked counts as a failure to answer, and
// the asker is told.
func TestCancellingTheAskedTellsTheAsker(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + askB + `, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{wait: 1h, say: 'Yes.'}]}]
`}, func(s *Stage) {
		asking := s.As("rutger").Begin("AnnBot", "Go.")
		s.Pass(time.Second)
		s.As("rutger").Cancel(102)
		s.Pass(2 * time.Minute)
		s.Equal("told", "Heard: Nobody who was asked could answer. BeeBot: cancelled by rutger.", s.Result(asking))
		_, err := s.Contacts.Retry(s.Context(), s.As("rutger").Caller, 102)
		s.Equal("it is asked anew, not retried", parley.Conflict, parley.KindOf(err))
	})
}

// An agent that the hub does not run is done with a question once it has passed it
// on, as a turn is that ends.
func TestAPersonWhoForwardsAQuestionIsDoneWithIt(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, People: []string{"rutger", "eve"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [{call: peer_ask_question, args: {question: 'Well?', target: eve}}, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{say: 'Yes.'}]}]
`}, func(s *Stage) {
		asking := s.As("rutger").Begin("AnnBot", "Go.")
		s.Pass(time.Second)
		s.Equal("forwarded", nil, s.As("eve").ForwardQuestion(1, "BeeBot", "Bee knows."))
		s.Equal("her task", parley.Completed, s.Task(102).State)
		s.Pass(2 * time.Minute)
		s.Equal("heard", "Heard: Yes.\n\nEnrichments gathered during routing:\neve: Bee knows.", s.Result(asking))
	})
}

// An answer that nobody is left to read is not reported as delivered.
func TestNobodyAnswersATaskThatFailed(t *testing.T) {
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, People: []string{"rutger", "eve"}, Member: loom, Script: `
agents:
  AnnBot: [{steps: [{call: peer_ask_question, args: {question: 'Well?'}}, {wait: 1m, fail: 'Broken.'}]}]
  BeeBot: [{steps: [{say: 'Yes.'}]}]
`}, func(s *Stage) {
		s.Equal("failed", parley.TaskFailed, s.Wait(s.As("rutger").Begin("AnnBot", "Go.")).State)
		s.Equal("too late", "Error: Query query-1 not found (may have expired).", parley.ToolError(s.As("eve").AnswerQuestion(1, "Late.")))
		s.Equal("nor passed on", parley.NotFound, parley.KindOf(s.As("eve").ForwardQuestion(1, "BeeBot", "Late.")))
	})
}

// archive is an enricher that counts who looks.
type archive struct {
	mu    sync.Mutex
	looks int
	slow  bool
}

func (l *archive) Relevant(ctx context.Context, _ parley.TeamID, _ parley.AgentID, text string) string {
	l.mu.Lock()
	l.looks++
	n := l.looks
	l.mu.Unlock()
	if l.slow {
		<-ctx.Done()
		return "too late"
	}
	return fmt.Sprintf("Look %d for %q.", n, text)
}

func TestAQuestionIsShownWithWhatIsKnownOfIt(t *testing.T) {
	team := func(l *archive) Team {
		return Team{Agents: []string{"AnnBot", "BeeBot"}, Member: loom, Hub: func(c *app.HubConfig) { c.Enricher = l }, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [{call: peer_ask_question, args: {question: 'Well?', target: BeeBot}}, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{call: list_agents, args: {}}, {say: 'Yes.'}]}]
`}
	}
	t.Run("found", func(t *testing.T) {
		l := &archive{}
		Play(t, team(l), func(s *Stage) {
			s.As("rutger").Ask("AnnBot", "Go.")
			s.Equal("shown", true, strings.Contains(s.Saw("BeeBot", 2)[0], "\n\nRelevant context:\nLook 1 for \"Well?\".\n\nYou can respond"))
			s.Equal("looked up once", 1, l.looks)
		})
	})
	t.Run("too slow", func(t *testing.T) {
		Play(t, team(&archive{slow: true}), func(s *Stage) {
			begun := time.Now()
			s.As("rutger").Begin("AnnBot", "Go.")
			s.Pass(0)
			s.Equal("stored at once", 2, len(s.tasks()))
			s.Wait(102)
			s.Equal("five seconds", 5*time.Second, time.Since(begun).Round(time.Second))
			s.Equal("left out", false, s.Models.Showed("BeeBot", "too late"))
			s.Wait(101)
		})
	})
}

// A turn that is resumed elsewhere shows a question with the enrichment it began
// with, whatever would be found now.
func TestWhatAQuestionIsShownWithStaysAfterARestart(t *testing.T) {
	l := &archive{}
	Play(t, Team{Agents: []string{"AnnBot", "BeeBot"}, Member: loom, Hub: func(c *app.HubConfig) { c.Enricher = l }, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [{call: peer_ask_question, args: {question: 'Well?', target: BeeBot}}, {say: 'Asked.'}]
  BeeBot: [{steps: [{call: list_agents, args: {}}, {wait: 1m, say: 'Yes.'}]}]
`}, func(s *Stage) {
		s.As("rutger").Ask("AnnBot", "Go.")
		s.Pass(30 * time.Second)
		s.Stop()
		again := raise(s.TB, s.team, s.Store, s.Models)
		again.Wait(102)
		again.Stop()
		shown := s.Models.Shown("BeeBot")
		s.Equal("asked again", 3, len(shown))
		for i := range shown {
			s.Equal("shown", true, strings.Contains(s.Saw("BeeBot", i+1)[0], "\n\nRelevant context:\nLook 1 for \"Well?\"."))
		}
		s.Equal("looked up once", 1, l.looks)
	})
}

// The question's life, killed at every commit: nothing is lost, and nothing comes
// twice.
func TestAQuestionSurvivesACrashAtEveryCommit(t *testing.T) {
	team := Team{Agents: []string{"AnnBot", "BeeBot", "CidBot"}, Hub: func(c *app.HubConfig) { c.Enricher = &archive{} }, Member: func(m *app.Member) {
		loom(m)
		m.Limits.Rescues = 1000
	}, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [` + askB + `, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{wait: 1s, call: peer_forward_question, args: {query_id: query-1, target: CidBot, enrichment: 'It moved.'}}, {say: 'Not mine.'}]}]
  CidBot: [{steps: [{wait: 1s, call: peer_answer_question, args: {query_id: query-1, answer: 'Bearer tokens.'}}, {say: '{{result}}'}]}]
`}
	for n := 1; n <= 16; n++ {
		for _, before := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d/%v", n, before), func(t *testing.T) {
				t.Parallel()
				bubbletest.Test(t, func(t *testing.T) {
					file := filepath.Join(t.TempDir(), "parley.db")
					mortal := NewMortal(t, OpenFile(t, file))
					first := Raise(t, team, mortal)
					first.As("rutger").Sleep("AnnBot", time.Second)
					first.As("rutger").Delegate("AnnBot", "Go.")
					synctest.Wait()
					mortal.Doom(n, before)
					first.Pass(5 * time.Minute)
					mortal.Spare()
					if !mortal.Dead() {
						mortal.Kill()
					}
					s := Raise(t, team, OpenFile(t, Remains(t, file)))
					s.Pass(5 * time.Minute)
					s.Stop()
					q, routes := s.Question(1)
					s.Equal("state", parley.QuestionAnswered, q.State)
					s.Equal("path", []string{"0 AnnBot → BeeBot forwarded", "1 BeeBot → CidBot answered (It moved.)"}, routes)
					s.Equal("one answer", 1, s.Task(101).InboxCount)
					s.Equal("heard", true, strings.HasPrefix(s.Result(101), "Heard: Bearer tokens."))
					s.Equal("what the calls say", []string{"Question forwarded to CidBot with enrichment.", "Answer delivered for query query-1."},
						append(s.Results(102), s.Results(103)...))
					s.Equal("no task twice", 3, len(s.tasks()))
					mortal.Bury()
					first.Abandon()
					synctest.Wait()
				})
			})
		}
	}
}

// Redacting a text also redacts what a question copied from it.
func TestARedactedQuestionHasLostItsText(t *testing.T) {
	t.Parallel()
	bubbletest.Test(t, func(t *testing.T) {
		s := Raise(t, Team{Agents: []string{"AnnBot", "BeeBot", "CidBot"}, Member: loom, Script: `
agents:
  AnnBot:` + heard + `
    - steps: [{call: peer_ask_question, args: {question: 'Is hunter2-hunter2 the password?', target: BeeBot, context: 'Of swordfish-17.'}}, {wait: 1m, say: 'Asked.'}]
  BeeBot: [{steps: [{call: peer_forward_question, args: {query_id: query-1, target: CidBot, enrichment: 'It was opensesame-99.'}}, {say: 'Not mine.'}]}]
  CidBot: [{steps: [{say: 'It is.'}]}]
`}, OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
		s.As("rutger").Ask("AnnBot", "Go.")
		for _, id := range []parley.TaskID{102, 103} {
			_, err := s.Redactions.Redact(s.Context(), s.As("rutger").Caller, s.Task(id).Request, "a password")
			s.Equal("error", nil, err)
		}
		q, routes := s.Question(1)
		s.Equal("the question", []string{"[redacted by rutger]", ""}, []string{q.Text, q.Context})
		s.Equal("what was added", "1 BeeBot → CidBot answered ([redacted by rutger])", last(routes))
		s.Stop()
	})
}
