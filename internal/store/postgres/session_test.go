package postgres

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/pgtest"
	"parley/internal/store"
)

// newSession opens a connection as the store uses it.
func newSession(t *testing.T) *session {
	t.Helper()
	a, err := parseAddress(pgtest.DSN(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeQuickly(c) })
	return sessionOf(c.PgConn())
}

func TestRowsReadEveryWidth(t *testing.T) {
	s := newSession(t)
	var got string
	err := s.roundTrip([]request{{
		sql:  `SELECT 1::smallint, -2::int, $1::bigint, true, false, NULL::bigint, NULL::text, $2::text, $3::text`,
		args: []any{int64(-1 << 62), "text", nil},
		row: func(r store.Row) {
			for i := range 6 {
				got += fmt.Sprint(r.Int(i), " ")
			}
			got += fmt.Sprintf("%q %q %q", r.Text(6), r.Text(7), r.Text(8))
		},
	}})
	if want := `1 -2 -4611686018427387904 1 0 0 "" "text" ""`; got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// The sum of integers has another type. Refusing it is better than reading nonsense.
func TestSumWithoutCastIsRefused(t *testing.T) {
	s := newSession(t)
	defer func() {
		if p := fmt.Sprint(recover()); !strings.Contains(p, "cast to bigint") {
			t.Error(p)
		}
	}()
	_ = s.roundTrip([]request{{sql: `SELECT sum(n::bigint) FROM generate_series(1, 5) n`, row: func(r store.Row) { r.Int(0) }}})
	t.Error("it was read as a number")
}

func TestCommitOfAFailedTransactionIsAnError(t *testing.T) {
	s := newSession(t)
	if err := s.roundTrip([]request{{sql: beginUpdate}, {sql: `SELECT 1/0`}}); err == nil {
		t.Fatal("it did not fail")
	}
	if s.pg.TxStatus() != 'E' {
		t.Fatalf("the transaction is %q", s.pg.TxStatus())
	}
	err := s.roundTrip([]request{{sql: "COMMIT", tag: "COMMIT"}})
	if err == nil || !strings.Contains(err.Error(), "ROLLBACK") {
		t.Errorf("%v", err)
	}
}

// A statement that was not reached because an earlier one failed is prepared the next
// time.
func TestStatementsAfterAFailedOneArePreparedLater(t *testing.T) {
	s := newSession(t)
	for range 3 {
		if err := s.roundTrip([]request{{sql: `SELECT 1`}, {sql: `SELECT 1/0`}, {sql: `SELECT 2`}, {sql: `SELECT 2`}}); err == nil {
			t.Fatal("it did not fail")
		}
		var got []int64
		row := func(r store.Row) { got = append(got, r.Int(0)) }
		err := s.roundTrip([]request{{sql: `SELECT 2`, row: row}, {sql: `SELECT 1`, row: row}, {sql: `SELECT 2`, row: row}})
		if err != nil || fmt.Sprint(got) != "[2 1 2]" {
			t.Errorf("%v, %v", got, err)
		}
	}
}

func TestMarksBecomeLocks(t *testing.T) {
	s := newSession(t)
	for sql, want := range map[string]string{
		"SELECT 1 /*lock*/":        "SELECT 1 FOR UPDATE",
		"SELECT 1 /*skip locked*/": "SELECT 1 FOR UPDATE SKIP LOCKED",
		"SELECT 1 /*lock thread*/": "SELECT 1 FOR UPDATE OF t",
		"SELECT 1 /*lock rate*/":   "SELECT 1 FOR UPDATE OF r",
		"SELECT 1":                 "SELECT 1",
	} {
		if got := s.statement(sql).sql; got != want {
			t.Errorf("%s becomes %s", sql, got)
		}
	}
}

// A closure that ignores a failed read must not commit, even though the writes before
// and after it succeeded.
func TestSwallowedReadErrorCannotCommit(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := open(t, dsn, Options{MaxConns: 1})
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		tx.InsertToken("before", parley.Token{Agent: 1})
		_, err := tx.Claimable(1, -1) // LIMIT must not be negative
		if err == nil {
			t.Error("the read did not fail")
		}
		tx.InsertToken("after", parley.Token{Agent: 1})
		return nil
	})
	if err == nil || parley.KindOf(err) != parley.Internal {
		t.Errorf("committed: %v", err)
	}
	c := connect(t, dsn)
	if tokens(t, c, "before")+tokens(t, c, "after") != 0 {
		t.Error("something was stored")
	}
	if err := s.Update(t.Context(), token("next")); err != nil {
		t.Errorf("the next transaction: %v", err)
	}
}

// If it is unknown whether a statement was prepared, it gets another name: the server
// may have it under the first name and would refuse that name.
func TestAStatementThatMayBePreparedGetsAnotherName(t *testing.T) {
	s := &session{statements: map[string]*statement{}}
	unheard, known, idle := s.statement("SELECT 1"), s.statement("SELECT 2"), s.statement("SELECT 3")
	names := []string{unheard.name, known.name, idle.name}
	unheard.sent = true
	s.forgetUnknown([]request{{sql: "SELECT 1"}, {sql: "SELECT 2"}, {sql: "SELECT 4"}})
	if unheard.sent || unheard.name == names[0] || known.name != names[1] || idle.name != names[2] {
		t.Errorf("%+v, %+v, %+v", unheard, known, idle)
	}
}
