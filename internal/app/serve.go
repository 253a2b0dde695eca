package app

import (
	"context"
	"log/slog"

	"parley/internal/config"
)

// ServeConfig is what a hub with its doors is started with.
type ServeConfig struct {
	// Team is the team's folder, and Problems what was wrong in its files.
	Team     *config.Team
	Problems []config.Problem
	// Listen and Data replace those of the team's files if they are set. A
	// database that lies in the data folder by default goes with it.
	Listen, Data string
	// Person is whom the command line acts as: by default the one that the
	// team's files name, else the user who started the hub.
	Person string
	// Version is the program's; by default the one it was built from.
	Version string
	Log     *slog.Logger
	// Ready is called once, when the doors are open. It may be nil.
	Ready func(Serving)
}

// Serving describes a hub that is up.
type Serving struct {
	URL    string // of the HTTP API
	Team   string
	Person string // whom the command line acts as
	Data   string // the data folder, for client.Discover
	Store  string // the database, without secrets
	// Problems are those of the files, and the agents that could not be started.
	Problems []config.Problem
}

// Serve runs a hub on a data folder until the context is done, and stops it in
// order. A second hub on the same folder is refused with the address of the
// first.
func Serve(ctx context.Context, cfg ServeConfig) error {
	return nil
}
