package sqlite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/store"
)

// Ways in which something is said; any other is the usual one.
const (
	sameKey = iota
	refusedBefore
	refusedAfter
	wipes
	reads
)

func (w *talk) sayIn(tx *store.Tx, way int, body, key string) error {
	switch way {
	case refusedBefore:
		return errRefused
	case reads:
		if _, err := tx.UnreadMail(store.MailFilter{To: w.b.ID, Limit: 1}); err != nil {
			return err
		}
	}
	if err := w.say(tx, body, key); err != nil || way != refusedAfter {
		return err
	}
	return errRefused
}

// Many callers at once, of whom some are refused before or after they wrote, some have
// rows that the engine refuses, some read, and some wipe: what they are told is what is stored.
func TestWhatCallersAreToldIsStored(t *testing.T) {
	for name, limits := range map[string]tailLimits{"lists in memory": usualLimits, "passes": checkedLimits} {
		t.Run(name, func(t *testing.T) {
			w := newTalk(t)
			w.writer.conn.limits = limits // nobody else uses it now
			w.tellCallers(t)
		})
	}
}

func (w *talk) tellCallers(t *testing.T) {
	const callers, each = 24, 60
	var mu sync.Mutex
	var want []string
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(caller), 1))
			for i := range each {
				body := fmt.Sprintf("%d of %d", i, caller)
				key, way := fmt.Sprint("key ", body), random.IntN(60)
				if way == sameKey {
					key = "the same" // which one may have
				}
				err := w.writer.hand(func(tx *store.Tx) error { return w.sayIn(tx, way, body, key) }, way == wipes)
				if refused := way == refusedBefore || way == refusedAfter; way != sameKey && (err != nil) != refused {
					t.Errorf("%s, %d: %v", body, way, err)
				}
				if err == nil {
					mu.Lock()
					want = append(want, body)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	got := w.said(t)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told and stored (-told +stored):\n%s", diff)
	}
	if err := w.Update(t.Context(), func(tx *store.Tx) error {
		mail, err := tx.UnreadMail(store.MailFilter{To: w.b.ID, Limit: callers * each})
		if len(mail) != len(want) {
			t.Errorf("%d of %d are unread mail", len(mail), len(want))
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
