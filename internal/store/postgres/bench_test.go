package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
)

// BenchmarkThreeInserts compares 64 callers who store three rows in a
// transaction each: through the store, and by hand through pgx, as one
// statement and as a batch of three. The server's log reaches the disk.
func BenchmarkThreeInserts(b *testing.B) {
	server, err := pgtest.Start("", pgtest.Options{Durable: true})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Stop()
	dsn, err := server.NewDatabase()
	if err != nil {
		b.Fatal(err)
	}
	s, err := Open(b.Context(), dsn, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var id atomic.Int64
	ctx := context.Background()

	b.Run("store", func(b *testing.B) {
		callers(b, 64, func() error {
			return s.Update(ctx, func(tx *store.Tx) error {
				for range 3 {
					tx.InsertAttachment(parley.MessageID(id.Add(1)), "some text that is stored")
				}
				return nil
			})
		})
	})
	b.Run("store with signals", func(b *testing.B) {
		callers(b, 64, func() error {
			return s.Update(ctx, func(tx *store.Tx) error {
				for range 3 {
					tx.InsertAttachment(parley.MessageID(id.Add(1)), "some text that is stored")
				}
				tx.Signal(6, 1)
				tx.Signal(2, id.Load())
				return nil
			})
		})
	})
	b.Run("statement", func(b *testing.B) {
		callers(b, 64, func() error {
			_, err := s.pool.Exec(ctx, `INSERT INTO attachment VALUES ($1, $4), ($2, $4), ($3, $4)`,
				id.Add(1), id.Add(1), id.Add(1), "some text that is stored")
			return err
		})
	})
	b.Run("cte", func(b *testing.B) {
		callers(b, 64, func() error {
			_, err := s.pool.Exec(ctx, `WITH a AS (INSERT INTO attachment VALUES ($1, $4)), b AS (INSERT INTO attachment VALUES ($2, $4)) INSERT INTO attachment VALUES ($3, $4)`,
				id.Add(1), id.Add(1), id.Add(1), "some text that is stored")
			return err
		})
	})
	b.Run("batch", func(b *testing.B) {
		callers(b, 64, func() error { return threeInserts(ctx, s.pool, &id) })
	})
}

func threeInserts(ctx context.Context, pool *pgxpool.Pool, id *atomic.Int64) error {
	batch := &pgx.Batch{}
	for range 3 {
		batch.Queue(`INSERT INTO attachment (message_id, body) VALUES ($1, $2)`, id.Add(1), "some text that is stored")
	}
	return pool.SendBatch(ctx, batch).Close()
}

// callers runs fn b.N times from n goroutines.
func callers(b *testing.B, n int, fn func() error) {
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	start := time.Now()
	for range n {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := fn(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "tx/s")
}
