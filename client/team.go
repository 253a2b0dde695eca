package client

import (
	"context"
	"net/http"

	"parley/api"
)

// Teams lists the teams of the hub, for people: all of them for those of the hub's own
// team, theirs for others.
func (c *Client) Teams(ctx context.Context) ([]api.HubTeam, error) {
	var list api.TeamList
	err := c.get(ctx, "/v1/teams", nil, &list)
	return list.Teams, err
}

// RereadTeams makes the hub read its list of teams now.
func (c *Client) RereadTeams(ctx context.Context) ([]api.HubTeam, error) {
	var list api.TeamList
	err := c.send(ctx, http.MethodPost, "/v1/teams/reread", nil, &list)
	return list.Teams, err
}
