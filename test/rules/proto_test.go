package rules

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/store/sqlite"
)

type blocking struct{ ch chan string }

func (b blocking) Step(ctx context.Context, req model.Request, _ func(model.Delta)) (model.Reply, error) {
	select {
	case s := <-b.ch:
		return model.Reply{Text: s}, nil
	case <-ctx.Done():
		return model.Reply{}, ctx.Err()
	}
}

func TestProto(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		start := time.Now()
		last := start
		lap := func(s string) {}
		_ = last
		synctest.Test(t, func(t *testing.T) {
			b := time.Now()
			fmt.Println("bubble", b)
			st, err := sqlite.Open(filepath.Join(dir, fmt.Sprint(i)), sqlite.Options{Synchronous: "OFF", Readers: 1})
			if err != nil {
				t.Fatal(err)
			}
			lap("open")
			m := blocking{make(chan string)}
			h := app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler), Poll: time.Hour, Grace: time.Second})
			ctx, cancel := context.WithCancel(t.Context())
			l := parley.DefaultLimits()
			team, err := h.Join(ctx, app.Roster{Team: "main", Members: []app.Member{{Name: "P", Kind: parley.Person, Limits: l}, {Name: "A", Kind: parley.Native, Model: m, Limits: l}}})
			if err != nil {
				t.Fatal(err)
			}
			if err := h.Start(ctx); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- h.Run(ctx) }()
			p, _ := h.Directory.Find(team.ID, "P")
			for j := range 1 {
				c, err := h.Contacts.Delegate(ctx, contact.Caller{Team: team.ID, Agent: p.ID}, contact.Request{Target: "A", Message: fmt.Sprint("hello", j)})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				m.ch <- "ok"
				synctest.Wait()
				_ = c
			}
			cancel()
			fmt.Println(<-done, time.Since(b))
			st.Close()
		})
		fmt.Println("check", time.Since(start))
	}
}
