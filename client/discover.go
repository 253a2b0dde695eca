package client

import (
	"parley/internal/hubfile"
)

// Discover finds the hub that runs on a data folder by the files that the hub
// wrote there.
func Discover(dataDir string) (*Client, error) {
	hub, err := hubfile.Find(dataDir)
	if err != nil {
		return nil, err
	}
	return New(hub.URL, hub.Token), nil
}
