package client

import (
	"strings"

	"parley/internal/hubfile"
)

// Discover finds the hub that runs on a data folder by the files that the hub
// wrote there. In the data folder of a team that was added to a hub it finds that hub,
// and acts in that team.
func Discover(dataDir string) (*Client, error) {
	return discovered(func() (hubfile.Hub, error) { return hubfile.Find(dataDir) })
}

// DiscoverTeam is like Discover, and acts in another team of the hub.
func DiscoverTeam(dataDir, team string) (*Client, error) {
	return discovered(func() (hubfile.Hub, error) { return hubfile.FindTeam(dataDir, team) })
}

func discovered(find func() (hubfile.Hub, error)) (*Client, error) {
	hub, err := find()
	if err != nil {
		return nil, err
	}
	c := New(hub.URL, hub.Token)
	c.find = find
	return c, nil
}

// again is the client of the hub that runs now, as far as that can be found.
func (c *Client) again() *Client {
	if c.find == nil {
		return c
	}
	hub, err := c.find()
	if err != nil {
		return c // perhaps it is just being started
	}
	moved := *c
	moved.base, moved.token = strings.TrimRight(hub.URL, "/"), hub.Token
	return &moved
}
