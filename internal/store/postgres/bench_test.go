package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
	"parley/internal/wake"
)

const benchCallers = 64

// durable opens a store on a server whose log reaches the disk, with all connections
// open.
func durable(b *testing.B) *Store {
	b.Helper()
	server, err := pgtest.Start("", pgtest.Options{Durable: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Stop() })
	dsn, err := server.NewDatabase()
	if err != nil {
		b.Fatal(err)
	}
	s := open(b, dsn, Options{MaxConns: benchCallers})
	calls(b, 20*benchCallers, func(int) error { return s.Update(context.Background(), token("warm")) })
	return s
}

// BenchmarkThreeInserts compares ways to store three rows in a transaction: through
// the store, and by hand through pgx, as one statement and as a batch of three.
func BenchmarkThreeInserts(b *testing.B) {
	ctx := context.Background()
	s := durable(b)
	var id atomic.Int64
	closure := func(tx *store.Tx) error {
		for range 3 {
			tx.InsertAttachment(parley.MessageID(id.Add(1)), "some text that is stored")
		}
		return nil
	}
	for name, call := range map[string]func(int) error{
		"store": func(int) error { return s.Update(ctx, closure) },
		"store, with signals": func(int) error {
			return s.Update(ctx, func(tx *store.Tx) error {
				tx.Signal(wake.Events, 1)
				tx.Signal(wake.Ended, id.Load())
				return closure(tx)
			})
		},
		"statement": func(int) error {
			_, err := s.pool.Exec(ctx, `INSERT INTO attachment (message_id, body) VALUES ($1, $4), ($2, $4), ($3, $4)`,
				id.Add(1), id.Add(1), id.Add(1), "some text that is stored")
			return err
		},
		"batch": func(int) error {
			batch := &pgx.Batch{}
			for range 3 {
				batch.Queue(`INSERT INTO attachment (message_id, body) VALUES ($1, $2)`, id.Add(1), "some text that is stored")
			}
			return s.pool.SendBatch(ctx, batch).Close()
		},
	} {
		b.Run(name, func(b *testing.B) { calls(b, b.N, call) })
	}
}

// BenchmarkNotify stores what a notification stores: reads with locks in one
// round trip, writes with the commit in another.
func BenchmarkNotify(b *testing.B) {
	s := durable(b)
	const pairs = 4 * benchCallers
	agents := make([]parley.Agent, 2*pairs)
	if err := s.Update(b.Context(), func(tx *store.Tx) error {
		for i := range agents {
			agents[i] = parley.Agent{Team: 1, Name: fmt.Sprint(i), Kind: parley.Native}
			tx.InsertAgent(&agents[i])
		}
		for i := range pairs {
			if _, err := tx.EnsureDM(1, agents[2*i].ID, agents[2*i+1].ID); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	calls(b, b.N, func(n int) error {
		from, to := agents[2*(n%pairs)], agents[2*(n%pairs)+1]
		return s.Update(context.Background(), func(tx *store.Tx) error { return notify(tx, from, to) })
	})
}

func notify(tx *store.Tx, from, to parley.Agent) error {
	c, err := tx.ContactState(from.ID, to.ID, 0, "")
	if err != nil {
		return err
	}
	tx.SetRate(from.ID, parley.Rate{At: tx.Steady, Debt: c.Sender.Rate.Debt + time.Microsecond})
	m := parley.Message{Team: 1, Thread: c.DM.Main, Author: from.ID, Kind: parley.NotificationMessage, Body: "some text that is stored"}
	if err := tx.Post(&m, store.Recipient{ID: to.ID}); err != nil {
		return err
	}
	tx.Record(parley.Event{Team: 1, Kind: parley.EventMessage, Actor: from.ID, Target: to.ID, Message: m.ID})
	return nil
}

// calls runs fn n times from as many goroutines as there are connections.
func calls(b *testing.B, n int, fn func(n int) error) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range benchCallers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if err := fn(int(i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(n)/time.Since(start).Seconds(), "tx/s")
}
