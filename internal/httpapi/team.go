package httpapi

import (
	"context"
	"net/http"

	"parley"
	"parley/api"
	"parley/internal/hosting"
)

func (s *Server) registerTeams() {
	handle(s, operation{id: "list-teams", method: http.MethodGet, path: "/v1/teams", tag: "Hub",
		summary:     "List the hub's teams",
		description: "People of the hub's own team see all teams that the hub serves; people of another team see only theirs. Only people may do this.",
	}, s.listTeams)
	handle(s, operation{id: "reread-teams", method: http.MethodPost, path: "/v1/teams/reread", tag: "Hub",
		summary: "Read the list of teams again",
		description: "Makes the hub read the list of teams in its data folder now, instead of at its next look. " +
			"Only the owner of that folder can change the list. Only people of the hub's own team may do this.",
	}, s.rereadTeams)
}

func (s *Server) listTeams(ctx context.Context, _ *struct{}) (api.TeamList, error) {
	if s.cfg.Teams == nil {
		return api.TeamList{}, errNoTeams()
	}
	teams, err := s.cfg.Teams.List(ctx, caller(ctx))
	return teamList(teams), err
}

func (s *Server) rereadTeams(ctx context.Context, _ *struct{}) (api.TeamList, error) {
	if s.cfg.Teams == nil {
		return api.TeamList{}, errNoTeams()
	}
	teams, err := s.cfg.Teams.Reread(ctx, caller(ctx))
	return teamList(teams), err
}

func errNoTeams() error { return parley.Errorf(parley.Conflict, "This hub has no list of teams.") }

func teamList(teams []hosting.Team) api.TeamList {
	list := api.TeamList{Teams: []api.HubTeam{}}
	for _, t := range teams {
		list.Teams = append(list.Teams, api.HubTeam{Name: t.Name, Folder: t.Folder, Own: t.Own, Served: t.Served(), Person: t.Person,
			Agents: orNone(t.Agents), Paused: t.Paused, Problems: orNone(t.Problems), Warnings: orNone(t.Warnings)})
	}
	return list
}
