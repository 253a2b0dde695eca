package token_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/token"
)

func TestTokensAreLongRandomAndRecognisable(t *testing.T) {
	form := regexp.MustCompile(`^parley_[A-Za-z0-9_-]{43}$`) // 43 characters of 6 bits hold 256
	seen := map[string]bool{}
	for range 1000 {
		s := token.New()
		if !form.MatchString(s) || seen[s] {
			t.Fatalf("%q", s)
		}
		seen[s] = true
	}
}

func open(t testing.TB) (store.Store, string, parley.Agent) {
	t.Helper()
	dir := t.TempDir()
	st, err := sqlite.Open(filepath.Join(dir, "parley.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	ada := parley.Agent{Team: 7, Name: "Ada", Kind: parley.Person}
	err = st.Update(t.Context(), func(tx *store.Tx) error {
		tx.InsertAgent(&ada)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return st, dir, ada
}

func TestATokenIsItsOwnersAndNobodyElses(t *testing.T) {
	st, _, ada := open(t)
	mine, err := token.Issue(t.Context(), st, ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	use, err := token.Look(t.Context(), st, mine)
	if owner := use.Owner; owner.ID != ada.ID || owner.Team != ada.Team || err != nil {
		t.Errorf("owner %+v, %v", use.Owner, err)
	}
	for _, wrong := range []string{"", "parley_", token.New(), mine + "a", mine[:len(mine)-1], strings.ToUpper(mine), " " + mine, token.Hash(mine)} {
		if use, err := token.Look(t.Context(), st, wrong); parley.KindOf(err) != parley.Unauthentic || use.Owner.ID != 0 {
			t.Errorf("%q is %+v's, %v", wrong, use.Owner, err)
		}
	}
}

func TestWhoIsRemovedHasNoTokenAnyMore(t *testing.T) {
	st, _, ada := open(t)
	mine, err := token.Issue(t.Context(), st, ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(tx *store.Tx) error {
		ada.Removed = true
		tx.UpdateAgent(ada)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := token.Look(t.Context(), st, mine); parley.KindOf(err) != parley.Unauthentic {
		t.Errorf("got %v", err)
	}
}

func TestTheDatabaseDoesNotHaveTheToken(t *testing.T) {
	st, dir, ada := open(t)
	mine, err := token.Issue(t.Context(), st, ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found = found || bytes.Contains(content, []byte(token.Hash(mine)))
		if bytes.Contains(content, []byte(strings.TrimPrefix(mine, token.Prefix))) {
			t.Errorf("%s has the token", file)
		}
	}
	if !found {
		t.Errorf("the hash is in none of %v, so this test looks in the wrong place", files)
	}
}
