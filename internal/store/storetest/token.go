package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

func tokens(t *testing.T, open Open) {
	w := newWorld(t, open)
	other := parley.Team{Name: "other"}
	eve := parley.Agent{Name: "Eve", Kind: parley.Person}
	w.update(func(tx *store.Tx) error {
		tx.InsertTeam(&other)
		eve.Team = other.ID
		tx.InsertAgent(&eve)
		tx.InsertToken("a", parley.Token{Agent: w.ann.ID, Label: "CI", CreatedBy: w.bob.ID, ExpiresAt: 99})
		tx.InsertToken("b", parley.Token{Agent: w.bob.ID})
		tx.InsertToken("c", parley.Token{Agent: w.carol.ID})
		tx.InsertToken("e", parley.Token{Agent: eve.ID})
		return nil
	})
	byHash := map[string]parley.Token{}
	w.view(func(tx *store.Tx) error {
		for _, hash := range []string{"a", "b", "c", "e"} {
			tok, owner, err := tx.TokenOwner(hash)
			if same, failed := tx.TokenByHash(hash); same != tok || err != nil || failed != nil || owner.ID != tok.Agent {
				t.Errorf("%s: %+v, %+v, %v, %v", hash, tok, owner, err, failed)
			}
			byHash[hash] = tok
		}
		a := byHash["a"]
		if want := (parley.Token{ID: a.ID, Agent: w.ann.ID, Label: "CI", CreatedBy: w.bob.ID, CreatedAt: a.CreatedAt, ExpiresAt: 99}); a != want || a.ID == 0 || a.CreatedAt == 0 {
			t.Errorf("%+v", a)
		}
		_, owner, err := tx.TokenOwner("e")
		if owner.Team != other.ID || owner.Name != "Eve" || owner.Kind != parley.Person || owner.Removed || err != nil {
			t.Errorf("%+v, %v", owner, err)
		}
		list, err := tx.Tokens(w.team.ID)
		if diff := cmp.Diff([]parley.Token{byHash["a"], byHash["b"], byHash["c"]}, list); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if _, _, err := tx.TokenOwner("none"); err != store.ErrNotFound {
			t.Errorf("no such token: %v", err)
		}
		return nil
	})
	heard, stop := w.Bus().Watch(wake.Signal{Topic: wake.Tokens, ID: int64(byHash["a"].ID)})
	defer stop()
	w.update(func(tx *store.Tx) error {
		if _, err := tx.LockToken(other.ID, byHash["a"].ID); err != store.ErrNotFound {
			t.Errorf("a token of another team: %v", err)
		}
		a, err := tx.LockToken(w.team.ID, byHash["a"].ID)
		if a != byHash["a"] || err != nil {
			t.Errorf("%+v, %v", a, err)
		}
		tx.RevokeToken(a, w.carol.ID)
		tx.SetTokenUsed(byHash["b"].ID, 7)
		tx.SetTokenUsed(byHash["b"].ID, 6) // an earlier use is none
		tx.ReplaceToken(byHash["c"].ID, "c2")
		w.bob.Removed = true
		tx.UpdateAgent(w.bob)
		return nil
	})
	<-heard
	w.view(func(tx *store.Tx) error {
		if a, err := tx.TokenByHash("a"); a.RevokedAt == 0 || a.RevokedBy != w.carol.ID || err != nil {
			t.Errorf("%+v, %v", a, err)
		}
		if b, owner, err := tx.TokenOwner("b"); b.UsedAt != 7 || !owner.Removed || err != nil {
			t.Errorf("%+v, %+v, %v", b, owner, err)
		}
		if _, err := tx.TokenByHash("c"); err != store.ErrNotFound {
			t.Errorf("the old secret: %v", err)
		}
		if c, err := tx.TokenByHash("c2"); c != byHash["c"] || err != nil {
			t.Errorf("%+v, %v", c, err)
		}
		dead, err := tx.DeadTokens(byHash["a"].ID, byHash["e"].ID)
		if diff := cmp.Diff([]parley.TokenID{byHash["a"].ID, byHash["b"].ID}, dead); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if dead, err := tx.DeadTokens(byHash["c"].ID, byHash["e"].ID); dead != nil || err != nil {
			t.Errorf("%v, %v", dead, err)
		}
		return nil
	})
}
