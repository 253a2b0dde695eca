package schedule_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/contact"
	"parley/internal/schedule"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/timing"
)

// counting counts transactions.
type counting struct {
	store.Store
	reads, writes atomic.Int64
}

func (c *counting) View(ctx context.Context, fn func(*store.Tx) error) error {
	c.reads.Add(1)
	return c.Store.View(ctx, fn)
}

func (c *counting) Update(ctx context.Context, fn func(*store.Tx) error) error {
	c.writes.Add(1)
	return c.Store.Update(ctx, fn)
}

// reset begins to count anew, and report says how many transactions there were since.
func (c *counting) reset() { c.reads.Store(0); c.writes.Store(0) }

func (c *counting) report(b *testing.B, rounds int) {
	b.ReportMetric(float64(c.reads.Load())/float64(rounds), "reads/op")
	b.ReportMetric(float64(c.writes.Load())/float64(rounds), "writes/op")
}

func open(b *testing.B) *counting {
	b.Helper()
	st, err := sqlite.Open(filepath.Join(b.TempDir(), "parley.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	return &counting{Store: st}
}

func every(b *testing.B, d time.Duration) timing.Timing {
	b.Helper()
	t, err := timing.Every(d)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

const many = 100_000

// BenchmarkManySchedules is what a hub does with 100,000 agents, each with a schedule of its
// own and a time after which its requesters are told.
func BenchmarkManySchedules(b *testing.B) {
	files := schedule.Files{Quiet: map[parley.AgentID]time.Duration{}}
	daily := every(b, 24*time.Hour)
	for i := range many {
		id := parley.AgentID(i + 1)
		files.Agents = append(files.Agents, id)
		files.Quiet[id] = time.Hour
		files.Entries = append(files.Entries, contact.Scheduled{Team: 1, Agent: id, Entry: "daily", Timing: daily, Message: "Archive."})
	}
	sync := func(b *testing.B, s *schedule.Service, f schedule.Files) {
		b.Helper()
		if err := s.Sync(b.Context(), 1, f); err != nil {
			b.Fatal(err)
		}
	}
	st := open(b)
	b.Run("FirstStart", func(b *testing.B) {
		for b.Loop() {
			st.reset()
			sync(b, schedule.New(schedule.Config{Store: st}), files)
			b.StopTimer()
			st.report(b, 1)
			sync(b, schedule.New(schedule.Config{Store: st}), schedule.Files{Agents: files.Agents}) // all are gone
			b.StartTimer()
		}
	})
	s := schedule.New(schedule.Config{Store: st, Log: slog.New(slog.DiscardHandler)})
	sync(b, s, files)
	b.Run("Start", func(b *testing.B) {
		st.reset()
		for b.Loop() {
			sync(b, schedule.New(schedule.Config{Store: st}), files)
		}
		st.report(b, b.N)
	})
	b.Run("Reload", func(b *testing.B) {
		for b.Loop() {
			sync(b, s, files)
		}
	})
	b.Run("Waiting", func(b *testing.B) { // for a second, with a look for quiet tasks
		for b.Loop() {
			sync(b, s, files) // a look is next
			st.reset()
			ctx, stop := context.WithTimeout(b.Context(), time.Second)
			s.Run(ctx)
			stop()
			st.report(b, 1)
		}
	})
}

// BenchmarkDue is how long it takes to make the work of 1000 agents that are due at once.
func BenchmarkDue(b *testing.B) {
	for b.Loop() {
		st := open(b)
		hub := app.NewHub(app.HubConfig{Store: st, Log: slog.New(slog.DiscardHandler), Unindexed: true})
		roster := app.Roster{Team: "main", Person: "Ada", Members: []app.Member{{Name: "Ada", Kind: parley.Person, Limits: parley.DefaultLimits()}}}
		for i := range 1000 {
			roster.Members = append(roster.Members, app.Member{Name: fmt.Sprint("Bot", i), Kind: parley.Client, Limits: parley.DefaultLimits(),
				Schedule: []config.Schedule{{Name: "soon", Timing: every(b, 5*time.Second), Message: "Archive."}}})
		}
		team, err := hub.Join(b.Context(), roster)
		if err == nil {
			err = hub.Start(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
		ctx, stop := context.WithCancel(b.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); _ = hub.Run(ctx) }()
		began, n := time.Time{}, 0
		for n < 1000 {
			<-time.After(5 * time.Millisecond)
			err := st.Store.View(ctx, func(tx *store.Tx) error {
				list, _, err := tx.EventsOf(store.EventFilter{Team: team.ID, Kind: string(parley.EventScheduleMade)}, "", 1000)
				if n = len(list); n > 0 && began.IsZero() {
					began = list[0].At.Time()
					b.ReportMetric(0, "ns/op")
				}
				if n == 1000 {
					b.ReportMetric(float64(list[n-1].At.Time().Sub(began).Microseconds())/1000, "µs/due")
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		stop()
		<-ended
	}
}
