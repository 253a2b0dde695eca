package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"

	"parley/internal/app"
	"parley/internal/model/scripted"
	"parley/internal/store"
)

// looks is how often the memory of a hub is looked at while it is in use.
const looks = 10

// asks measures the memory of a hub that is in use for long: what it keeps of every
// ask must not add up.
func (b *bench) asks(ctx context.Context) error {
	if b.plan.asks == 0 || !b.wanted.has(asksName) {
		return nil
	}
	b.say("memory: a hub that answers %s asks", count(b.plan.asks))
	c, err := startChild(ctx, errand{Do: doAsks, Engine: engineSQLite, Address: filepath.Join(b.dir, "asks.db"),
		Natives: b.plan.natives, Clients: b.plan.clients, Pairs: b.plan.pairs, Tasks: b.plan.asks, Callers: b.plan.many})
	if err != nil {
		return err
	}
	var now usage
	for n := range looks {
		if err = c.hear(&now); err != nil {
			break
		}
		b.say("memory: %d MB resident after %s asks, at most %d; heap %d MB", now.RSS>>20, count(b.plan.asks/looks*(n+1)), now.Peak>>20, now.Heap>>20)
	}
	if err := errors.Join(err, c.kill()); err != nil {
		return err
	}
	return b.report.add(Line{Name: asksName, Ops: b.plan.asks / looks * looks, Callers: b.plan.many, Heap: now.Heap, RSS: now.RSS, Peak: now.Peak})
}

// answer runs a hub that many ask, and tells now and then what it has in memory.
func (e errand) answer(ctx context.Context) error {
	st, err := openStore(ctx, e.Engine, e.Address)
	if err != nil {
		return err
	}
	c := newCrew(plan{natives: e.Natives, clients: e.Clients, pairs: e.Pairs}, 4*e.Pairs, scripted.Noop())
	h, err := start(ctx, st, c)
	if err != nil {
		return errors.Join(err, st.Close())
	}
	app.LimitMemory(store.DefaultMemory, slog.New(slog.DiscardHandler))
	go app.TendCollector(ctx)
	s := &session{running: h}
	for range looks {
		if err = s.askMany(ctx, e.Callers, e.Tasks/looks); err == nil {
			err = tell(usedNow())
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		<-ctx.Done()
	}
	return errors.Join(err, s.abandon())
}

// askMany lets callers ask until n asks are answered.
func (s *session) askMany(ctx context.Context, callers, n int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var begun atomic.Int64
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(rand.Uint64(), uint64(caller)))
			for ctx.Err() == nil && begun.Add(1) <= int64(n) {
				if err := s.askOnce(ctx, caller, r); err != nil {
					cancel(fmt.Errorf("an ask of many: %w", err))
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
