package scenario

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/retention"
)

// What is redacted is redacted in keepers too: copies of the message, what quotes
// it, the topic, and what is found by its words.
func TestARedactedMessageIsGoneFromKeepers(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.As("rutger").Ask("LearnerBot", "The password of the vault is swordfish-99.")
		s.As("rutger").Ask("LearnerBot", "Remember: The password of the vault is swordfish-99.")
		s.teach(3)
		s.tell("Put 8 away.")
		if got := s.tell("Look up raw: swordfish-99"); !strings.Contains(got, "vault") {
			s.Fatalf("before: %q", got)
		}
		_, err := s.Redactions.Redact(s.Context(), s.As("rutger").Caller, 1, "It is a secret.")
		s.Equal("error", nil, err)
		s.Pass(time.Second)
		_, list := s.Keeper(1)
		for _, m := range list {
			if strings.Contains(m.Text, "swordfish") {
				s.Errorf("%s still says %q", m.Name(), m.Text)
			}
		}
		s.Equal("the copy", "[redacted by rutger]", list[0].Text)
		s.Equal("found by its words", "No relevant context found for: swordfish", s.tell("Look in keeper-1: swordfish"))
		s.Equal("the rest is found", true, strings.Contains(s.tell("Look in keeper-1: bearer tokens"), "part 0"))
	})
}

func TestKeptMessagesGoWithTheirTime(t *testing.T) {
	Play(t, learning, func(s *Stage) {
		s.teach(4)
		s.tell("Put 5 away.")
		s.Pass(3 * time.Hour)
		s.teach(4)
		s.tell("Put 900 away.")
		k := s.Sweeper(s.id, retention.Rule{Messages: time.Hour})
		_, err := k.Sweep(s.Context())
		s.Equal("error", nil, err)
		left, err := s.Keepers.List(s.Context(), s.As("rutger").Caller, 10)
		s.Equal("error", nil, err)
		s.Equal("keepers", 1, len(left))
		now := parley.Micros(time.Now().UnixMicro())
		_, list := s.Keeper(left[0].ID)
		for _, m := range list {
			if now.Since(m.At) > time.Hour {
				s.Errorf("%s is too old", m.Name())
			}
		}
		s.Equal("count", len(list), left[0].Count)
		s.Equal("found by its words", "No relevant context found for: auth", s.tell("Look in keeper-1: auth"))
	})
}
