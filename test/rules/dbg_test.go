package rules

import (
	"fmt"

	"zombiezen.com/go/sqlite"
)

func (s *stored) dump() {
	_ = s.rows("SELECT task_id, turn, n, kind, content FROM step ORDER BY task_id, turn, n", func(r *sqlite.Stmt) {
		fmt.Println("step", r.ColumnInt(0), r.ColumnInt(1), r.ColumnInt(2), r.ColumnText(3), r.ColumnText(4))
	})
}
