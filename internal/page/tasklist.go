package page

import (
	"net/url"

	"parley"
	"parley/internal/reading"
)

// TaskList is the trees of the team: those at work first.
type TaskList struct {
	Open, Ended []*Row
	State       string // that is asked for; empty for all
	Agent       string
	Agents      []string
	Next        string // address of the next page
	First       bool   // this is the first page
	MoreOpen    int
}

func (TaskList) Titled() (title, here string) { return "Tasks", "/tasks" }

// States are those that one can ask for.
func (TaskList) States() []string {
	return []string{"queued", "running", "waiting", "completed", "failed", "cancelled"}
}

const (
	openListed  = 100
	endedListed = 50
)

func (v *visit) tasks() (l TaskList, err error) {
	l.State, l.Agent = v.r.FormValue("state"), v.r.FormValue("agent")
	var before parley.TaskID
	if text := v.r.FormValue("before"); text != "" {
		if before, err = parley.ParseTaskID(text); err != nil {
			return l, err
		}
	}
	l.First = before == 0
	state, known := stateNamed(l.State)
	if !known {
		l.State = ""
	}
	agents, err := v.Reading.Agents(v.ctx, v.Caller)
	if err != nil {
		return l, err
	}
	for _, a := range agents {
		l.Agents = append(l.Agents, a.Name)
	}
	// Who looks for something looks for it wherever it is, and not only for whole trees.
	f := reading.TaskFilter{Agent: l.Agent, Roots: l.State == "" && l.Agent == "", State: state}
	if l.First && (state == 0 || state.Open()) {
		f.Open, f.Limit = true, openListed+1
		if l.Open, err = v.listed(f); err != nil {
			return l, err
		}
		if len(l.Open) > openListed {
			l.MoreOpen, l.Open = 1, l.Open[:openListed]
		}
	}
	if state != 0 && state.Open() {
		return l, nil
	}
	f.Open, f.Ended, f.Before, f.Limit = false, true, before, endedListed+1
	if l.Ended, err = v.listed(f); err != nil {
		return l, err
	}
	if len(l.Ended) > endedListed {
		l.Ended = l.Ended[:endedListed]
		q := url.Values{"before": {l.Ended[endedListed-1].ID.String()}}
		for name, value := range map[string]string{"state": l.State, "agent": l.Agent} {
			if value != "" {
				q.Set(name, value)
			}
		}
		l.Next = "/tasks?" + q.Encode()
	}
	return l, nil
}

func stateNamed(name string) (parley.State, bool) {
	for s := parley.Queued; s <= parley.Cancelled; s++ {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

// listed reads the roots of trees, each with what the whole tree has spent.
func (v *visit) listed(f reading.TaskFilter) (rows []*Row, err error) {
	list, err := v.Reading.Tasks(v.ctx, v.Caller, f)
	if err != nil {
		return nil, err
	}
	doing, err := v.Reading.Doing(v.ctx, v.Caller, list)
	if err != nil {
		return nil, err
	}
	asks, err := v.asksOf(list)
	if err != nil {
		return nil, err
	}
	costs, err := v.Reading.TreeCosts(v.ctx, v.Caller, list)
	for _, t := range list {
		r := v.row(t, doing[t.ID].Line, asks[t.ID])
		r.Root, r.Cost = true, costs[t.ID]
		rows = append(rows, r)
	}
	return rows, err
}
