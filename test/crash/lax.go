package crash

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/httpapi"
	"parley/internal/model/scripted"
	"parley/internal/store/sqlite"
	"parley/internal/token"
)

// laxEnv makes this program a hub whose database syncs as the variable says.
// The product has no such switch.
const laxEnv = "PARLEY_CRASH_SYNCHRONOUS"

// laxUp is what such a hub says when it is up.
type laxUp struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// serveLaxly runs a hub in the current folder until the process is killed. It is
// assembled as the product does it, except for the one setting.
func serveLaxly(synchronous string) error {
	ctx := context.Background()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	st, err := sqlite.Open(filepath.Join(".", "parley.db"), sqlite.Options{Synchronous: synchronous})
	if err != nil {
		return err
	}
	hub := app.NewHub(app.HubConfig{Store: st, Log: log, Name: "lax"})
	if err := hub.Start(ctx); err != nil {
		return err
	}
	model, err := scripted.Parse("script.yaml", []byte(script))
	if err != nil {
		return err
	}
	joined, err := hub.Join(ctx, app.Roster{Team: parley.MainTeam, Members: []app.Member{
		{Name: person, Kind: parley.Person, Limits: parley.DefaultLimits()},
		{Name: "Ann", Kind: parley.Native, Model: model, Limits: parley.DefaultLimits()},
	}})
	if err != nil {
		return err
	}
	pat, err := hub.Directory.Find(joined.ID, person)
	if err != nil {
		return err
	}
	secret, err := token.Issue(ctx, st, pat.ID)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	door := httpapi.New(httpapi.Config{Store: st, Contacts: hub.Contacts,
		Reading: hub.Reading, Desk: hub.Desk, Channels: hub.Channels, Log: log, Version: "lax", Started: time.Now(),
		Host: "127.0.0.1", MessageBytes: parley.DefaultLimits().MessageBytes})
	go func() { _ = hub.Run(ctx) }() // it is killed, never stopped
	if err := json.NewEncoder(os.Stdout).Encode(laxUp{URL: "http://" + listener.Addr().String(), Token: secret}); err != nil {
		return err
	}
	return door.Run(ctx, listener)
}
