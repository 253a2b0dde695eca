package trace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/trace"
)

// at is a second of the story.
func at(s int) parley.Micros { return parley.Micros(time.Duration(s) * time.Second / time.Microsecond) }

func told(spans []trace.Span) string {
	var b strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&b, "%d-%d %s\n", s.From/1e6, s.To/1e6, s.Doing)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func rows(list ...parley.Step) []parley.Step { return list }

func row(turn, second int, kind parley.StepKind) parley.Step {
	return parley.Step{Turn: turn, At: at(second), Kind: kind}
}

func TestLane(t *testing.T) {
	person := func(id parley.AgentID) bool { return id == 7 }
	began := parley.Task{CreatedAt: at(100), StartedAt: at(102), State: parley.Running, Turns: 1, Agent: 1}
	with := func(change func(*parley.Task)) parley.Task {
		t := began
		change(&t)
		return t
	}
	first := parley.Step{Turn: 1, At: at(105), Kind: parley.StepReply, Spent: parley.Spending{Active: 3 * time.Second}}
	for _, c := range []struct {
		name string
		work trace.Work
		want []string
	}{
		{"queued", trace.Work{Task: parley.Task{CreatedAt: at(100), State: parley.Queued}}, []string{"100-120 queued"}},
		{"a first reply, which took a while", trace.Work{Task: began, Steps: rows(first)}, []string{"100-102 queued", "102-120 worked"}},
		{"two turns", trace.Work{Task: with(func(t *parley.Task) { t.State, t.Turns, t.EndedAt = parley.Completed, 2, at(115) }),
			Steps: rows(first, row(2, 112, parley.StepPrompt), row(2, 115, parley.StepReply))},
			[]string{"100-102 queued", "102-105 worked", "105-112 waited", "112-115 worked"}},
		{"waits for children", trace.Work{Task: with(func(t *parley.Task) { t.State = parley.Waiting }), Steps: rows(first)},
			[]string{"100-102 queued", "102-105 worked", "105-120 waited"}},
		{"waits for whom it asks", trace.Work{Task: began, Steps: rows(first, row(1, 115, parley.StepResult)),
			Below: []parley.Task{{Pattern: parley.Ask, CreatedAt: at(106), EndedAt: at(114), Agent: 2}}},
			[]string{"100-102 queued", "102-106 worked", "106-114 waited", "114-120 worked"}},
		{"waits no longer for whom it asked", trace.Work{Task: began, Steps: rows(first),
			Below: []parley.Task{{Pattern: parley.Ask, CreatedAt: at(106), WaitUntil: at(110), Callback: parley.CallbackLate, Agent: 2}}},
			[]string{"100-102 queued", "102-106 worked", "106-110 waited", "110-120 worked"}},
		{"asks a person", trace.Work{Task: began, Steps: rows(first), Below: []parley.Task{{Pattern: parley.Ask, CreatedAt: at(106), Agent: 7}}},
			[]string{"100-102 queued", "102-106 worked", "106-120 asked"}},
		{"a decision", trace.Work{Task: began, Steps: rows(first, row(1, 107, parley.StepHeld), row(1, 113, parley.StepResult))},
			[]string{"100-102 queued", "102-107 worked", "107-113 asked", "113-120 worked"}},
		{"no decision yet", trace.Work{Task: with(func(t *parley.Task) { t.State, t.Approvals = parley.Waiting, 1 }), Steps: rows(first, row(1, 107, parley.StepHeld))},
			[]string{"100-102 queued", "102-107 worked", "107-120 asked"}},
		{"a new turn without a step", trace.Work{Task: with(func(t *parley.Task) { t.Turns = 2 }), Steps: rows(first),
			Below: []parley.Task{{Pattern: parley.Delegate, CreatedAt: at(104), EndedAt: at(117), Agent: 2}}},
			[]string{"100-102 queued", "102-105 worked", "105-117 waited", "117-120 worked"}},
		{"failed within a call", trace.Work{Task: with(func(t *parley.Task) { t.State, t.EndedAt = parley.TaskFailed, at(118) }), Steps: rows(first, row(1, 106, parley.StepCall))},
			[]string{"100-102 queued", "102-118 worked"}},
		{"failed before its first step", trace.Work{Task: with(func(t *parley.Task) { t.State, t.StartedAt, t.Token, t.EndedAt = parley.TaskFailed, 0, 1, at(103) })},
			[]string{"100-103 worked"}},
		{"ended in the queue", trace.Work{Task: with(func(t *parley.Task) { t.State, t.StartedAt, t.EndedAt = parley.Cancelled, 0, at(103) })}, []string{"100-103 queued"}},
		{"work of somebody outside", trace.Work{Task: with(func(t *parley.Task) { t.State, t.EndedAt = parley.Completed, at(110) })},
			[]string{"100-102 queued", "102-110 worked"}},
		{"a person's", trace.Work{Task: with(func(t *parley.Task) { t.Agent, t.StartedAt, t.State = 7, 0, parley.Queued })}, []string{"100-120 asked"}},
	} {
		c.work.Person = person
		got := c.work.Lane(at(120))
		if want := strings.Join(c.want, "\n"); told(got) != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, told(got), want)
		}
		if !slices.IsSortedFunc(got, func(a, b trace.Span) int { return int(a.From - b.From) }) {
			t.Errorf("%s: not in order", c.name)
		}
	}
}
