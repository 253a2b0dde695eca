package httpapi

import (
	"context"
	"net/http"

	"parley"
	"parley/api"
)

func (s *Server) registerAgents() {
	const tag = "Agents"
	handle(s, operation{id: "list-agents", method: http.MethodGet, path: "/v1/agents", tag: tag,
		summary: "List the team", description: "All participants by name, including you, with their status."}, s.listAgents)
	handle(s, operation{id: "set-status", method: http.MethodPut, path: "/v1/agents/{name}/status", tag: tag,
		summary: "Change an agent's status",
		description: "sleep: delegations wait until the given time, and an ask wakes the agent. wake: ends a sleep. " +
			"offline: nobody can contact it, and whoever waits for its answer is told. online: it can be contacted again.",
		errors: []parley.Kind{parley.NotFound, parley.Conflict}}, s.setStatus)
	handle(s, operation{id: "begin-fresh", method: http.MethodPost, path: "/v1/agents/{name}/fresh", tag: tag,
		summary: "Begin a new main thread with an agent",
		description: "Whatever is said from now on begins without what was said before. The old thread stays readable, and work that is under way keeps it. " +
			"People may do it for any pair, others for their own conversations.",
		errors: []parley.Kind{parley.NotFound}}, s.beginFresh)
}

func (s *Server) listAgents(ctx context.Context, _ *struct{}) (api.AgentList, error) {
	team, err := s.cfg.Reading.Team(ctx, caller(ctx))
	if err != nil {
		return api.AgentList{}, err
	}
	list, err := s.cfg.Reading.Agents(ctx, caller(ctx))
	if err != nil {
		return api.AgentList{}, err
	}
	unread, err := s.cfg.Reading.Unread(ctx, caller(ctx))
	out := api.AgentList{Agents: make([]api.Agent, 0, len(list)), Paused: team.Paused}
	for _, a := range list {
		shown := agent(a)
		shown.Unread, shown.UnreadSince = unread[a.ID].Count, moment(unread[a.ID].Since)
		out.Agents = append(out.Agents, shown)
	}
	return out, err
}

func (s *Server) setStatus(ctx context.Context, in *struct {
	Name string `path:"name" doc:"The agent."`
	Body api.StatusRequest
}) (api.Agent, error) {
	if err := s.status(ctx, in.Name, in.Body); err != nil {
		return api.Agent{}, err
	}
	a, err := s.cfg.Reading.Agent(ctx, caller(ctx), in.Name)
	return agent(a), err
}

func (s *Server) status(ctx context.Context, name string, r api.StatusRequest) error {
	c, contacts := caller(ctx), s.cfg.Contacts
	switch r.Status {
	case "sleep":
		if r.Until == nil {
			return parley.Errorf(parley.Conflict, "A sleep needs an end.").WithHint("Give until as a time like 2030-01-31T08:00:00Z.")
		}
		return contacts.Sleep(ctx, c, name, *r.Until)
	case "wake":
		return contacts.Wake(ctx, c, name)
	case "offline":
		return contacts.Offline(ctx, c, name)
	default:
		return contacts.Online(ctx, c, name)
	}
}

func (s *Server) beginFresh(ctx context.Context, in *struct {
	Name string `path:"name" doc:"The agent."`
	Body api.FreshRequest
}) (api.Fresh, error) {
	now, before, err := s.cfg.Contacts.Fresh(ctx, caller(ctx), in.Name, in.Body.With)
	if err != nil {
		return api.Fresh{}, err
	}
	return api.Fresh{Thread: now.String(), Before: before.String()}, nil
}
