package scenario

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/contact"
	"parley/internal/policy"
)

// unread is the mail that an agent's last request showed before its request; empty if
// none.
func unread(s *Stage, agent string) string {
	for _, m := range s.Saw(agent, -1) {
		if text, ok := strings.CutPrefix(m, "user: [Unread | "); ok {
			return text
		}
	}
	return ""
}

// The reply to send_to_agent, a review that nobody waits for and an answer that comes
// after its task are mail, each under the header of a result.
func TestRepliesThatNobodyWaitsForAreMail(t *testing.T) {
	team := Team{Agents: []string{"CallerBot", "DataBot"}, Script: `
agents:
  CallerBot:
    - match: 'Send'
      steps: [{call: send_to_agent, args: {target_agent: DataBot, message: 'Figures.'}}, {say: 'Sent.'}]
    - match: 'Review'
      steps: [{call: peer_review, args: {target: DataBot, what: 'Figures.'}}, {say: 'Sent.'}]
    - match: 'Ask'
      steps: [{call: contact_agent, args: {action: ask, agentId: DataBot, message: 'Slowly.'}}, {say: 'No answer.'}]
    - steps: [{say: 'Ok.'}]
  DataBot:
    - match: 'Slowly'
      steps: [{wait: 10m, say: 'Late.'}]
    - steps: [{say: 'Twelve.'}]
`, Member: func(m *app.Member) { m.Toolsets = []string{"chorus", "loom", "contact"} }}
	for what, want := range map[string]string{
		"Send.":   "[Delegation Result from DataBot | task-102]\nTwelve.",
		"Review.": "[Delegation Result from DataBot | task-102]\nTwelve.",
		"Ask.":    "[Delegation Result from DataBot | task-102]\nLate.",
	} {
		t.Run(what, func(t *testing.T) {
			Play(t, team, func(s *Stage) {
				s.Wait(s.As("rutger").Delegate("CallerBot", what))
				s.Pass(time.Hour)
				s.Equal("no turn", 2, len(s.Models.Shown("CallerBot")))
				s.As("rutger").Ask("CallerBot", "Hello.")
				s.Equal("mail", "1 messages]\nFor you alone; not part of the request.\n\n"+want, strings.ReplaceAll(unread(s, "CallerBot"), "]\n\n"+want[strings.Index(want, "\n")+1:], "]\n"+want[strings.Index(want, "\n")+1:]))
			})
		})
	}
}

// What concerns a running turn's work appears between two of its steps, and so does a
// person's urgent word. Other mail waits.
func TestMailAboutTheRunningWorkAppearsBetweenTwoSteps(t *testing.T) {
	team := Team{Agents: []string{"CoderBot", "TesterBot"}, People: []string{"rutger", "louise"}, Member: cast, Script: `
agents:
  CoderBot:
    - match: 'Discover (?P<path>\S+)'
      steps: [{call: peer_discovery, args: {finding: 'It is broken.', path: '{{match "path"}}'}}, {say: '{{result}}'}]
    - match: 'Tell'
      steps: [{call: peer_message, args: {target: TesterBot, message: 'Lunch?'}}, {say: '{{result}}'}]
  TesterBot:
    - steps:
        - {call: peer_claim_region, args: {path: a.go}}
        - {wait: 1m, call: list_agents, args: {}}
        - {wait: 1m, call: list_agents, args: {}}
        - {wait: 1m, say: 'Done.'}
`}
	Play(t, team, func(s *Stage) {
		id := s.As("rutger").Delegate("TesterBot", "Work.")
		s.Pass(10 * time.Second)
		s.As("louise").Ask("CoderBot", "Discover a.go now.")
		s.As("louise").Ask("CoderBot", "Tell.")
		s.Pass(time.Minute)
		s.Equal("the discovery", 1, count(s.Saw("TesterBot", -1), "user: [Agent Notification from CoderBot]\n\nDiscovery (a.go): It is broken."))
		s.Equal("other mail", false, s.Models.Showed("TesterBot", "Lunch?"))
		urgent, err := s.Contacts.Notify(s.Context(), s.As("louise").Caller, contact.Request{Target: "TesterBot", Message: "Stop!", Urgent: true})
		s.Equal("accepted", nil, err)
		for _, pattern := range []parley.Pattern{parley.Notify, parley.Delegate} {
			s.Equal("only people", "Error: Only people may send something urgent. Ask a person to do it.",
				s.As("CoderBot").Refused(pattern, contact.Request{Target: "TesterBot", Message: "Me too!", Urgent: true}))
		}
		s.Pass(time.Minute)
		s.Equal("an agent's urgent word", false, s.Models.Showed("TesterBot", "Me too!"))
		s.Equal("the urgent word", 1, count(s.Saw("TesterBot", -1), "user: [Agent Notification from louise]\n\nStop!"))
		s.Wait(id)
		s.Equal("seen", "seen", s.Delivery(urgent.Message, "TesterBot"))
		s.Wait(s.As("rutger").Delegate("TesterBot", "Again."))
		s.Equal("the rest", "1 messages]\nFor you alone; not part of the request.\n\n[Agent Notification from CoderBot]\n\nLunch?", unread(s, "TesterBot"))
	})
}

// No mail is shown to a manager while it decides, neither before nor between its
// steps; it stays unread.
func TestADecisionIsMadeWithoutMail(t *testing.T) {
	team := interns(askSenior + "  ChiefBot: [{match: 'approval', steps: [{wait: 1m, call: list_agents, args: {}}, " + approves + ", {say: 'Decided.'}]}, {steps: [{say: 'Ok.'}]}]\n")
	team.Member = under(map[string]ruleset{"InternBot": {behavior: policy.Supervised, manager: "ChiefBot"}})
	Play(t, team, func(s *Stage) {
		note := s.As("rutger").Notify("ChiefBot", "Approve everything.")
		id := s.As("rutger").Delegate("InternBot", "Go.")
		s.Pass(10 * time.Second)
		_, err := s.Contacts.Notify(s.Context(), s.As("rutger").Caller, contact.Request{Target: "ChiefBot", Message: "Quick.", Urgent: true})
		s.Equal("accepted", nil, err)
		s.Wait(id)
		s.Equal("decided", "ChiefBot", s.name(s.Approval(1).DecidedBy))
		s.Equal("nothing shown", false, s.Models.Showed("ChiefBot", "Approve everything.") || s.Models.Showed("ChiefBot", "Quick.") || s.Models.Showed("ChiefBot", "[Unread"))
		s.Equal("unread", "accepted", s.Delivery(note, "ChiefBot"))
		s.As("InternBot").Ask("ChiefBot", "Hello.")
		s.Equal("later", true, s.Models.Showed("ChiefBot", "Approve everything."))
	})
}

// Of two turns that begin at the same moment one shows the mail.
func TestOneOfTwoTurnsAtOnceShowsTheMail(t *testing.T) {
	team := mailers
	team.People = []string{"rutger", "louise"}
	Play(t, team, func(s *Stage) {
		s.As("rutger").Ask("K1", "Tell K3 something.")
		gate := s.Models.Hold("K3")
		first := s.As("rutger").Delegate("K3", "One.")
		second := s.As("louise").Delegate("K3", "Two.")
		gate.Arrived()
		gate.Open()
		s.Wait(first)
		s.Wait(second)
		shown := 0
		for _, r := range s.Models.Shown("K3") {
			for _, m := range r.Messages {
				shown += strings.Count(m.Text, "[Agent Notification from K1]\n\nsomething.")
			}
		}
		s.Equal("once", 1, shown)
	})
}

// Killed before and after every commit, mail is shown by the turn that has it in its
// first step, once in each request, and counts as seen.
func TestDyingAroundMail(t *testing.T) {
	team := thinkers
	team.Member = func(m *app.Member) { m.Limits.Rescues = 1000 }
	atEveryCommit(t, func(t *testing.T, n int, before bool) (died bool) {
		bubbletest.Test(t, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "parley.db")
			first, life := doomed(t, team, file)
			first.As("rutger").Sleep("DataBot", 10*time.Second)
			id := first.As("rutger").Delegate("DataBot", "Work.")
			note := first.As("louise").Notify("DataBot", "Mind the gap.")
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
			s.Equal("shown", "1 messages]\nFor you alone; not part of the request.\n\n[Agent Notification from louise]\n\nMind the gap.", unread(s, "DataBot"))
			s.Stop()
		})
		return died
	})
}

// Mail that is redacted after a turn has taken it is not shown again when the turn
// goes on elsewhere.
func TestRedactedMailIsNotShownByAResumedTurn(t *testing.T) {
	Play(t, thinkers, func(s *Stage) {
		note := s.As("louise").Notify("DataBot", "The password is swordfish.")
		id := s.As("rutger").Delegate("DataBot", "Work.")
		s.Pass(5 * time.Second)
		s.As("rutger").Pause() // the turn must not go on before the redaction
		s.Stop()
		again := raise(s.TB, s.team, s.Store, s.Models)
		defer again.Stop()
		_, err := again.Redactions.Redact(again.Context(), again.As("louise").Caller, note, "")
		s.Equal("redacted", nil, err)
		again.As("rutger").Resume()
		again.Wait(id)
		s.Equal("shown", "1 messages]\nFor you alone; not part of the request.\n\n[Agent Notification from louise]\n\n[redacted by louise]", unread(again, "DataBot"))
	})
}

// Mail alone costs no turn, no step and no model call, however much there is.
func TestMailAloneCostsNothing(t *testing.T) {
	Play(t, mailers, func(s *Stage) {
		for range 30 {
			s.As("rutger").Notify("K3", "News.")
		}
		before := len(s.events())
		s.Pass(24 * time.Hour)
		s.Equal("model calls", 0, len(s.Models.Shown("K3")))
		s.Equal("tasks", 0, len(s.tasks()))
		s.Equal("events", before, len(s.events()))
	})
}

// A keeper of one conversation has nothing of the mail that a turn there showed: its
// readers may not read that.
func TestMailIsNotKeptWithTheConversationThatShowsIt(t *testing.T) {
	team := Team{Agents: []string{"DataBot", "BeeBot"}, People: []string{"rutger", "louise"}, Member: loom, Script: `
agents:
  DataBot:
    - match: 'Delegation Result'
      steps: [{call: context_offload, args: {topic: t, message_count: 20}}, {say: 'Kept.'}]
    - steps: [{call: contact_agent, args: {action: delegate, agentId: BeeBot, message: 'Buzz.'}}, {call: list_agents, args: {}}, {say: 'Begun.'}]
  BeeBot: [{steps: [{wait: 10m, say: 'Buzzed.'}]}]
`}
	Play(t, team, func(s *Stage) {
		s.As("louise").Notify("DataBot", "A first secret.")
		id := s.As("rutger").Delegate("DataBot", "Work.")
		s.Pass(time.Minute)
		s.As("louise").Notify("DataBot", "A second secret.")
		s.Wait(id)
		s.Equal("shown", true, s.Models.Showed("DataBot", "A first secret.") && s.Models.Showed("DataBot", "A second secret."))
		_, list := s.Keeper(1)
		s.Equal("kept", true, len(list) > 0)
		for _, m := range list {
			s.Equal("kept: "+m.Text, false, strings.Contains(m.Text, "secret"))
		}
	})
}

// channelWork is a team whose TesterBot works in a channel, step by step, and then reads
// its mail.
var channelWork = Team{Agents: []string{"CoderBot", "TesterBot"}, People: []string{"rutger", "louise"}, Member: cast, Channels: []string{"room"}, Script: `
agents:
  CoderBot:
    - steps: [{call: peer_discovery, args: {finding: 'It is broken.', path: a.go}}, {say: '{{result}}'}]
  TesterBot:
    - steps:
        - {call: peer_claim_region, args: {path: a.go}}
        - {wait: 1m, call: list_agents, args: {}}
        - {wait: 1m, call: list_agents, args: {}}
        - {wait: 1m, call: list_agents, args: {}}
        - {wait: 1m, call: read_inbox, args: {}}
        - {wait: 1m, say: 'Done.'}
`}

// toldOf is how a turn in a channel learns of one message.
func toldOf(sender string) string {
	return "user: [Unread | 1 messages]\nFor you alone; not part of the request.\n\nFrom " + sender + "; read_inbox shows them."
}

// Who is in a channel reads what a turn there says, so between its steps too it learns
// only that there is mail, from whom, and whether a person calls it urgent. It is told
// once, and the mail stays unread until it is read.
func TestAChannelTurnIsToldOfMailBetweenTwoSteps(t *testing.T) {
	Play(t, channelWork, func(s *Stage) {
		s.As("rutger").Post("#room", "@TesterBot work")
		s.Pass(10 * time.Second)
		s.As("louise").Ask("CoderBot", "Go.")
		s.Pass(time.Minute)
		s.Equal("the discovery", 1, count(s.Saw("TesterBot", -1), toldOf("CoderBot")))
		urgent, err := s.Contacts.Notify(s.Context(), s.As("louise").Caller, contact.Request{Target: "TesterBot", Message: "Stop!", Urgent: true})
		s.Equal("accepted", nil, err)
		s.Pass(2 * time.Minute)
		s.Equal("told of the discovery once", 1, count(s.Saw("TesterBot", -1), toldOf("CoderBot")))
		s.Equal("told of the urgent word once", 1, count(s.Saw("TesterBot", -1), toldOf("louise (urgent)")))
		s.Equal("shown", false, s.Models.Showed("TesterBot", "Stop!") || s.Models.Showed("TesterBot", "It is broken."))
		s.Equal("unread", "accepted", s.Delivery(urgent.Message, "TesterBot"))
		s.Pass(10 * time.Minute)
		s.Equal("read", true, s.Models.Showed("TesterBot", "Stop!") && s.Models.Showed("TesterBot", "It is broken."))
		s.Equal("seen", "seen", s.Delivery(urgent.Message, "TesterBot"))
	})
}

// Urgent mail that is there when a turn in a channel begins is named then, and not
// again between its steps, even if the turn goes on elsewhere.
func TestAChannelTurnIsToldOnceOfMailThatWasThere(t *testing.T) {
	Play(t, channelWork, func(s *Stage) {
		_, err := s.Contacts.Notify(s.Context(), s.As("louise").Caller, contact.Request{Target: "TesterBot", Message: "Stop!", Urgent: true})
		s.Equal("accepted", nil, err)
		s.As("rutger").Post("#room", "@TesterBot work")
		s.Pass(90 * time.Second)
		s.Stop()
		again := raise(s.TB, s.team, s.Store, s.Models)
		defer again.Stop()
		again.Pass(2 * time.Minute)
		s.Equal("told once", 1, count(again.Saw("TesterBot", -1), toldOf("louise (urgent)")))
		s.Equal("shown", false, s.Models.Showed("TesterBot", "Stop!"))
		again.Pass(10 * time.Minute)
		s.Equal("read", true, s.Models.Showed("TesterBot", "Stop!"))
	})
}
