package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

// thanking is a team of which each thanks the two others, in its closing text or with
// the tool.
func thanking(steps string) Team {
	var b strings.Builder
	b.WriteString("agents:\n")
	names := []string{"A", "B", "C"}
	for i, name := range names {
		others := [2]string{names[(i+1)%3], names[(i+2)%3]}
		fmt.Fprintf(&b, "  %s: [{match: '^.Delegation', steps: [{say: 'Noted.'}]}, {steps: %s}]\n", name, fmt.Sprintf(steps, others[0], others[1]))
	}
	return Team{Agents: names, Channels: []string{"room"}, Script: b.String()}
}

const (
	thankAtTheEnd  = `[{say: 'Thank you @%s, thank you @%s!'}]`
	thankByTool    = `[{call: send_channel_message, args: {channel: room, content: 'Thank you @%s, thank you @%s!'}}, {say: '{{result}}'}]`
	noMoreThan30   = "Mentions by agents have caused 30 turns, the limit for one message of a person or one task (mention_turns). A person's next message begins a new count."
	thanksForHours = 3 * time.Hour
)

// byMention are the tasks that mentions by agents made.
func (s *Stage) byMention() (n int) {
	for _, t := range s.tasks() {
		if t.Pattern == parley.Mention && t.Requester != s.agent("rutger") {
			n++
		}
	}
	return n
}

// notices are what the hub has said in a channel.
func (s *Stage) notices(channel string) (list []string) {
	for _, m := range s.Channel(channel) {
		if m.Kind == parley.NoticeMessage {
			list = append(list, strings.TrimPrefix(m.Text, "[Channel Notice]\n\n"))
		}
	}
	return list
}

func TestThreeAgentsThatThankEachOtherTakeThirtyTurns(t *testing.T) {
	for name, steps := range map[string]string{"in closing texts": thankAtTheEnd, "by the tool": thankByTool} {
		t.Run(name, func(t *testing.T) {
			Play(t, thanking(steps), func(s *Stage) {
				s.As("rutger").Post("room", "@A, you did well.")
				s.Pass(thanksForHours)
				s.Equal("turns", 30, s.byMention())
				notices := s.notices("room")
				s.Equal("notices", 1, len(notices))
				s.Equal("who and why", true, strings.HasPrefix(notices[0], "Not started: ") && strings.HasSuffix(notices[0], ". "+noMoreThan30))
				s.As("rutger").Post("room", "@B, you too.")
				s.Pass(thanksForHours)
				s.Equal("a person's next post begins anew", 60, s.byMention())
				s.Equal("with a notice of its own", 2, len(s.notices("room")))
			})
		})
	}
}

// One message that mentions several is one cause.
func TestTheTurnsOfOneMessageAreCountedTogether(t *testing.T) {
	Play(t, thanking(thankAtTheEnd), func(s *Stage) {
		s.As("rutger").Post("room", "@A @B @C, you did well.")
		s.Pass(thanksForHours)
		s.Equal("turns", 30, s.byMention())
		s.Equal("notices", 1, len(s.notices("room")))
	})
}

// A chain goes through delegations too: a task that a mentioned agent hands on counts
// where the chain began.
func TestTheCountGoesThroughDelegations(t *testing.T) {
	const steps = `[{call: contact_agent, args: {action: delegate, agentId: HelperBot, message: 'Thank %s and %s.'}}, {say: 'Later.'}]`
	team := thanking(steps)
	team.Agents = append(team.Agents, "HelperBot")
	team.Script += `  HelperBot:
    - match: 'Thank (\w) and (\w)\.'
      steps: [{call: send_channel_message, args: {channel: room, content: 'Thank you @{{match 1}} @{{match 2}}!'}}, {say: 'Done.'}]
`
	team.Member = func(m *app.Member) { m.Limits.Rate, m.Limits.DelegationDepth = 1000, 100 }
	Play(t, team, func(s *Stage) {
		s.As("rutger").Post("room", "@A, you did well.")
		s.Pass(thanksForHours)
		s.Equal("turns", 30, s.byMention())
		s.Equal("notices", 1, len(s.notices("room")))
	})
}

// What the rate does not allow yet is put off, across a restart, and then begins.
func TestAMentionInAClosingTextIsPutOffUntilTheRateAllowsIt(t *testing.T) {
	Play(t, Team{Agents: []string{"A", "B", "C"}, Channels: []string{"room"}, Script: `
agents:
  A: [{steps: [{say: 'Well, @B and @C?'}]}]
  "*": [{steps: [{say: 'Yes.'}]}]
`, Member: limits(func(l *parley.Limits) { l.Rate, l.Burst = 1, 1 })}, func(s *Stage) {
		s.As("rutger").Post("room", "@A begin")
		s.Pass(time.Second)
		s.Equal("one has begun", []int{1, 0}, []int{len(s.Models.Shown("B")), len(s.Models.Shown("C"))})
		s.Equal("the rest costs rate in advance", 2, s.rateOf("A"))
		s = s.Restart()
		s.As("rutger").Sleep("C", 10*time.Second)
		s.As("rutger").Wake("C")
		s.Pass(58 * time.Second)
		s.Equal("the other waits", 0, len(s.Models.Shown("C")))
		s.Pass(time.Second)
		s.Equal("and begins", 1, len(s.Models.Shown("C")))
		s.Equal("posts", []string{"@A begin", "Well, @B and @C?", "Yes.", "Yes."}, s.bodies("room"))
	})
}

func (s *Stage) bodies(channel string) (list []string) {
	for _, m := range s.Channel(channel) {
		list = append(list, m.Text)
	}
	return list
}

// A retry goes on with the count of what it repeats.
func TestARetryKeepsTheCountOfMentions(t *testing.T) {
	Play(t, Team{Agents: []string{"A", "B"}, Channels: []string{"room"}, Script: `
agents:
  A: [{steps: [{call: send_channel_message, args: {channel: room, content: 'Well, @B?'}}, {fail: 'Broken.'}]}]
  B: [{steps: [{say: 'Yes.'}]}]
`, Member: limits(func(l *parley.Limits) { l.MentionTurns = 2 })}, func(s *Stage) {
		id := s.As("rutger").Delegate("A", "Begin.")
		for range 3 {
			s.Wait(id)
			id = s.As("rutger").Retry(id)
		}
		s.Wait(id)
		s.Equal("turns", 2, s.byMention())
		s.Equal("notices", 1, len(s.notices("room")))
		s.Equal("its author reads why", "Posted in #room. Not started: B. "+strings.Replace(noMoreThan30, "30", "2", 1), s.Results(id)[0])
	})
}
