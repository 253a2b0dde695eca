package httpapi

import (
	"context"
	"net/http"
	"time"

	"parley"
	"parley/api"
	"parley/internal/contact"
	"parley/internal/reading"
)

func (s *Server) registerCost() {
	handle(s, operation{id: "get-cost", method: http.MethodGet, path: "/v1/cost", tag: "Team",
		summary: "Read what the team has spent", description: "Adds up what models have cost, from the steps of all tasks and from what was kept of those that retention removed. " +
			"A task counts with everything below it. An agent reads what its own turns have spent, by its own tasks."}, s.getCost)
	handle(s, operation{id: "estimate-step", method: http.MethodGet, path: "/v1/agents/{name}/estimate", tag: "Agents",
		summary: "Estimate what an agent's first step costs", description: "What the first step of a tree may cost that begins with a message to this agent, before it is sent. Nothing is stored and no model is asked. " +
			"People may look at anyone in their team, an agent only at itself.",
		errors: []parley.Kind{parley.NotFound}}, s.estimateStep)
}

// CostParams are the parameters of get-cost.
type CostParams struct {
	By    string    `query:"by" enum:"agent,model,task,day" default:"agent" doc:"What to add up by."`
	Since time.Time `query:"since" doc:"Only what was spent from then on."`
	Zone  string    `query:"zone" maxLength:"64" default:"UTC" example:"Europe/Berlin" doc:"By day: the time zone in which days begin, a name or an offset such as +01:00."`
	Limit int       `query:"limit" minimum:"1" maximum:"1000" default:"50" doc:"How many headings at most."`
}

func (s *Server) getCost(ctx context.Context, in *CostParams) (api.Cost, error) {
	by, err := parley.ParseCostBy(in.By)
	if err != nil {
		return api.Cost{}, err
	}
	zone, err := parley.ParseZone(in.Zone)
	if err != nil {
		return api.Cost{}, err
	}
	found, err := s.cfg.Reading.Cost(ctx, caller(ctx), reading.CostQuery{By: by, Since: in.Since, Zone: zone, Limit: in.Limit})
	if err != nil {
		return api.Cost{}, err
	}
	out := api.Cost{By: string(by), Total: costLine(found.Total), Lines: []api.CostLine{}, LeftOut: found.LeftOut}
	if !in.Since.IsZero() {
		out.Since = &in.Since
	}
	if by == parley.CostByDay {
		out.Zone = zone.String()
	}
	for _, line := range found.Lines {
		shown := costLine(line.Cost)
		shown.Title = line.Title
		switch by {
		case parley.CostByAgent:
			shown.Key = line.Name
		case parley.CostByModel:
			shown.Key = line.Model
		case parley.CostByTask:
			shown.Key = line.Task.String()
		case parley.CostByDay:
			shown.Key = line.At.Time().In(zone).Format(time.DateOnly)
		}
		out.Lines = append(out.Lines, shown)
	}
	return out, nil
}

// estimateStep answers before a contact is made.
func (s *Server) estimateStep(ctx context.Context, in *struct {
	Name string `path:"name" doc:"The agent."`
	Size int    `query:"size" minimum:"0" maximum:"8388608" doc:"How long the message and its context are, in bytes."`
}) (api.StepEstimate, error) {
	agent, first, err := s.cfg.Tools.FirstStep(caller(ctx), in.Name, in.Size)
	out := api.StepEstimate{Agent: agent}
	if first != nil {
		out.Estimate = estimated(*first)
	}
	return out, err
}

// estimate is what the first step of a new tree may cost; nil if that is not known.
func (s *Server) estimate(t parley.Task, r contact.Request) *api.Estimate {
	if s.cfg.Estimate == nil || t.Parent != 0 {
		return nil
	}
	first, ok := s.cfg.Estimate(t.Agent, r.Message+r.Context)
	if !ok {
		return nil
	}
	return estimated(first)
}

func estimated(first parley.FirstStep) *api.Estimate {
	return &api.Estimate{Model: first.Model, Input: first.Input, Output: first.Output, Money: dollars(first.Money)}
}

func costLine(c parley.Cost) api.CostLine {
	return api.CostLine{Calls: c.Calls, Input: c.Spent.Input, Cached: c.Cached, Output: c.Spent.Output, Money: dollars(c.Spent.Money),
		Active: c.Spent.Active.Seconds(), Estimated: c.Estimated}
}
