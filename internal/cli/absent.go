package cli

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/api"
	"parley/client"
)

// notConnected says so of a client agent that is not there: nothing happens before
// somebody starts its client. It is empty for all others.
func (c *console) notConnected(ctx context.Context, hub *client.Client, name string) string {
	agents, err := hub.Agents(ctx)
	i := slices.IndexFunc(agents, func(a api.Agent) bool { return strings.EqualFold(a.Name, name) })
	if err != nil || i < 0 || agents[i].Kind != string(parley.Client) || agents[i].Reason != parley.NotConnected {
		return ""
	}
	return agents[i].Name + " is not connected. It gets this when its client runs: start that, and tell it to be a member of its team."
}

// adviseAbsent tells whoever waits for an agent that it is not connected.
func (c *console) adviseAbsent(ctx context.Context, hub *client.Client, name string) {
	if c.json {
		return
	}
	if text := c.notConnected(ctx, hub, name); text != "" {
		c.say("%s", text)
	}
}
