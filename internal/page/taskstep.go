package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"unicode/utf8"

	"parley"
	"parley/internal/reading"
	"parley/internal/step"
)

// Steps is a page of what the turns of a task did, the oldest first.
type Steps struct {
	List    []Step
	Earlier string // address of the page before; empty if this is the first
	Later   string
	From    string // where the page begins, so that it stays there while it grows
	Removed string
	Turns   int
}

// Step is one step as the page shows it. A call and what came of it are one.
type Step struct {
	step.Shown
	Key    string // of its element
	Icon   string
	State  bool // Icon is a state's shape
	Name   string
	Brief  string
	Args   string
	Result string
	Cut    int    // characters that are left out
	Rest   string // where they are
	Done   bool
}

const (
	// stepsShown is how many steps a page has at first, stepsMost how many it grows to
	// while one looks at it.
	stepsShown = 60
	stepsMost  = 300
	// longestResult is how much of a result the page shows.
	longestResult = 8000
)

// rowOf reads the number of a row from the address.
func (v *visit) rowOf(name string, none int) int {
	if n, err := strconv.Atoi(v.r.FormValue(name)); err == nil && n >= 0 {
		return n
	}
	return none
}

func (v *visit) fillSteps(t *TaskView, _, _ []parley.Task) error {
	if !v.wants("task-steps") {
		return nil
	}
	path := "/tasks/" + t.ID.String()
	from, before := v.r.FormValue("from"), v.r.FormValue("before")
	var p reading.StepPage
	var err error
	if from != "" {
		p, err = v.Reading.TaskSteps(v.ctx, v.Caller, t.ID, reading.StepQuery{Cursor: from, Limit: stepsMost})
		if p.Next != "" {
			t.Steps.Later = path + "?from=" + url.QueryEscape(p.Next) + "#task-steps"
		}
		if from != "0.0" {
			t.Steps.Earlier = path + "?from=0.0#task-steps"
		}
	} else {
		p, err = v.Reading.Steps(v.ctx, v.Caller, reading.StepQuery{Task: t.ID, Cursor: before, Limit: stepsShown})
		if p.Before != "" {
			t.Steps.Earlier = path + "?before=" + url.QueryEscape(p.Before) + "#task-steps"
		}
	}
	if err != nil {
		return err
	}
	if n := len(p.Steps); n > 0 && from == "" && before != "" {
		t.Steps.Later = fmt.Sprintf("%s?from=%d.%d#task-steps", path, p.Steps[n-1].Turn, p.Steps[n-1].N)
	}
	t.Steps.List, t.Steps.Removed, t.Steps.Turns = mergeSteps(p.Steps), p.Removed, t.Turns
	t.Steps.From = "0.0"
	if len(p.Steps) > 0 && t.Steps.Earlier != "" {
		t.Steps.From = fmt.Sprintf("%d.%d", p.Steps[0].Turn, p.Steps[0].N-1)
	}
	return nil
}

// mergeSteps puts what came of a call where the call is.
func mergeSteps(list []reading.Step) (out []Step) {
	pending := map[string][]int{}
	for _, s := range list {
		key := fmt.Sprintf("%d %s %s", s.Turn, s.Tool, s.Args)
		if s.Kind == step.KindResult {
			if at := pending[key]; len(at) > 0 {
				pending[key] = at[1:]
				out[at[0]].take(s.Shown)
				out[at[0]].rest(s.Shown)
				continue
			}
		}
		if s.Kind == step.KindCall {
			pending[key] = append(pending[key], len(out))
		}
		one := stepOf(s.Shown)
		one.rest(s.Shown)
		out = append(out, one)
	}
	return out
}

// rest says where what was left out can be read: with what came of a call, which names
// its arguments too.
func (s *Step) rest(of step.Shown) {
	if s.Cut > 0 {
		s.Rest = stepAddress(of)
	}
}

func stepOf(s step.Shown) Step {
	out := Step{Shown: s, Key: "step-" + s.ID(), Brief: s.Line}
	out.Args, out.Cut = clipped(indent(s.Args))
	switch s.Kind {
	case step.KindBegin:
		out.Icon, out.Name, out.Brief = "to", "Turn "+strconv.Itoa(s.Turn), s.Line
	case step.KindReply:
		out.Icon, out.Name = "say", "Model"
		if s.Text != "" && !s.Failed {
			out.Brief = s.Text
		}
	case step.KindCall:
		out.Icon, out.Name = "tool", s.Tool
	case step.KindResult:
		out.Icon, out.Name = "tool", s.Tool
		out.take(s)
	case step.KindTold:
		out.Icon, out.Name = "from", "Told"
	case step.KindWait:
		out.Icon, out.State, out.Name = "wait", true, "Waits"
	case step.KindEnd:
		out.Icon, out.State, out.Name, out.Brief = "done", true, "Turn "+strconv.Itoa(s.Turn)+" ends", ""
	}
	if s.Failed {
		out.Icon, out.State = "fail", true
	}
	if s.Kind != step.KindCall && s.Kind != step.KindResult {
		var cut int
		out.Text, cut = clipped(s.Text)
		out.Cut += cut
	}
	return out
}

// take adds what came of a call.
func (s *Step) take(r step.Shown) {
	s.Done, s.Took, s.Failed, s.Exit, s.Files, s.Brief = true, r.Took, r.Failed, r.Exit, r.Files, r.Line
	var cut int
	s.Result, cut = clipped(r.Text)
	s.Cut += cut
	if r.Failed {
		s.Icon, s.State = "fail", true
	}
}

func clipped(text string) (string, int) {
	n := utf8.RuneCountInString(text)
	if n <= longestResult {
		return text, 0
	}
	return string([]rune(text)[:longestResult]), n - longestResult
}

// indent writes arguments as one reads them.
func indent(args json.RawMessage) string {
	if len(args) == 0 {
		return ""
	}
	var b bytes.Buffer
	if json.Indent(&b, args, "", "  ") != nil {
		return string(args)
	}
	return b.String()
}
