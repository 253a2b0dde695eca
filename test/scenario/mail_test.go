package scenario

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

// K1 shares what it finds; K3 answers whoever asks.
const mailing = `
agents:
  K1:
    - match: 'Discover'
      steps: [{call: peer_discovery, args: {finding: 'The cache is stale.'}}, {say: '{{result}}'}]
    - match: 'Tell K3 (?P<what>.*)'
      steps: [{call: peer_message, args: {target: K3, message: '{{match "what"}}'}}, {say: '{{result}}'}]
    - steps: [{say: 'Ok.'}]
  K3:
    - match: 'inbox'
      steps: [{call: read_inbox, args: {limit: 2}}, {say: '{{result}}'}]
    - steps: [{say: 'Yes.'}]
`

var mailers = Team{Agents: []string{"K1", "K3"}, Script: mailing, Channels: []string{"room"}, Member: func(m *app.Member) {
	if m.Limits.Rate = 1000; m.Kind == parley.Native {
		m.Role, m.Toolsets = "coder", []string{"loom", "contact"}
	}
}}

// "Discovery shared with K3" is true: K3 reads it at its next turn, though that is for
// somebody else, directly before the request. Once is enough.
func TestADiscoveryIsReadAtTheNextTurnWhoeverItIsFor(t *testing.T) {
	Play(t, mailers, func(s *Stage) {
		s.Equal("shared", "Discovery shared with K3.", s.As("rutger").Ask("K1", "Discover."))
		s.Equal("no turn", 0, len(s.Models.Shown("K3")))
		s.As("rutger").Ask("K3", "Hello.")
		s.Equal("shown", []string{
			"user: [Unread | 1 messages]\nFor you alone; not part of the request.\n\n[Agent Notification from K1]\n\nDiscovery: The cache is stale.",
			"user: [Agent Request from rutger | Pattern: ask]\n\nHello.",
		}, s.Saw("K3", -1))
		s.As("rutger").Ask("K3", "Again.")
		s.Equal("once", false, strings.Contains(strings.Join(s.Saw("K3", -1), ""), "Unread"))
	})
}

// What was seen in the block is not news in its dm, and what the history shows is not
// in the block.
func TestMailIsShownInTheBlockOrInTheHistory(t *testing.T) {
	Play(t, mailers, func(s *Stage) {
		first := s.As("rutger").Notify("K3", "One.")
		s.As("rutger").Ask("K3", "Hello.")
		s.Equal("in the history", []string{"user: [Agent Notification from rutger]\n\nOne.", "user: [Agent Request from rutger | Pattern: ask]\n\nHello."}, s.Saw("K3", -1))
		s.Equal("seen", "seen", s.Delivery(first, "K3"))
		s.As("rutger").Ask("K1", "Tell K3 two.")
		s.As("rutger").Ask("K3", "Hello.")
		saw := s.Saw("K3", -1)
		s.Equal("in the block", "user: [Unread | 1 messages]\nFor you alone; not part of the request.\n\n[Agent Notification from K1]\n\ntwo.", saw[len(saw)-2])
		s.As("K1").Ask("K3", "Hello.")
		s.Equal("in the history of its dm, and no news", []string{"user: [Agent Notification from K1]\n\ntwo.", "user: [Agent Request from K1 | Pattern: ask]\n\nHello."}, s.Saw("K3", -1))
	})
}

// In a channel others read what is said, so a turn there learns only that there is
// mail, and from whom. The mail stays unread.
func TestAChannelTurnIsToldOnlyHowMuchMailThereIs(t *testing.T) {
	Play(t, mailers, func(s *Stage) {
		s.As("rutger").Ask("K1", "Tell K3 a secret.")
		note := s.As("rutger").Notify("K3", "Another secret.")
		s.As("rutger").Post("#room", "@K3 hello")
		s.Pass(time.Minute)
		saw := s.Saw("K3", -1)
		s.Equal("shown", "user: [Unread | 2 messages]\nFor you alone; not part of the request.\n\nFrom rutger, K1; read_inbox shows them.", saw[len(saw)-2])
		s.Equal("not seen", "accepted", s.Delivery(note, "K3"))
		s.As("K1").Ask("K3", "Hello.")
		s.Equal("later", true, s.Models.Showed("K3", "Another secret."))
		s.Equal("seen", "seen", s.Delivery(note, "K3"))
	})
}

// At most twenty are shown, and how many more there are. read_inbox shows the rest
// page by page.
func TestMoreMailThanABlockHolds(t *testing.T) {
	Play(t, mailers, func(s *Stage) {
		for range 23 {
			s.As("rutger").Ask("K1", "Tell K3 something.")
		}
		s.As("rutger").Ask("K3", "Hello.")
		block := s.Saw("K3", -1)[0]
		s.Equal("count", true, strings.HasPrefix(block, "user: [Unread | 23 messages]\n"))
		s.Equal("shown", 20, strings.Count(block, "[Agent Notification from K1]"))
		s.Equal("more", true, strings.HasSuffix(block, "\n\n3 more are not shown here; read_inbox shows them."))
		page := s.As("rutger").Ask("K3", "Read your inbox.")
		s.Equal("all seen with the block of that turn", "There is no unread mail for you.", page)
	})
}

// isolated keeps mail to the dm with its sender, who is told so.
func TestAnIsolatedAgentReadsItsMailInTheDM(t *testing.T) {
	team := mailers
	team.Member = func(m *app.Member) {
		mailers.Member(m)
		m.Isolated = m.Name == "K3"
	}
	Play(t, team, func(s *Stage) {
		s.Equal("told", "Discovery shared with K3. K3 is isolated and will read it only in its conversation with you.", s.As("rutger").Ask("K1", "Discover."))
		s.Equal("told", "Notification sent to K3. K3 is isolated and will read it only in its conversation with you.", s.As("rutger").Ask("K1", "Tell K3 more."))
		s.As("rutger").Ask("K3", "Hello.")
		s.Equal("nothing else", 1, len(s.Saw("K3", -1)))
		s.Equal("nor in its inbox", "There is no unread mail for you in this conversation.", s.As("rutger").Ask("K3", "Read your inbox."))
		s.As("K1").Ask("K3", "Hello.")
		s.Equal("there", true, s.Models.Showed("K3", "The cache is stale."))
	})
}
