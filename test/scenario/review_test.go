package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

// cast gives everyone the toolset, and the roles with which their names begin.
func cast(m *app.Member) {
	loom(m)
	for _, role := range []string{"coder", "reviewer", "tester", "lead", "researcher"} {
		if strings.HasPrefix(parley.FoldName(m.Name), role) {
			m.Role = role
		}
	}
}

const reviewing = `
agents:
  CoderBot:
    - match: 'Wait'
      steps: [{call: peer_review, args: {path: ./src/auth.go, what: 'Is the token checked?', wait: true}}, {say: 'Read: {{result}}'}]
    - match: 'Go'
      steps: [{call: peer_review, args: {path: src/auth.go}}, {say: '{{result}}'}]
    - match: 'nobody'
      steps: [{call: peer_review, args: {what: 'x', target: NixBot}}, {say: '{{result}}'}]
    - match: 'nothing'
      steps: [{call: peer_review, args: {}}, {say: '{{result}}'}]
    - steps: [{call: contact_agent, args: {action: ask, agentId: ReviewerOne, message: 'Hello.'}}, {say: 'Ok.'}]
  ReviewerOne: [{match: 'review', steps: [{wait: 1h, say: 'PASS: nothing found.'}]}, {steps: [{say: 'Hello.'}]}]
  ReviewerTwo: [{steps: [{wait: 10m, say: 'FAIL: src/auth.go:12 the token is never checked.'}]}]
`

var reviewers = Team{Agents: []string{"CoderBot", "ReviewerOne", "ReviewerTwo"}, Member: cast, Script: reviewing}

// If nobody is named, the least loaded reviewer is chosen.
func TestACallerWaitsForItsReview(t *testing.T) {
	Play(t, reviewers, func(s *Stage) {
		busy := s.As("rutger").Delegate("ReviewerOne", "Please review this.")
		s.Pass(time.Second)
		id := s.As("rutger").Delegate("CoderBot", "Wait.")
		s.Pass(time.Minute)
		s.Equal("state", parley.Waiting, s.Task(id).State)
		s.Equal("worker", int64(0), s.Task(id).Worker)
		s.Equal("reads", "[Agent Request from CoderBot | Pattern: delegate | Priority: normal | Task: task-103]\n\n"+
			"Please review src/auth.go\nIs the token checked?\n\nBegin your answer with PASS: or FAIL:, and name each finding with its place as file:line.",
			s.DM("CoderBot", "ReviewerTwo")[0].Text)
		s.Equal("title", "Please review src/auth.go Is the token checked?", s.Task(103).Title)
		s.Wait(id)
		s.Equal("result", "Read: Response from ReviewerTwo: FAIL: src/auth.go:12 the token is never checked.", s.Result(id))
		s.Equal("the model was asked twice", 2, len(s.Models.Shown("CoderBot")))
		s.Wait(busy)
	})
}

// Without waiting the caller goes on, and is shown the review when it next talks
// with the reviewer.
func TestAReviewThatNobodyWaitsFor(t *testing.T) {
	Play(t, reviewers, func(s *Stage) {
		s.Equal("result", "Review requested from ReviewerOne (task-102).", s.As("rutger").Ask("CoderBot", "Go."))
		s.Wait(102)
		s.As("rutger").Ask("CoderBot", "Talk.")
		s.As("ReviewerOne").Ask("CoderBot", "Well?")
		s.Equal("shown", true, s.Models.Showed("CoderBot", "PASS: nothing found."))
	})
}

func TestReviewsThatCannotBe(t *testing.T) {
	Play(t, reviewers, func(s *Stage) {
		s.Equal("nobody", "Error: Agent 'NixBot' not found. Look at the list of agents to see who is there.", s.As("rutger").Ask("CoderBot", "nobody"))
		s.Equal("nothing", "Error: There is nothing to review. Give path, or say what to look at.", s.As("rutger").Ask("CoderBot", "nothing"))
		s.As("rutger").Offline("ReviewerOne")
		s.As("rutger").Offline("ReviewerTwo")
		s.Equal("none", "Error: There is no reviewer whom you could contact. Name somebody as the target, or do without.", s.As("rutger").Ask("CoderBot", "Go."))
		s.Equal("record", []string{"contact.refused by CoderBot task-103 (contact a reviewer: There is no reviewer whom you could contact. Name somebody as the target, or do without. [rule: role])"},
			s.Events(parley.EventRefused)[1:])
	})
}

// Whom the rules forbid, or want an approval for, is not chosen.
func TestAReviewerOneMayNotContactIsPassedOver(t *testing.T) {
	for name, rules := range map[string]ruleset{"denied": {deny: []string{"ReviewerOne"}}, "approval": {approval: []string{"ReviewerOne"}}} {
		t.Run(name, func(t *testing.T) {
			team := reviewers
			team.Member = func(m *app.Member) {
				under(map[string]ruleset{"CoderBot": rules})(m)
				cast(m)
			}
			Play(t, team, func(s *Stage) {
				s.Equal("result", "Review requested from ReviewerTwo (task-102).", s.As("rutger").Ask("CoderBot", "Go."))
			})
		})
	}
}

// A restart while a review is under way neither asks twice nor chooses another.
func TestARestartWhileAReviewIsAwaited(t *testing.T) {
	Play(t, reviewers, func(s *Stage) {
		id := s.As("rutger").Delegate("CoderBot", "Wait.")
		s.Pass(time.Minute)
		asked := s.Children(id)
		next := s.Restart()
		next.Wait(id)
		next.Equal("children", fmt.Sprint(asked[0].ID), fmt.Sprint(next.Children(id)[0].ID))
		next.Equal("one", 1, len(next.Children(id)))
		next.Equal("result", "Read: Response from ReviewerOne: PASS: nothing found.", next.Result(id))
		next.Stop()
	})
}
