package httpapi

import (
	"context"
	"net/http"
	"os"
	"time"

	"parley/internal/api"
	"parley/internal/store"
)

func (s *Server) registerHub() {
	handle(s, operation{id: "get-hub", method: http.MethodGet, path: "/v1/hub", tag: "Hub",
		summary:     "Describe the hub",
		description: "The running server, and whom the token belongs to."}, s.getHub)
}

func (s *Server) getHub(ctx context.Context, _ *struct{}) (api.Hub, error) {
	c := caller(ctx)
	team, err := s.cfg.Reading.Team(ctx, c)
	if err != nil {
		return api.Hub{}, err
	}
	behind, err := clockBehind(ctx, s.cfg.Store)
	return api.Hub{
		Version: s.cfg.Version, Team: team.Name, You: s.cfg.Reading.Name(ctx, c.Agent), Store: s.cfg.Store.Describe(),
		Started: s.cfg.Started.UTC(), Process: os.Getpid(), ClockBehind: behind.Seconds(),
	}, err
}

// clockBehind is how far the machine's clock is behind the time of records.
func clockBehind(ctx context.Context, st store.Store) (behind time.Duration, err error) {
	err = st.View(ctx, func(tx *store.Tx) error {
		behind = max(0, time.Until(tx.Now.Time()))
		return nil
	})
	if behind < time.Second {
		behind = 0 // a hub on another machine, or this very moment
	}
	return behind, err
}
