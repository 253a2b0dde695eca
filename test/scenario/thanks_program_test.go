package scenario

import (
	"testing"
	"time"

	"parley"
	"parley/internal/app"
)

// visited is a channel of A, whose turns the hub runs, and of VisitorBot, a program that
// posts without saying what it works on.
func visited(says string) Team {
	return Team{Agents: []string{"A", "VisitorBot"}, Channels: []string{"room", "hall"}, Script: "agents: {A: [{steps: [{say: '" + says + "'}]}]}",
		Member: func(m *app.Member) {
			if m.Name == "VisitorBot" {
				m.Kind, m.Model = parley.Client, nil
			}
		}}
}

// thanks has VisitorBot thank A, every minute. If it answers, it first ends the tasks
// that it was given, as a program does that has read its mentions.
func (s *Stage) thanks(times int, answers bool) {
	s.Helper()
	for range times {
		for _, t := range s.tasks() {
			if answers && t.Agent == s.agent("VisitorBot") && t.State.Open() {
				s.As("VisitorBot").Reply(t.ID, "Read.")
			}
		}
		s.As("VisitorBot").Post("room", "Thank you @A!")
		s.Pass(time.Minute)
	}
}

// A program outside and an agent that thank each other are one chain, though the
// program begins something new with every post.
func TestAProgramAndAnAgentThatThankEachOtherTakeThirtyTurns(t *testing.T) {
	for name, answers := range map[string]bool{"its tasks stay open": false, "it answers them first": true} {
		t.Run(name, func(t *testing.T) {
			Play(t, visited("Thank you @VisitorBot!"), func(s *Stage) {
				s.thanks(20, answers)
				s.Equal("turns", 30, s.byMention())
				s.Equal("notices", 1, len(s.notices("room")))
				s = s.Restart()
				s.thanks(20, answers)
				s.Equal("no more turns", 30, s.byMention())
				s.As("rutger").Post("hall", "What now?")
				s.thanks(1, answers)
				s.Equal("nor by a word elsewhere", 30, s.byMention())
				s.As("rutger").Post("room", "Well done, both of you.")
				s.thanks(20, answers)
				s.Equal("a person's next post begins anew", 60, s.byMention())
				s.Equal("with a notice of its own", 2, len(s.notices("room")))
			})
		})
	}
}

// A person who mentions the program is its cause, and then counts.
func TestAPersonWhoMentionsAProgramBeginsANewCount(t *testing.T) {
	Play(t, visited("Thank you @VisitorBot!"), func(s *Stage) {
		s.thanks(20, false)
		s.As("rutger").Post("room", "@VisitorBot, go on.")
		s.thanks(20, false)
		s.Equal("turns", 60, s.byMention())
	})
}

// Nobody mentions the program: each of its posts is a cause of its own, as often as its
// rate allows.
func TestAProgramThatNobodyMentionsPostsWithoutEnd(t *testing.T) {
	Play(t, visited("Noted."), func(s *Stage) {
		s.thanks(40, false)
		s.Equal("turns", 40, s.byMention())
		s.Equal("notices", 0, len(s.notices("room")))
	})
}
