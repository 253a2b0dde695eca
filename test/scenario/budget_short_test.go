package scenario

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/bubbletest"
)

// writer gives one long reply, of a model that could give a longer one.
const writer = `
agents:
  WorkBot: [{steps: [{say: 'Written.', usage: {input: 500, output: %d, money: %s, most: 32k}}]}]
`

func writes(output int, money string) Team { return workers(fmt.Sprintf(writer, output, money)) }

// limits are the output limits that an agent's model was sent.
func (s *Stage) limits(agent string) (list []int64) {
	for _, r := range s.Models.Shown(agent) {
		list = append(list, r.MaxOutput)
	}
	return list
}

// A small budget is enough for a step of a model that can write a book.
func TestASmallBudgetStartsAStep(t *testing.T) {
	for limit, want := range map[parley.Budget]int64{
		{Tokens: 5000}:    4096,
		{Tokens: 1200}:    700,
		{Money: 7000}:     3000, // two millionths a token
		{Tokens: 100_000}: 4096,
		{Tasks: 5}:        0, // nothing bounds the reply
	} {
		t.Run(limit.String(), func(t *testing.T) {
			Play(t, writes(100, "0.0012"), func(s *Stage) {
				id := s.As("rutger").DelegateWith(limit, "WorkBot", "Write.")
				s.Wait(id)
				s.Equal("result", "Written.", s.Result(id))
				s.Equal("limits", []int64{want}, s.limits("WorkBot"))
				s.Equal("tokens", int64(600), s.Account(id).Spent.Tokens())
			})
		})
	}
}

// Nobody's replies are kept short without a budget.
func TestWithoutABudgetThereIsNoLimit(t *testing.T) {
	Play(t, writes(9000, "0"), func(s *Stage) {
		id := s.As("rutger").Delegate("WorkBot", "Write.")
		s.Wait(id)
		s.Equal("limits", []int64{0}, s.limits("WorkBot"))
		s.Equal("result", "Written.", s.Result(id))
	})
}

// An agent that writes much is given twice what it last needed.
func TestTheLimitFollowsTheAgentsReplies(t *testing.T) {
	Play(t, workers(`
agents:
  WorkBot:
    - steps:
        - {call: list_agents, usage: {input: 100, output: 4000, most: 32k}}
        - {call: list_agents, usage: {input: 100, output: 100, most: 32k}}
        - {say: 'Done.', usage: {input: 100, output: 100, most: 32k}}
`), func(s *Stage) {
		for range 2 { // what it needed in the task before counts too
			id := s.As("rutger").DelegateWith(parley.Budget{Tokens: 1_000_000}, "WorkBot", "Write.")
			s.Wait(id)
		}
		s.Equal("limits", []int64{4096, 8000, 8000, 8000, 8000, 8000}, s.limits("WorkBot"))
	})
}

// A reply that is too long for its limit is counted, and asked for again with all that
// is left.
func TestAReplyThatIsCutOffIsAskedForAgain(t *testing.T) {
	Play(t, writes(6000, "0"), func(s *Stage) {
		id := s.As("rutger").DelegateWith(parley.Budget{Tokens: 20_000}, "WorkBot", "Write.")
		s.Wait(id)
		s.Equal("result", "Written.", s.Result(id))
		s.Equal("limits", []int64{4096, 20_000 - 4596 - 500}, s.limits("WorkBot"))
		s.Equal("spent", int64(500+4096+500+6000), s.Account(id).Spent.Tokens())
		s.Equal("the model is shown nothing of it", s.Models.Shown("WorkBot")[0].Messages, s.Models.Shown("WorkBot")[1].Messages)
	})
}

// If what is left is too little for it, the tree waits, and exactly what the hint says
// is enough.
func TestWhatTheHintSaysIsEnough(t *testing.T) {
	for limit, wants := range map[parley.Budget]string{
		{Tokens: 10_000}:                     "tokens=4000",
		{Money: 20_000}:                      "money=1",
		{Tokens: 10_000, Money: 20_000}:      "tokens=4000,money=1",
		{Tokens: 400}:                        "tokens=5000",
		{Tokens: 4600, Tasks: 1, Money: 1e9}: "tokens=9000",
	} {
		t.Run(limit.String(), func(t *testing.T) {
			Play(t, writes(6000, "0.013"), func(s *Stage) {
				id := s.As("rutger").DelegateWith(limit, "WorkBot", "Write.")
				s.Pass(time.Minute)
				s.Equal("waits", parley.WaitTree, s.Task(id).Waits)
				hints := 0
				for ; s.Task(id).State.Open() && hints < 3; hints++ {
					inbox := s.Inbox("rutger")
					_, hint, _ := strings.Cut(inbox[len(inbox)-1].Text, "--add ")
					if hints == 0 {
						s.Equal("hint", wants, hint)
					}
					by, err := parley.ParseBudget(hint)
					s.As("rutger").must(err)
					asked := len(s.Models.Shown("WorkBot"))
					s.As("rutger").Raise(id, by)
					s.Pass(time.Minute)
					s.Equal("it goes on", asked+1, len(s.Models.Shown("WorkBot")))
				}
				s.Equal("result", "Written.", s.Result(id))
			})
		})
	}
}

// Wherever the hub dies, a reply that was cut off is counted once and comes in the end.
func TestACrashForgetsNoReplyThatWasCutOff(t *testing.T) {
	for _, before := range []bool{true, false} {
		n := 1
		for dieWhileCut(t, n, before) {
			n++
		}
		if n < 3 { // how many depends on what the writer puts into one commit
			t.Errorf("there were only %d commits to die at", n)
		}
	}
}

func dieWhileCut(t *testing.T, n int, before bool) (died bool) {
	t.Helper()
	team := writes(6000, "0")
	team.Member = func(m *app.Member) { m.Limits.Rescues = 1000 }
	bubbletest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "parley.db")
		s, life := doomed(t, team, file)
		life.Doom(n+1, before) // the first is the delegation: the turn does not wait for a doom that comes after it
		id := s.As("rutger").DelegateWith(parley.Budget{Tokens: 20_000}, "WorkBot", "Write.")
		if died = s.Dies(life, 20*time.Second); died {
			first := s
			s = Raise(t, team, OpenFile(t, Remains(t, file)))
			s.Pass(time.Minute)
			s.Models.Adopt(first.Models)
		}
		s.Stop()
		s.Equal("result", "Written.", s.Result(id))
		s.Equal("tokens", int64(500+4096+500+6000), s.Account(id).Spent.Tokens())
		s.CheckPromises()
	})
	return died
}

// A tree that runs is given a budget: what it has spent counts, and its turns find out.
func TestARunningTreeIsGivenABudget(t *testing.T) {
	for _, c := range []struct {
		limit  parley.Budget
		parked bool
	}{{parley.Budget{Tokens: 1000}, false}, {parley.Budget{Tokens: 150, Tasks: 9}, true}} {
		t.Run(c.limit.String(), func(t *testing.T) {
			Play(t, workers(worker), func(s *Stage) {
				id := s.As("rutger").Delegate("WorkBot", "Work.")
				s.Pass(1500 * time.Millisecond) // in the middle of the second step
				s.As("rutger").SetBudget(id, c.limit)
				s.Equal("counts what was spent", int64(100), s.Account(id).Spent.Tokens())
				s.Pass(time.Minute)
				if c.parked {
					s.Equal("waits", parley.WaitTree, s.Task(id).Waits)
					s.Equal("after the step that ran", int64(200), s.Account(id).Spent.Tokens())
					s.As("rutger").SetBudget(id, parley.Budget{Tokens: 300})
				}
				s.Wait(id)
				s.Equal("spent", parley.Spending{Input: 240, Output: 60, Money: 30_000, Active: 3 * time.Second}, s.Account(id).Spent)
				s.Equal("record", "budget.raised by rutger task-101 (set to "+c.limit.String()+")", s.Events(parley.EventBudgetRaised)[0])
			})
		})
	}
}

// What a turn does with a lease that knows of no budget yet is counted all the same:
// contacts, posts, and the last step.
func TestABudgetThatIsGivenDuringAStepCountsWhatFollows(t *testing.T) {
	team := workers(`
agents:
  WorkBot:
    - match: 'from rutger'
      steps:
        - {call: contact_agent, args: {action: ask, agentId: HelperBot, message: 'Help.'}, usage: {input: 10}}
        - calls:
            - {tool: contact_agent, args: {action: ask, agentId: HelperBot, message: 'Again.'}}
            - {tool: contact_agent, args: {action: delegate, agentId: OtherBot, message: 'Help.'}}
            - {tool: send_channel_message, args: {channel: room, content: '@OtherBot well?'}}
          usage: {input: 10}
        - {say: 'Handed out.', usage: {input: 10}}
    - match: '^\[Delegation'
      steps: [{say: 'Noted.', usage: {input: 10}}]
  HelperBot: [{steps: [{wait: 10s, say: 'A.', usage: {input: 50}}]}]
  OtherBot: [{steps: [{say: 'B.', usage: {input: 50}}]}]
`)
	team.Channels = []string{"room"}
	for _, after := range []time.Duration{5 * time.Second, 15 * time.Second} {
		t.Run(after.String(), func(t *testing.T) {
			Play(t, team, func(s *Stage) {
				id := s.As("rutger").Delegate("WorkBot", "Go.")
				s.Pass(after) // HelperBot thinks, and WorkBot waits in its call
				s.As("rutger").SetBudget(id, parley.Budget{Tokens: 10_000, Tasks: 9})
				s.Wait(id)
				s.Pass(time.Minute)
				s.Equal("tasks", int64(5), s.Account(id).Tasks)
				s.Equal("tokens", true, s.Account(id).Spent.Tokens() >= 3*10+4*50)
			})
		})
	}
}

func TestOnlyPeopleSetABudgetAndOnlyOfWhatRuns(t *testing.T) {
	Play(t, workers(worker), func(s *Stage) {
		id := s.As("rutger").Delegate("WorkBot", "Work.")
		limit := parley.Budget{Tokens: 5}
		s.Equal("an agent", parley.Denied, parley.KindOf(s.Contacts.SetBudget(s.Context(), s.As("WorkBot").Caller, id, limit)))
		s.Equal("no such task", parley.NotFound, parley.KindOf(s.Contacts.SetBudget(s.Context(), s.As("rutger").Caller, 999, limit)))
		s.Wait(id)
		s.Equal("it has ended", parley.Conflict, parley.KindOf(s.Contacts.SetBudget(s.Context(), s.As("rutger").Caller, id, limit)))
	})
}
