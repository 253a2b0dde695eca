package scenario

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/model"
)

// A conversation that goes on and on is put away in few large keepers. Its tasks begin
// with what was put away before, so that a keeper is not made at every ask.
func TestALongConversationMakesFewLargeKeepers(t *testing.T) {
	Play(t, narrowTeam(2500), func(s *Stage) {
		s.tellLong(22, "The turbine blade")
		list, err := s.Keepers.List(s.Context(), s.As("rutger").Caller, 100)
		s.Equal("error", nil, err)
		var sizes []int
		for _, k := range list {
			sizes = append(sizes, k.Count)
			if k.Count < 8 {
				s.Errorf("%s has %d messages", k.ID, k.Count)
			}
		}
		named := 0 // each time that something is put away, a model is asked for a name
		for _, task := range s.tasks() {
			for _, step := range s.Steps(task.ID) {
				if step.Kind == parley.StepOffload {
					named++
				}
			}
		}
		s.Equal("names", len(list), named)
		s.Logf("%d keepers of %v messages, newest first", len(list), sizes)
		if len(list) == 0 || len(list) > 5 {
			s.Errorf("there are %d keepers", len(list))
		}
		s.checkKeptOnce("LearnerBot")
	})
}

// After it was brought down, a conversation has room again: it is at half of the
// window, and the keeper's line stays, even when none of its messages would be shown.
func TestTheLineOfAKeeperStays(t *testing.T) {
	Play(t, narrowTeam(2500), func(s *Stage) {
		s.tellLong(14, "The turbine blade")
		k, _ := s.Keeper(1)
		line := "user: " + parley.PutAwayText(k)
		for range 25 {
			s.As("rutger").Ask("LearnerBot", "Short.")
			s.Equal("the line", line, s.Saw("LearnerBot", -1)[0])
		}
	})
}

func TestManyLinesOfKeepersAreMerged(t *testing.T) {
	team := narrowTeam(1700)
	Play(t, team, func(s *Stage) {
		s.tellLong(80, "The turbine blade")
		list, err := s.Keepers.List(s.Context(), s.As("rutger").Caller, 100)
		s.Equal("error", nil, err)
		if len(list) < 12 {
			s.Fatalf("there are %d keepers", len(list))
		}
		lines := 0
		shown := s.Models.Shown("LearnerBot")
		for _, m := range shown[len(shown)-1].Messages {
			if m.Role == model.User && strings.HasPrefix(m.Text, "[Keeper:") {
				lines++
				s.Equal("says how many", true, strings.Contains(m.Text, " keepers, "))
			}
		}
		s.Equal("lines", 1, lines)
	})
}
