package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/wake"
)

// Steps are followed in the order in which they were stored. SQLite has one writer, which
// gives each step a time of its own. PostgreSQL's transactions commit in another order
// than that of any clock, so that a step carries its transaction's number, as an event
// does, and who follows stops below the oldest transaction that is still running.

// InsertStep stores a step of a turn.
func (tx *Tx) InsertStep(s parley.Step) {
	tx.exec(`INSERT INTO step (task_id, turn, n, kind, content, at, input, output, money, active, model, cached, estimated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) /*later*/`,
		int64(s.Task), int64(s.Turn), int64(s.N), string(s.Kind), string(s.Content), int64(tx.stepTime()),
		s.Spent.Input, s.Spent.Output, int64(s.Spent.Money), s.Spent.Active.Microseconds(), s.Model, s.Cached, flag(s.Estimated))
	tx.Signal(wake.Steps, int64(s.Task))
}

// stepTime is the time of the next step, which no other has where one writer stores all of
// them.
func (tx *Tx) stepTime() parley.Micros {
	hot := tx.conn.Hot()
	if hot == nil {
		return tx.Now
	}
	if hot.lastStep == 0 && tx.query(`SELECT max(at) FROM step`, func(r Row) { hot.lastStep = parley.Micros(r.Int(0)) }) != nil {
		return tx.Now // of a transaction that fails
	}
	hot.lastStep = max(tx.Now, hot.lastStep+1)
	return hot.lastStep
}

const (
	stepCols    = `task_id, turn, n, kind, content, at, input, output, money, active`
	stepColsOfS = `s.task_id, s.turn, s.n, s.kind, s.content, s.at, s.input, s.output, s.money, s.active`
)

func scanStep(r Row) parley.Step {
	return parley.Step{Task: parley.TaskID(r.Int(0)), Turn: int(r.Int(1)), N: int(r.Int(2)),
		Kind: parley.StepKind(r.Text(3)), Content: []byte(r.Text(4)), At: parley.Micros(r.Int(5)),
		Spent: scanSpending(r, 6)}
}

// Steps reads all steps of a task in order.
func (tx *Tx) Steps(of parley.TaskID) (list []parley.Step, err error) {
	err = tx.query(`SELECT `+stepCols+` FROM step WHERE task_id = $1 ORDER BY turn, n`,
		func(r Row) { list = append(list, scanStep(r)) }, int64(of))
	return list, err
}

// StepFilter picks steps of a team. A zero field matches everything.
type StepFilter struct {
	Team parley.TeamID
	// Agent is whose turns they are of. Sees is a reader who may see only its own.
	Agent, Sees parley.AgentID
	Task        parley.TaskID
	// Tree includes the descendants of Task.
	Tree bool
}

// StepRow is a step with what its task says about it.
type StepRow struct {
	parley.Step
	Agent        parley.AgentID
	Root, Parent parley.TaskID
	Cursor       StepCursor
}

// where writes the filter as SQL conditions for a statement that already has args.
func (f StepFilter) where(args []any) (string, []any) {
	var b strings.Builder
	and := func(condition string, value int64) {
		args = append(args, value)
		b.WriteString(" AND " + strings.ReplaceAll(condition, "?1", "$"+strconv.Itoa(len(args))))
	}
	and("t.team_id = ?1", int64(f.Team))
	for _, id := range []parley.AgentID{f.Agent, f.Sees} {
		if id != 0 {
			and("t.agent_id = ?1", int64(id))
		}
	}
	switch {
	case f.Task != 0 && f.Tree:
		and("s.task_id IN ("+treeIDs+")", int64(f.Task))
	case f.Task != 0:
		and("s.task_id = ?1", int64(f.Task))
	}
	return b.String(), args
}

// Matches reports whether the filter picks a step. It cannot decide about a Tree, of
// which it only knows the root.
func (f StepFilter) Matches(team parley.TeamID, s *StepRow) bool {
	return team == f.Team && (f.Agent == 0 || s.Agent == f.Agent) && (f.Sees == 0 || s.Agent == f.Sees) &&
		(f.Task == 0 || f.Tree || s.Task == f.Task)
}

// StepsAfter reads the rows after a cursor in the order in which they were stored. A
// cursor within a row begins with that row. Readers that follow see every row exactly
// once: where transactions commit in another order than they draw their numbers, rows
// wait for earlier ones that are still in flight.
func (tx *Tx) StepsAfter(f StepFilter, c StepCursor, limit int) ([]StepRow, error) {
	compare := " > "
	if c.Part > 0 {
		compare = " >= "
	}
	return tx.stepRows(f, c, compare, "", limit)
}

// StepsBefore reads the newest rows before a cursor, oldest first. The zero cursor is the
// present.
func (tx *Tx) StepsBefore(f StepFilter, c StepCursor, limit int) (list []StepRow, err error) {
	compare := " < "
	if c == (StepCursor{}) {
		compare = " <= "
		if c, err = tx.LatestStep(); err != nil {
			return nil, err
		}
	}
	list, err = tx.stepRows(f, c, compare, " DESC", limit)
	slices.Reverse(list)
	return list, err
}

// stepRows reads rows beside a cursor. CROSS JOIN keeps SQLite from starting with the
// tasks, and the plus from starting with all steps where those of few tasks are wanted.
func (tx *Tx) stepRows(f StepFilter, c StepCursor, compare, direction string, limit int) (list []StepRow, err error) {
	at, xid, horizon := "s.at", "0", ""
	args := []any{int64(limit), int64(c.at), int64(c.task), int64(c.turn), int64(c.n)}
	if f.Task != 0 && tx.conn.Engine() == SQLite {
		at = "+s.at"
	}
	columns, values := at+", s.task_id, s.turn, s.n", "$2, $3, $4, $5"
	if tx.conn.Engine() == PostgreSQL {
		xid, horizon = "s.xid", stepsBelowHorizon
		columns, values, args = "s.xid, "+columns, "$6, "+values, append(args, c.xid)
	}
	where, args := f.where(args)
	err = tx.query(`SELECT `+stepColsOfS+`, t.agent_id, t.root_id, t.parent_id, `+xid+` FROM step s CROSS JOIN task t
		WHERE t.id = s.task_id AND (`+columns+`)`+compare+`(`+values+`)`+horizon+where+`
		ORDER BY `+strings.ReplaceAll(columns, ",", direction+",")+direction+` LIMIT $1`,
		func(r Row) { list = append(list, scanStepRow(r)) }, args...)
	return list, err
}

const stepsBelowHorizon = ` AND s.xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint + event_base()`

func scanStepRow(r Row) StepRow {
	s := scanStep(r)
	return StepRow{Step: s, Agent: parley.AgentID(r.Int(10)), Root: parley.TaskID(r.Int(11)), Parent: parley.TaskID(r.Int(12)),
		Cursor: StepCursor{xid: r.Int(13), at: s.At, task: s.Task, turn: s.Turn, n: s.N}}
}

// LatestStep is the cursor after every step so far.
func (tx *Tx) LatestStep() (c StepCursor, err error) {
	sql := `SELECT 0, at, task_id, turn, n FROM step ORDER BY at DESC, task_id DESC, turn DESC, n DESC LIMIT 1`
	if tx.conn.Engine() == PostgreSQL {
		sql = `SELECT s.xid, at, task_id, turn, n FROM step s WHERE true` + stepsBelowHorizon + ` ORDER BY s.xid DESC, at DESC, task_id DESC, turn DESC, n DESC LIMIT 1`
	}
	err = tx.query(sql, func(r Row) {
		c = StepCursor{xid: r.Int(0), at: parley.Micros(r.Int(1)), task: parley.TaskID(r.Int(2)), turn: int(r.Int(3)), n: int(r.Int(4))}
	})
	return c, err
}

// TaskSteps reads rows of a task after a place in it, in order.
func (tx *Tx) TaskSteps(of parley.TaskID, turn, n, limit int) (list []StepRow, err error) {
	xid := `0`
	if tx.conn.Engine() == PostgreSQL {
		xid = `s.xid`
	}
	err = tx.query(`SELECT `+stepColsOfS+`, t.agent_id, t.root_id, t.parent_id, `+xid+` FROM step s CROSS JOIN task t
		WHERE t.id = s.task_id AND s.task_id = $1 AND (s.turn, s.n) > ($2, $3) ORDER BY s.turn, s.n LIMIT $4`,
		func(r Row) { list = append(list, scanStepRow(r)) }, int64(of), int64(turn), int64(n), int64(limit))
	return list, err
}

// StepsLeadingTo reads what a row is read with: the last reply of its turn before it, and
// the rows in between. Several rows cost one round trip.
func (tx *Tx) StepsLeadingTo(rows []parley.Step) (of map[parley.TaskID][]parley.Step, err error) {
	of = map[parley.TaskID][]parley.Step{}
	queries := make([]Query, 0, len(rows))
	for _, s := range rows {
		queries = append(queries, Query{SQL: `SELECT ` + stepCols + ` FROM step WHERE task_id = $1 AND turn = $2 AND n < $3 AND n >=
			(SELECT coalesce(max(n), 0) FROM step WHERE task_id = $1 AND turn = $2 AND n < $3 AND kind = 'reply') ORDER BY n`,
			Args: []any{int64(s.Task), int64(s.Turn), int64(s.N)}, Row: func(r Row) { of[s.Task] = append(of[s.Task], scanStep(r)) }})
	}
	if len(queries) > 0 {
		err = tx.conn.Query(queries...)
	}
	return of, err
}

// NewestSteps reads the last reply of each task's last turn, and what came after it.
func (tx *Tx) NewestSteps(tasks []parley.TaskID) (of map[parley.TaskID][]parley.Step, err error) {
	of = map[parley.TaskID][]parley.Step{}
	queries := make([]Query, 0, len(tasks))
	for _, id := range tasks {
		queries = append(queries, Query{SQL: `SELECT ` + stepCols + ` FROM step WHERE task_id = $1
			AND turn = (SELECT max(turn) FROM step WHERE task_id = $1) AND n >= (SELECT coalesce(max(n), 0) FROM step
				WHERE task_id = $1 AND turn = (SELECT max(turn) FROM step WHERE task_id = $1) AND kind = 'reply') ORDER BY n`,
			Args: []any{int64(id)}, Row: func(r Row) { of[id] = append(of[id], scanStep(r)) }})
	}
	if len(queries) > 0 {
		err = tx.conn.Query(queries...)
	}
	return of, err
}

// RunningTasks reads the running tasks of a team.
func (tx *Tx) RunningTasks(team parley.TeamID) (list []parley.Task, err error) {
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE team_id = $1 AND state = 2 AND state <= 3 ORDER BY +id`,
		func(r Row) { list = append(list, scanTask(r)) }, int64(team))
	return list, err
}

// StepsRemoved reports whether old steps of a team were removed. It looks at its first
// tasks, which are removed first.
func (tx *Tx) StepsRemoved(team parley.TeamID) (removed bool, err error) {
	err = tx.query(`SELECT request_id, turns FROM task WHERE team_id = $1 AND id > 0 ORDER BY id LIMIT 100`,
		func(r Row) { removed = removed || r.Int(0) == 0 && r.Int(1) > 0 }, int64(team))
	return removed, err
}

// StepCursor is a place among the steps: after a row, or within one. The zero value is the
// beginning.
type StepCursor struct {
	xid  int64
	at   parley.Micros
	task parley.TaskID
	turn int
	n    int
	// Part is how much of the row was taken; 0 is all of it.
	Part int
}

func (c StepCursor) String() string {
	return fmt.Sprintf("%d.%d.%d.%d.%d.%d", c.xid, c.at, c.task, c.turn, c.n, c.Part)
}

// At is the cursor within its row, after so many parts.
func (c StepCursor) At(part int) StepCursor {
	c.Part = part
	return c
}

// SameRow reports whether two cursors are at the same row.
func (c StepCursor) SameRow(d StepCursor) bool { return c.At(0) == d.At(0) }

// RowBefore reports whether the row of a cursor comes before that of another.
func (c StepCursor) RowBefore(d StepCursor) bool {
	a := [5]int64{c.xid, int64(c.at), int64(c.task), int64(c.turn), int64(c.n)}
	b := [5]int64{d.xid, int64(d.at), int64(d.task), int64(d.turn), int64(d.n)}
	return slices.Compare(a[:], b[:]) < 0
}

// ParseStepCursor reads what String wrote; the empty text is the beginning.
func ParseStepCursor(s string) (c StepCursor, err error) {
	if s == "" {
		return c, nil
	}
	_, err = fmt.Sscanf(s, "%d.%d.%d.%d.%d.%d", &c.xid, &c.at, &c.task, &c.turn, &c.n, &c.Part)
	if err != nil || c.String() != s || c.xid < 0 || c.at < 0 || c.task < 0 || c.turn < 0 || c.n < 0 || c.Part < 0 {
		return StepCursor{}, parley.Errorf(parley.Invalid, "%q is not a place among the steps.", parley.Clip(s, 40)).
			WithHint("Give a cursor as the hub gave it out, or none to begin with the first step.")
	}
	return c, nil
}
