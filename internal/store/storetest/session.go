package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

// sessions checks which sessions can be used. A session whose token or owner has ended
// is as good as none.
func sessions(t *testing.T, open Open) {
	w := newWorld(t, open)
	other := parley.Team{Name: "other"}
	eve := parley.Agent{Name: "Eve", Kind: parley.Person}
	tokens := map[string]parley.TokenID{}
	w.update(func(tx *store.Tx) error {
		tx.InsertTeam(&other)
		eve.Team = other.ID
		tx.InsertAgent(&eve)
		for hash, token := range map[string]parley.Token{"good": {Agent: w.carol.ID}, "revoked": {Agent: w.carol.ID},
			"expired": {Agent: w.carol.ID, ExpiresAt: tx.Now}, "ends": {Agent: w.carol.ID, ExpiresAt: tx.Now.Add(time.Hour)}} {
			tx.InsertToken(hash, token)
			made, err := tx.TokenByHash(hash)
			if err != nil {
				return err
			}
			tokens[hash] = made.ID
		}
		revoked, err := tx.LockToken(w.team.ID, tokens["revoked"])
		tx.RevokeToken(revoked, w.carol.ID)
		return err
	})
	w.update(func(tx *store.Tx) error {
		tx.InsertSession("by link", parley.Session{Agent: w.carol.ID, Browser: "Firefox"})
		for _, hash := range []string{"good", "revoked", "expired", "ends"} {
			tx.InsertSession("by "+hash, parley.Session{Agent: w.carol.ID, Token: tokens[hash]})
		}
		tx.InsertSession("by nothing", parley.Session{Agent: w.carol.ID, Token: 1 << 40})
		tx.InsertSession("of bob", parley.Session{Agent: w.bob.ID})
		tx.InsertSession("of eve", parley.Session{Agent: eve.ID})
		w.bob.Removed = true
		tx.UpdateAgent(w.bob)
		return nil
	})
	found := map[string]parley.Session{}
	w.view(func(tx *store.Tx) error {
		for _, hash := range []string{"by link", "by good", "by ends", "of eve"} {
			s, owner, err := tx.SessionOwner(hash)
			if err != nil || s.Agent != owner.ID {
				t.Errorf("%s: %+v, %+v, %v", hash, s, owner, err)
			}
			found[hash] = s
		}
		s, owner, err := tx.SessionOwner("by link")
		if want := (parley.Session{ID: s.ID, Agent: w.carol.ID, Browser: "Firefox", CreatedAt: s.CreatedAt, UsedAt: s.CreatedAt}); err != nil || s != want || s.ID == 0 || s.CreatedAt == 0 {
			t.Errorf("%+v, %v", s, err)
		}
		if owner.Team != w.team.ID || owner.Name != w.carol.Name || owner.Kind != w.carol.Kind {
			t.Errorf("%+v", owner)
		}
		for _, hash := range []string{"by revoked", "by expired", "by nothing", "of bob", "none"} {
			if s, _, err := tx.SessionOwner(hash); err != store.ErrNotFound {
				t.Errorf("%s: %+v, %v", hash, s, err)
			}
		}
		list, err := tx.Sessions(w.team.ID)
		if diff := cmp.Diff([]parley.Session{found["by link"], found["by good"], found["by ends"]}, list); diff != "" || err != nil {
			t.Error(diff, err)
		}
		ids, err := tx.LiveSessions(found["by good"].ID, found["of eve"].ID)
		if diff := cmp.Diff([]parley.SessionID{found["by good"].ID, found["by ends"].ID, found["of eve"].ID}, ids); diff != "" || err != nil {
			t.Error(diff, err)
		}
		return nil
	})
	sessionsEnd(t, w, found)
}

func sessionsEnd(t *testing.T, w *world, found map[string]parley.Session) {
	link, good, eve := found["by link"], found["by good"], found["of eve"]
	heard, stop := w.Bus().Watch(wake.Signal{Topic: wake.Tokens})
	defer stop()
	later := link.UsedAt.Add(time.Minute)
	w.update(func(tx *store.Tx) error {
		tx.SetSessionUsed(link.ID, later)
		tx.SetSessionUsed(link.ID, later-1) // an earlier use is none
		tx.SetSessionUsed(good.ID, 7)
		tx.RemoveSession(eve.ID)
		return nil
	})
	<-heard
	w.update(func(tx *store.Tx) error {
		tx.InsertSession("next", parley.Session{Agent: w.carol.ID})
		if s, _, err := tx.SessionOwner("next"); s.ID <= eve.ID || err != nil {
			t.Errorf("%s is given out again: %+v, %v", eve.ID, s, err)
		}
		return nil
	})
	w.view(func(tx *store.Tx) error {
		if s, _, err := tx.SessionOwner("by link"); s.UsedAt != later || s.ExpiresAt() != later.Add(parley.SessionIdle) || err != nil {
			t.Errorf("%+v, %v", s, err)
		}
		if s, _, err := tx.SessionOwner("by good"); s.UsedAt != good.UsedAt || err != nil {
			t.Errorf("%+v, %v", s, err)
		}
		if s, _, err := tx.SessionOwner("of eve"); err != store.ErrNotFound {
			t.Errorf("it was removed: %+v, %v", s, err)
		}
		return nil
	})
}

// links checks that a link is found by its hash, and stays until it is old.
func links(t *testing.T, open Open) {
	w := newWorld(t, open)
	var ends parley.Micros
	w.update(func(tx *store.Tx) error {
		ends = tx.Now.Add(10 * time.Minute)
		tx.InsertLink("a", parley.SigninLink{Agent: w.carol.ID, Token: 3, ExpiresAt: ends})
		tx.InsertLink("b", parley.SigninLink{Agent: w.carol.ID, ExpiresAt: ends - 1})
		tx.InsertSession("s", parley.Session{Agent: w.carol.ID})
		return nil
	})
	w.update(func(tx *store.Tx) error {
		if _, err := tx.LockLink("none"); err != store.ErrNotFound {
			t.Errorf("no such link: %v", err)
		}
		l, err := tx.LockLink("a")
		if want := (parley.SigninLink{Agent: w.carol.ID, Token: 3, ExpiresAt: ends}); l != want || err != nil {
			t.Errorf("%+v, %v", l, err)
		}
		if same, name, err := tx.LinkOf("a"); same != l || name != w.carol.Name || err != nil {
			t.Errorf("%+v, %q, %v", same, name, err)
		}
		tx.SetLinkUsed("a")
		tx.RemoveOldSessions(ends)
		return nil
	})
	w.update(func(tx *store.Tx) error {
		if l, err := tx.LockLink("a"); l.UsedAt == 0 || err != nil {
			t.Errorf("%+v, %v", l, err)
		}
		if _, err := tx.LockLink("b"); err != store.ErrNotFound {
			t.Errorf("an old link: %v", err)
		}
		if _, _, err := tx.SessionOwner("s"); err != nil {
			t.Errorf("a young session: %v", err)
		}
		return nil
	})
}
