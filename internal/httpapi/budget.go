package httpapi

import (
	"context"
	"math"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/api"
	"parley/internal/access"
	"parley/internal/reading"
)

func (s *Server) registerBudgets() {
	missing := []parley.Kind{parley.NotFound}
	handle(s, operation{id: "get-task-budget", method: http.MethodGet, path: "/v1/tasks/{id}/budget", tag: "Tasks",
		summary: "Read what a task tree has spent", description: "What the whole tree of a task has spent, and what it may spend.", errors: missing}, s.getBudget)
	handle(s, operation{id: "raise-task-budget", method: http.MethodPost, path: "/v1/tasks/{id}/budget", tag: "Tasks",
		summary: "Raise or set a budget", description: "Adds to what the tree of a task may spend, or sets it, also for a running tree that has no budget. What waited for it goes on. Only a person may do this.", errors: missing}, s.raiseBudget)
	const tag = "Team"
	handle(s, operation{id: "get-team-budget", method: http.MethodGet, path: "/v1/team/budget", tag: tag,
		summary: "Read what the team has spent today", description: "With a daily cap, what is counted against it; else what the steps of the day say. The day begins at midnight UTC."}, s.getToday)
	handle(s, operation{id: "raise-team-budget", method: http.MethodPost, path: "/v1/team/budget", tag: tag,
		summary: "Raise the team's budget for today", description: "Adds to what the team may spend today. What was put off until tomorrow goes on. Only a person may do this."}, s.raiseToday)
	handle(s, operation{id: "pause-team", method: http.MethodPost, path: "/v1/team/pause", tag: tag,
		summary: "Pause the team", description: "Stops all turns at their next step. Contacts are still accepted and queued. Only a person may do this."}, s.pause)
	handle(s, operation{id: "resume-team", method: http.MethodPost, path: "/v1/team/resume", tag: tag,
		summary: "Resume the team", description: "Lets the turns of a paused team go on. Only a person may do this."}, s.resume)
}

func (s *Server) getBudget(ctx context.Context, in *TaskPath) (api.Spending, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.Spending{}, err
	}
	spent, err := s.cfg.Reading.Spent(ctx, caller(ctx), id)
	return spending(spent), err
}

func (s *Server) raiseBudget(ctx context.Context, in *struct {
	TaskPath
	Body api.BudgetRequest
}) (api.Spending, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.Spending{}, err
	}
	by, change := decodeBudget(in.Body.Add), s.cfg.Contacts.RaiseBudget
	if set := decodeBudget(in.Body.Set); set.Set() {
		if by.Set() {
			return api.Spending{}, parley.Errorf(parley.Invalid, "A budget is either raised or set.").WithHint("Leave out add or set.")
		}
		by, change = set, s.cfg.Contacts.SetBudget
	}
	if err := something(by); err != nil {
		return api.Spending{}, err
	}
	if err := change(ctx, caller(ctx), id, by); err != nil {
		return api.Spending{}, err
	}
	return s.getBudget(ctx, &in.TaskPath)
}

func (s *Server) getToday(ctx context.Context, _ *struct{}) (api.Spending, error) {
	spent, err := s.cfg.Reading.SpentToday(ctx, caller(ctx))
	return spending(spent), err
}

func (s *Server) raiseToday(ctx context.Context, in *struct{ Body api.RaiseRequest }) (api.Spending, error) {
	by, err := raise(in.Body)
	if err != nil {
		return api.Spending{}, err
	}
	if err := s.cfg.Contacts.RaiseToday(ctx, caller(ctx), by); err != nil {
		return api.Spending{}, err
	}
	return s.getToday(ctx, nil)
}

func (s *Server) pause(ctx context.Context, _ *struct{}) (api.Team, error) {
	return s.setPaused(ctx, s.cfg.Contacts.Pause)
}

func (s *Server) resume(ctx context.Context, _ *struct{}) (api.Team, error) {
	return s.setPaused(ctx, s.cfg.Contacts.Resume)
}

func (s *Server) setPaused(ctx context.Context, do func(context.Context, access.Caller) error) (api.Team, error) {
	if err := do(ctx, caller(ctx)); err != nil {
		return api.Team{}, err
	}
	team, err := s.cfg.Reading.Team(ctx, caller(ctx))
	return api.Team{Name: team.Name, Paused: team.Paused}, err
}

func raise(r api.RaiseRequest) (parley.Budget, error) {
	by := decodeBudget(&r.Add)
	return by, something(by)
}

func something(by parley.Budget) error {
	if !by.Set() {
		return parley.Errorf(parley.Conflict, "There is nothing to add.").WithHint("Say how many tokens, dollars, tasks or seconds.")
	}
	return nil
}

// decodeBudget reads a budget that may be missing. Less than the smallest unit is one:
// none would be no bound at all.
func encodeBudget(b parley.Budget) *api.Budget {
	return &api.Budget{Tokens: b.Tokens, Money: dollars(b.Money), Tasks: b.Tasks, Seconds: b.Time.Seconds()}
}

func decodeBudget(b *api.Budget) parley.Budget {
	if b == nil {
		return parley.Budget{}
	}
	out := parley.Budget{Tokens: b.Tokens, Money: parley.Money(math.Round(b.Money * float64(parley.Dollar))), Tasks: b.Tasks,
		Time: time.Duration(b.Seconds * float64(time.Second)).Truncate(time.Microsecond)}
	if b.Money > 0 {
		out.Money = max(out.Money, 1)
	}
	if b.Seconds > 0 {
		out.Time = max(out.Time, time.Microsecond)
	}
	return out
}

func spending(s reading.Spending) api.Spending {
	out := api.Spending{Input: s.Spent.Input, Output: s.Spent.Output, Money: dollars(s.Spent.Money), Tasks: s.Tasks,
		Active: s.Spent.Active.Seconds(), Usage: s.Usage(), Waiting: s.Waiting}
	if s.Root != 0 {
		out.Root = s.Root.String()
	}
	if s.Limit.Set() {
		out.Budget = encodeBudget(s.Limit)
	}
	return out
}

func dollars(m parley.Money) float64 { return float64(m) / float64(parley.Dollar) }

// waitsFor names the budget, the tasks or the decision that a task waits for.
func waitsFor(t parley.Task) string {
	switch {
	case t.Waits == parley.WaitTree:
		return "budget"
	case t.Waits == parley.WaitDay:
		return "day"
	case t.Waits == parley.WaitDependency:
		return "dependency"
	case t.Waits == parley.WaitProvider:
		return "provider"
	case t.Approvals > 0 && t.State.Open():
		return "approval"
	}
	return ""
}

// waitText says in words what a task waits for besides its subtasks.
func (s *Server) waitText(t parley.Task) string {
	if !t.Blocked() {
		return ""
	}
	return t.WaitText(s.cfg.Clock.Now())
}

// explainWait adds to WaitsFor how much is spent, or which approvals or tasks it
// is about.
func (s *Server) explainWait(ctx context.Context, t *api.Task, task parley.Task) error {
	switch {
	case t.WaitsFor == "":
		return nil
	case task.Waits == parley.WaitNone:
		return s.explainApproval(ctx, t, task)
	case task.Waits == parley.WaitDependency:
		return s.explainDependency(ctx, t, task)
	case task.Waits == parley.WaitProvider:
		t.WaitsFor += ": " + task.Provider
		return nil
	}
	read := func() (reading.Spending, error) { return s.cfg.Reading.Spent(ctx, caller(ctx), task.ID) }
	if task.Waits == parley.WaitDay {
		read = func() (reading.Spending, error) { return s.cfg.Reading.SpentToday(ctx, caller(ctx)) }
	}
	spent, err := read()
	t.WaitsFor += ": " + spent.Usage()
	return err
}

func (s *Server) explainApproval(ctx context.Context, t *api.Task, task parley.Task) error {
	list, err := s.cfg.Reading.TaskApprovals(ctx, caller(ctx), task.ID)
	var ids []string
	for _, a := range list {
		ids = append(ids, a.ID.String())
	}
	if len(ids) > 0 {
		t.WaitsFor += ": " + strings.Join(ids, ", ")
	}
	return err
}

func (s *Server) explainDependency(ctx context.Context, t *api.Task, task parley.Task) error {
	list, err := s.cfg.Reading.Dependencies(ctx, caller(ctx), task.ID)
	var ids []string
	for _, on := range list {
		if on.State.Open() {
			ids = append(ids, on.ID.String())
		}
	}
	t.WaitsFor += ": " + strings.Join(ids, ", ")
	return err
}
