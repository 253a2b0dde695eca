package sqlite

import (
	"path/filepath"
	"testing"

	"parley/internal/store"
)

func TestPlans(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, q := range []string{
		`SELECT id FROM task WHERE agent_id = $1 AND state = 1 AND state <= 3 AND due_at = 0 ORDER BY priority DESC, id LIMIT $2`,
		`SELECT id FROM task WHERE state = 2 AND state <= 3 AND worker_id = $1 ORDER BY id`,
		`SELECT id FROM task WHERE agent_id = $1 AND state = 1 AND state <= 3 AND due_at > 0 ORDER BY id`,
		`SELECT DISTINCT t.agent_id FROM task t JOIN agent a ON a.id = t.agent_id WHERE t.state = 1 AND t.state <= 3 AND t.due_at = 0 AND a.kind = 'native' ORDER BY t.agent_id`,
		`SELECT id FROM task WHERE agent_id = $1 AND state = 1 AND state <= 3 ORDER BY id`,
		`SELECT id, title FROM task WHERE team_id = $1 AND state <= 3 ORDER BY +id DESC LIMIT $2`,
		`SELECT id, title FROM task WHERE state <= 3 AND deadline_at > 0 AND deadline_at <= $1 ORDER BY deadline_at LIMIT $2`,
	} {
		t.Log(q)
		_ = s.writer.conn.Query(store.Query{SQL: "EXPLAIN QUERY PLAN " + q, Args: make([]any, countParams(q)), Row: func(r store.Row) { t.Log("   ", r.Text(3)) }})
		if s.writer.conn.err != nil {
			t.Log(s.writer.conn.err)
			s.writer.conn.err = nil
		}
	}
}

func countParams(q string) (n int) {
	for _, p := range []string{"$1", "$2", "$3"} {
		for i := 0; i+2 <= len(q); i++ {
			if q[i:i+2] == p {
				n++
				break
			}
		}
	}
	return n
}
