package page

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/reading"
	"parley/internal/step"
)

// WholeStep is one step with all that the page of its task leaves out.
type WholeStep struct {
	step.Shown
	Task parley.TaskID
	Who  Who
	Name string
	Args string
}

func (s WholeStep) Titled() (title, here string) { return s.Name + " in " + s.Task.String(), "/tasks" }

// stepAddress is the page of a step.
func stepAddress(s step.Shown) string {
	return "/tasks/" + s.Task.String() + "/steps/" + pathEscape(s.ID())
}

func (v *visit) wholeStep() (out WholeStep, err error) {
	if out.Task, err = parley.ParseTaskID(v.r.PathValue("id")); err != nil {
		return out, err
	}
	id := v.r.PathValue("step")
	gone := parley.Errorf(parley.NotFound, "There is no such step, or it is not stored any more.").WithHint("The task's page lists those that are.")
	var turn, n int
	if _, err := fmt.Sscanf(strings.TrimPrefix(id, out.Task.String()+"."), "%d.%d", &turn, &n); err != nil || n < 1 {
		return out, gone
	}
	p, err := v.Reading.TaskSteps(v.ctx, v.Caller, out.Task, reading.StepQuery{Cursor: fmt.Sprintf("%d.%d", turn, n-1), Limit: 1})
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(p.Steps, func(s reading.Step) bool { return s.ID() == id })
	if i < 0 {
		return out, gone
	}
	out.Shown, out.Who, out.Name = p.Steps[i].Shown, v.whois(p.Steps[i].Agent), stepOf(p.Steps[i].Shown).Name
	out.Args = indent(out.Shown.Args)
	return out, nil
}
