package work

import (
	"context"
	"time"

	"parley/internal/store"
)

// stop ends the work in order: nothing new is claimed, turns get their grace, the
// rest is interrupted and given back, and the worker is removed.
func (s *Scheduler) stop() error {
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	close(s.quit)
	done := make(chan struct{})
	go func() {
		s.turns.Wait()
		close(done)
	}()
	grace := time.After(s.cfg.Grace)
	ticker := time.NewTicker(s.cfg.Poll)
	defer ticker.Stop()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		case <-grace:
			s.interrupt()
		case <-ticker.C:
			s.heartbeat(context.Background()) // leases must last until the turns have ended
		}
	}
	return s.cfg.Store.Update(context.Background(), func(tx *store.Tx) error {
		left, err := tx.Leased(s.worker)
		if err == nil && len(left) == 0 {
			tx.DeleteWorker(s.worker)
		}
		return err
	})
}

func (s *Scheduler) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupted = true
	for _, cancel := range s.cancels {
		cancel(errStopping)
	}
}
