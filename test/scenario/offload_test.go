package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
	"parley/internal/contact"
	"parley/internal/model"
)

// narrow is a model with a small window. It cannot follow a script by what it has
// done, since it loses sight of that: it works as often as it is told to.
type narrow struct {
	model.Model
	window int
	worked *atomic.Int32
}

func (n narrow) Window() (total, reply int) { return n.window, 100 }

func (n narrow) Estimate(r model.Request) model.Usage { return model.Estimate(n.Model, r) }

// Step names a topic, or follows the script.
func (n narrow) Step(ctx context.Context, r model.Request, say func(model.Delta)) (model.Reply, error) {
	if strings.HasPrefix(r.System, "Name the topic") {
		if strings.Contains(r.Messages[0].Text, "turbine") {
			return model.Reply{Text: `"Turbines and their blades."`, Usage: model.Usage{Input: 100, Output: 7}}, nil
		}
		return model.Reply{}, &model.Error{Message: "No idea."}
	}
	reply, err := n.Model.Step(ctx, r, say)
	if slices.ContainsFunc(r.Messages, func(m model.Message) bool { return strings.HasSuffix(m.Text, "Work hard.") }) {
		reply, err = model.Reply{Text: "Worked hard."}, nil
		if i := n.worked.Add(1); i <= 12 {
			reply.Calls = []model.Call{{ID: fmt.Sprint("c", i), Name: "list_agents", Args: []byte("{}")}}
		}
	}
	return reply, err
}

const toiler = "agents: {LearnerBot: [{steps: [{say: 'Noted.'}]}]}"

func narrowTeam(window int) Team {
	team, worked := Team{Agents: []string{"LearnerBot"}, Script: toiler}, new(atomic.Int32)
	team.Member = func(m *app.Member) {
		learns(m)
		if m.Kind == parley.Native {
			m.Model = narrow{m.Model, window, worked}
			m.Tools = []string{"list_agents", "context_retrieve"}
			m.Description = strings.Repeat("It knows things. ", 10)
		}
	}
	return team
}

// tellLong makes rutger say so many long things.
func (s *Stage) tellLong(n int, about string) {
	s.Helper()
	for i := range n {
		s.As("rutger").Ask("LearnerBot", fmt.Sprintf("%s %d. %s", about, i, strings.Repeat("It turns and turns. ", 20)))
	}
}

func TestAConversationPast80PercentOfTheWindowIsPutAway(t *testing.T) {
	Play(t, narrowTeam(2500), func(s *Stage) {
		s.tellLong(14, "The turbine blade")
		k, list := s.Keeper(1)
		s.Equal("topic", "Turbines and their blades", k.Topic)
		s.Equal("automatic", true, k.Automatic)
		last := s.Saw("LearnerBot", -1)
		s.Equal("the line", "user: "+parley.PutAwayText(k), last[0])
		for _, m := range list {
			for _, shown := range last {
				if strings.Contains(shown, m.Text) && m.Role == parley.RoleUser {
					s.Errorf("%s was put away and is shown: %q", m.Name(), shown)
				}
			}
		}
		for _, shown := range last {
			if strings.Contains(shown, "left out here") {
				s.Errorf("something was lost: %q", shown)
			}
		}
		s.Equal("the request stays", true, strings.Contains(last[len(last)-1], "The turbine blade 13."))
		s.checkKeptOnce("LearnerBot")
	})
}

// checkKeptOnce checks that no message was put away twice for its owner.
func (s *Stage) checkKeptOnce(owner string) {
	s.Helper()
	seen := map[parley.MessageID]string{}
	list, err := s.Keepers.List(s.Context(), s.As("rutger").Caller, 100)
	s.As("rutger").must(err)
	for _, k := range list {
		_, messages := s.Keeper(k.ID)
		for _, m := range messages {
			if m.Message == 0 {
				continue
			}
			if before := seen[m.Message]; before != "" {
				s.Errorf("%s of %s is in %s and in %s", m.Message, owner, before, m.Name())
			}
			seen[m.Message] = m.Name()
		}
	}
}

// Later tasks begin with a history that was put away before: new messages in it are
// taken in, and the others are replaced by a line that names their keeper.
func TestOffloadingAgainTakesInOnlyWhatIsNew(t *testing.T) {
	Play(t, narrowTeam(2500), func(s *Stage) {
		s.tellLong(20, "The turbine blade")
		s.tellLong(10, "The kitchen cup")
		list, err := s.Keepers.List(s.Context(), s.As("rutger").Caller, 100)
		s.Equal("error", nil, err)
		if len(list) < 2 {
			s.Fatalf("there is %d keeper", len(list))
		}
		s.checkKeptOnce("LearnerBot")
		if newest := list[0]; strings.Contains(newest.Topic, "kitchen") == strings.Contains(newest.Topic, "Turbines") {
			s.Errorf("topic: %q", newest.Topic)
		}
	})
}

// The steps of the task itself are put away too, calls with their results, but the
// request stays.
func TestStepsOfALongTaskArePutAwayInWholeCalls(t *testing.T) {
	team := narrowTeam(3000)
	team.Agents = append(team.Agents, "A1Bot", "A2Bot", "A3Bot", "A4Bot", "A5Bot", "A6Bot", "A7Bot", "A8Bot", "A9Bot")
	Play(t, team, func(s *Stage) {
		s.Equal("answer", "Worked hard.", s.As("rutger").Ask("LearnerBot", "Work hard."))
		_, list := s.Keeper(1)
		for i, m := range list {
			if m.Role == parley.RoleTool && (i == 0 || list[i-1].Role != parley.RoleAssistant) {
				s.Errorf("%s is without its call", m.Name())
			}
			if !m.Private {
				s.Errorf("%s is for others: %q", m.Name(), m.Text)
			}
		}
		last := s.Models.Shown("LearnerBot")
		open := map[string]bool{}
		for _, m := range last[len(last)-1].Messages {
			for _, c := range m.Calls {
				open[c.ID] = true
			}
			if m.Role == model.ToolResult && !open[m.CallID] {
				s.Errorf("a result is shown without its call")
			}
		}
		shown := s.Saw("LearnerBot", -1)
		s.Equal("the request", true, strings.Contains(shown[0], "Work hard."))
		s.Equal("the line", true, strings.HasPrefix(shown[1], "user: [Keeper:keeper-1] topic="))
	})
}

// The hub dies at each commit in turn; what is put away is put away once, and the
// resumed turn is shown the same as one that was not interrupted.
func TestAConversationIsPutAwayOnceWhateverCrashes(t *testing.T) {
	for n := 1; n <= 8; n++ {
		for _, before := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d %v", n, before), func(t *testing.T) {
				t.Parallel()
				bubbletest.Test(t, func(t *testing.T) { crashWhilePuttingAway(t, n, before) })
			})
		}
	}
}

func crashWhilePuttingAway(t *testing.T, n int, before bool) {
	team := narrowTeam(3000)
	team.Agents = append(team.Agents, "A1Bot", "A2Bot", "A3Bot", "A4Bot", "A5Bot", "A6Bot", "A7Bot", "A8Bot", "A9Bot")
	file := filepath.Join(t.TempDir(), "parley.db")
	s, life := doomed(t, team, file)
	s.tellLong(6, "The turbine blade")
	life.Doom(n, before)
	go func() {
		_, _ = s.Contacts.OpenAsk(context.Background(), s.As("rutger").Caller, contact.Request{Target: "LearnerBot", Message: "Work hard."})
	}()
	s.Pass(time.Minute)
	life.Kill()
	s.Abandon()
	earlier := s.Models
	s = Raise(t, team, OpenFile(t, Remains(t, file)))
	s.Pass(time.Hour)
	s.Models.Adopt(earlier)
	s.checkKeptOnce("LearnerBot")
	for _, task := range s.tasks() {
		s.Equal("state", parley.Completed, task.State)
		s.Equal("steps of "+task.ID.String()+" that were kept", s.awaySteps(task.ID), s.keptSteps(task.ID))
	}
	s.Stop()
	s.CheckPromises()
}

// awaySteps is how many steps of a task were put away.
func (s *Stage) awaySteps(id parley.TaskID) int {
	var last struct{ Past int }
	for _, step := range s.Steps(id) {
		if step.Kind == parley.StepOffload {
			if err := json.Unmarshal(step.Content, &last); err != nil {
				s.Fatal(err)
			}
		}
	}
	return last.Past
}

// keptSteps is how many of them are in keepers.
func (s *Stage) keptSteps(id parley.TaskID) (n int) {
	list, err := s.Keepers.List(s.Context(), s.As("rutger").Caller, 100)
	s.As("rutger").must(err)
	for _, k := range list {
		_, messages := s.Keeper(k.ID)
		for _, m := range messages {
			if k.Task == id && m.Message == 0 {
				n++
			}
		}
	}
	return n
}
