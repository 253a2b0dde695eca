package keeper

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/bubbletest"
	"parley/internal/directory"
	"parley/internal/store"
	"parley/internal/store/memtest"
)

// What an agent keeps of a channel may be read by the channel's readers. What its
// tools returned, and what was said in no channel, is its own. What it shares is the
// team's.
func TestWhoReadsWhatIsKept(t *testing.T) {
	st := memtest.Open(t)
	agents := []*parley.Agent{{Name: "Pat", Kind: parley.Person}, {Name: "Owner", Kind: parley.Native}, {Name: "Peer", Kind: parley.Native}, {Name: "Other", Kind: parley.Native}}
	team := st.Team("main", agents...)
	dir := directory.New()
	for _, a := range agents {
		dir.Put(directory.Entry{ID: a.ID, Team: team, Name: a.Name, Kind: a.Kind})
	}
	s := New(st, dir, access.New(st, dir, slog.New(slog.DiscardHandler)), nil, slog.New(slog.DiscardHandler))
	owner, peer := agents[1].ID, agents[2].ID
	var dm parley.Channel
	st.Do(func(tx *store.Tx) (err error) { dm, err = tx.EnsureDM(team, owner, peer); return err })
	kept := parley.Keeper{Team: team, Owner: owner, Channel: dm.ID}
	shared, nowhere, elsewhere := kept, kept, kept
	shared.Shared, nowhere.Channel, elsewhere.Team = true, 0, team+1
	for _, c := range []struct {
		name   string
		keeper parley.Keeper
		m      parley.KeptMessage
		may    string // the letters of those who may
	}{
		{"what was said", kept, parley.KeptMessage{}, "PatOwnerPeer"},
		{"what a tool brought", kept, parley.KeptMessage{Private: true}, "PatOwner"},
		{"what was said nowhere", nowhere, parley.KeptMessage{}, "PatOwner"},
		{"what is shared", shared, parley.KeptMessage{}, "PatOwnerPeerOther"},
		{"what a tool brought, shared", shared, parley.KeptMessage{Private: true}, "PatOwnerPeerOther"},
		{"what is another team's", elsewhere, parley.KeptMessage{}, ""},
	} {
		got := ""
		for _, a := range agents {
			st.See(func(tx *store.Tx) error {
				may, err := s.readers(tx, team, a.ID).may(c.keeper, c.m)
				if may {
					got += a.Name
				}
				return err
			})
		}
		if got != c.may {
			t.Errorf("%s is read by %s, want %s", c.name, got, c.may)
		}
	}
}

// A use is stored within a minute, and when the hub stops.
func TestUsesAreStoredBeforeTheHubStops(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		st := memtest.Open(t)
		owner := &parley.Agent{Name: "Owner", Kind: parley.Native}
		k := parley.Keeper{Team: st.Team("main", owner), Owner: owner.ID, Topic: "Tea"}
		st.Do(func(tx *store.Tx) error {
			tx.InsertKeeper(&k, []parley.KeptMessage{{Role: "user", Text: "Tea."}})
			return nil
		})
		s := New(st, directory.New(), nil, nil, slog.New(slog.DiscardHandler))
		uses := func() (n int) {
			st.See(func(tx *store.Tx) error {
				got, err := tx.Keeper(k.ID)
				n = got.Uses
				return err
			})
			return n
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { s.Run(ctx); close(ended) }()
		use := []found{{KeptMessage: parley.KeptMessage{Keeper: k.ID}}}
		s.uses.note(use)
		synctest.Wait()
		if uses() != 1 {
			t.Errorf("%d uses after the first", uses())
		}
		s.uses.note(use)
		s.uses.note(use)
		synctest.Wait()
		if uses() != 1 {
			t.Errorf("%d uses within the minute", uses())
		}
		time.Sleep(storeInterval)
		synctest.Wait()
		if uses() != 3 {
			t.Errorf("%d uses after a minute", uses())
		}
		s.uses.note(use)
		stop()
		<-ended
		if uses() != 4 {
			t.Errorf("%d uses after the stop", uses())
		}
	})
}
