package postgres

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/internal/pgtest"
)

// Every write with the mark /*later*/, and every read that locks one row, can be gathered.
// The server takes each in its frame, and finds the rows by their keys. What has the mark
// /*later alone*/ cannot.
func TestEveryMarkedStatementHasAFrame(t *testing.T) {
	dsn := pgtest.DSN(t)
	known := everyStatement(t, dsn)
	kinds := map[uint32]byte{20: 'i', 25: 't', 17: 'b'}

	c := connect(t, dsn)
	exec(t, c, `SET search_path = parley; SET plan_cache_mode = force_generic_plan;`+planByKey)
	exec(t, c, `SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`)
	writes, locks, alone := 0, 0, 0
	for sql, st := range known {
		shape := shapeOf(sql)
		marked := strings.HasSuffix(sql, laterMark)
		if strings.HasSuffix(sql, "/*later alone*/") {
			alone++
		}
		if marked != (shape.inserts || shape.updates) {
			t.Errorf("marked %v, and gathered %v: %s", marked, !marked, sql)
		}
		if !marked && shape.locks == "" {
			continue
		}
		if marked {
			writes++
		} else {
			locks++
		}
		types := ""
		for _, oid := range st.known.ParamOIDs {
			if kinds[oid] == 0 {
				t.Errorf("an argument of the type %d: %s", oid, sql)
			}
			types += string(kinds[oid])
		}
		// With EXISTS the server may read all unread mail for a batch, instead of one row for
		// each member.
		if strings.Contains(sql, "EXISTS") {
			t.Errorf("look for one with LIMIT 1 instead of EXISTS: %s", sql)
		}
		framed := shape.frame(sql, types)
		if plan := explain(t, c, framed, len(types)); strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "Hash Join") {
			t.Errorf("%s\n%s", framed, plan)
		}
	}
	if writes < 10 || locks < 5 || alone == 0 {
		t.Errorf("only %d writes and %d locks were looked at, and %d that no batch may have", writes, locks, alone)
	}
}

// Gathering changes the order of updates of different rows only, except that whoever holds
// a row changes it before others do.
func TestGatheringKeepsTheOrderOfEachRow(t *testing.T) {
	statements := []string{
		`UPDATE task SET turns = $2 WHERE id = $1 /*later*/`,
		`UPDATE task SET turns = $2, state = 1 WHERE id = $1 /*later*/`,
		`UPDATE thread SET message_count = $2 WHERE id = $1 /*later*/`,
	}
	inserts := `INSERT INTO task (id, turns) VALUES ($1, $2) /*later*/`
	for seed := range 200 {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		members := []*member{{}, {}, {}, {}}
		locked := map[rowKey]*member{}
		for _, table := range []string{"task", "thread"} {
			for id := range int64(3) {
				locked[rowKey{table: table, a: id}] = append(members, nil)[r.IntN(len(members)+1)]
			}
		}
		before, after := map[rowKey][]int64{}, map[rowKey][]int64{} // the values of each row, in order
		var others []func()
		for i, m := range members {
			for range r.IntN(6) {
				sql, id, value := statements[r.IntN(len(statements))], r.Int64N(3), r.Int64N(1000)
				key := rowKey{table: shapeOf(sql).table, a: id}
				m.writes = append(m.writes, write{sql, []any{id, value}})
				add := func() { before[key] = append(before[key], value) }
				if locked[key] == m {
					add()
				} else {
					others = append(others, add)
				}
			}
			m.writes = append(m.writes, write{inserts, []any{int64(i + 10), int64(0)}})
		}
		for _, add := range others {
			add()
		}
		updated := false
		for _, g := range gatherWrites(members, locked) {
			seen := map[rowKey]bool{}
			for _, row := range g.rows {
				if g.shape.inserts {
					if updated {
						t.Errorf("seed %d: a new row after an update", seed)
					}
					continue
				}
				updated = true
				if seen[row.key] {
					t.Errorf("seed %d: one statement changes a row twice", seed)
				}
				seen[row.key] = true
				after[row.key] = append(after[row.key], row.args[1].(int64))
			}
		}
		if !maps.EqualFunc(before, after, slices.Equal[[]int64]) {
			t.Errorf("seed %d: %v became %v", seed, before, after)
		}
	}
}

func TestShapes(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT id FROM task WHERE id = $1":                                       "reads ",
		"SELECT id FROM task WHERE id = $1 /*lock*/":                              "reads task",
		"SELECT t.id FROM x JOIN thread t ON true WHERE x.a = $1 /*lock thread*/": "reads thread",
		"SELECT id FROM task WHERE agent_id = $1 ORDER BY id /*lock*/":            "",
		"SELECT id FROM task WHERE agent_id = $1 /*skip locked*/":                 "",
		"WITH x AS (SELECT 1) SELECT 1":                                           "",
		"DELETE FROM task WHERE id = $1":                                          "",
		"INSERT INTO inbox (a, b) VALUES ($1, $2)":                                "",
		"INSERT INTO inbox (a, b) VALUES ($1, $2) /*later*/":                      "inserts inbox",
		"INSERT INTO inbox (a) VALUES ($1) ON CONFLICT (a) DO NOTHING /*later*/":  "",
		"UPDATE task SET a = $1 WHERE id = $2":                                    "",
		"UPDATE task SET a = $1 WHERE id = $2 /*later*/":                          "updates task [1]",
		"UPDATE delivery SET a = $1 WHERE m = $3 AND r = $2 AND a = 0 /*later*/":  "updates delivery [2 1]",
	} {
		s, got := shapeOf(sql), ""
		switch {
		case s.reads:
			got = "reads " + s.locks
		case s.inserts:
			got = "inserts " + s.table
		case s.updates:
			got = fmt.Sprint("updates ", s.table, " ", s.keys)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
