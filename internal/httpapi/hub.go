package httpapi

import (
	"context"
	"net/http"
	"os"
	"strings"

	"parley/api"
	"parley/internal/access"
)

func (s *Server) registerHub() {
	handle(s, operation{id: "get-hub", method: http.MethodGet, path: "/v1/hub", tag: "Hub",
		summary:     "Describe the hub",
		description: "The running server, and who the token belongs to."}, s.getHub)
}

func (s *Server) getHub(ctx context.Context, _ *struct{}) (api.Hub, error) {
	c := caller(ctx)
	team, err := s.cfg.Reading.Team(ctx, c)
	if err != nil {
		return api.Hub{}, err
	}
	shell := ""
	if s.cfg.Shell != nil {
		shell = s.cfg.Shell(c.Team)
	}
	var targets []api.NotifyTarget
	if s.cfg.Notify != nil {
		if targets, err = s.cfg.Notify(ctx, c); err != nil {
			return api.Hub{}, err
		}
	}
	var bridges []api.Bridge
	if s.cfg.Bridges != nil {
		if bridges, err = s.cfg.Bridges(ctx, c); err != nil {
			return api.Hub{}, err
		}
	}
	return api.Hub{
		Shell: shell, Notify: targets, Bridges: bridges,
		Version: s.cfg.Version, Team: team.Name, You: s.cfg.Reading.Name(ctx, c.Agent), Store: s.database(c),
		Started: s.cfg.Started.UTC(), Process: os.Getpid(), Paused: team.Paused, ClockBehind: s.cfg.Store.Behind().Seconds(),
	}, nil
}

// database names the database. Where it is concerns the people of the hub's own team.
func (s *Server) database(c access.Caller) string {
	where := s.cfg.Store.Describe()
	if s.cfg.Teams != nil && !s.cfg.Teams.Owns(c) {
		where, _, _ = strings.Cut(where, " ")
	}
	return where
}
