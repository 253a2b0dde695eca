package client

import (
	"parley/internal/hubfile"
)

// Discover finds the hub that runs on a data folder by the files that the hub
// wrote there. In the data folder of a team that was added to a hub it finds that hub,
// and acts in that team.
func Discover(dataDir string) (*Client, error) {
	hub, err := hubfile.Find(dataDir)
	if err != nil {
		return nil, err
	}
	return New(hub.URL, hub.Token), nil
}

// DiscoverTeam is like Discover, and acts in another team of the hub.
func DiscoverTeam(dataDir, team string) (*Client, error) {
	hub, err := hubfile.FindTeam(dataDir, team)
	if err != nil {
		return nil, err
	}
	return New(hub.URL, hub.Token), nil
}
