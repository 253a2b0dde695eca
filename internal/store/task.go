package store

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/wake"
)

const taskCols = `id, team_id, parent_id, root_id, retry_of, pattern, requester_id, agent_id, thread_id, request_id,
	title, priority, state, callback, due_at, deadline_at, wait_until, ask_depth, delegation_depth, open_children,
	inbox_count, inbox_read, turns, worker_id, token, rescues, result_id, error, ended_by, created_at, started_at, ended_at,
	approvals, budget_id, waits, cause_id, dependents, CASE WHEN chain_id > 0 THEN chain_id ELSE root_id END, mentions, mentions_told,
	provider, provider_since, resumes`

const taskColCount = 43

func scanTask(r Row) parley.Task {
	return parley.Task{
		ID: parley.TaskID(r.Int(0)), Team: parley.TeamID(r.Int(1)), Parent: parley.TaskID(r.Int(2)),
		Root: parley.TaskID(r.Int(3)), RetryOf: parley.TaskID(r.Int(4)), Pattern: parley.Pattern(r.Text(5)),
		Requester: parley.AgentID(r.Int(6)), Agent: parley.AgentID(r.Int(7)), Thread: parley.ThreadID(r.Int(8)),
		Request: parley.MessageID(r.Int(9)), Title: r.Text(10), Priority: parley.Priority(r.Int(11)),
		State: parley.State(r.Int(12)), Callback: parley.Callback(r.Int(13)), Due: parley.Micros(r.Int(14)),
		Deadline: parley.Micros(r.Int(15)), WaitUntil: parley.Micros(r.Int(16)), AskDepth: int(r.Int(17)),
		DelegationDepth: int(r.Int(18)), OpenChildren: int(r.Int(19)), InboxCount: int(r.Int(20)),
		InboxRead: int(r.Int(21)), Turns: int(r.Int(22)), Worker: r.Int(23), Token: r.Int(24), Rescues: int(r.Int(25)),
		Result: parley.MessageID(r.Int(26)), Error: r.Text(27), EndedBy: parley.AgentID(r.Int(28)),
		CreatedAt: parley.Micros(r.Int(29)), StartedAt: parley.Micros(r.Int(30)), EndedAt: parley.Micros(r.Int(31)),
		Approvals: int(r.Int(32)), Budget: parley.TaskID(r.Int(33)), Waits: parley.Wait(r.Int(34)), Cause: parley.TaskID(r.Int(35)),
		Dependents: int(r.Int(36)), Chain: parley.TaskID(r.Int(37)), Mentions: int(r.Int(38)), MentionsTold: r.Int(39) != 0,
		Provider: r.Text(40), ProviderSince: parley.Micros(r.Int(41)), Resumes: parley.TaskID(r.Int(42)),
	}
}

// NewTaskID draws a task's number before the task is stored, since its request
// message names it.
func (tx *Tx) NewTaskID() parley.TaskID { return parley.TaskID(tx.conn.NextID(SeqTask)) }

func (tx *Tx) Task(id parley.TaskID) (t parley.Task, err error) {
	if t, ok := tx.conn.Hot().task(id); ok {
		return t, nil
	}
	err = tx.one(`SELECT `+taskCols+` FROM task WHERE id = $1`, func(r Row) { t = scanTask(r) }, int64(id))
	return t, err
}

// Handover reads what a turn starts from, in one round trip.
func (tx *Tx) Handover(id parley.TaskID) (h parley.Handover, err error) {
	arg := []any{int64(id)}
	err = tx.conn.Query(
		Query{SQL: `SELECT ` + taskCols + `, ` + hasMail + `= agent_id` + orNone + ` FROM task WHERE id = $1`, Args: arg,
			Row: func(r Row) { h.Task, h.Mail = scanTask(r), r.Int(taskColCount) != 0 }},
		Query{SQL: `SELECT ` + messageColsOfM + ` FROM task k JOIN message m ON m.id = k.request_id WHERE k.id = $1`,
			Args: arg, Row: func(r Row) { h.Request = scanMessage(r) }},
		Query{SQL: `SELECT ` + threadColsOfT + ` FROM task k JOIN thread t ON t.id = k.thread_id WHERE k.id = $1`,
			Args: arg, Row: func(r Row) { h.Thread = scanThread(r) }},
		Query{SQL: `SELECT ` + channelColsOfC + `
			FROM task k JOIN thread t ON t.id = k.thread_id JOIN channel c ON c.id = t.channel_id WHERE k.id = $1`,
			Args: arg, Row: func(r Row) { h.Channel = scanChannel(r) }},
	)
	if err == nil && (h.Task.ID == 0 || h.Request.ID == 0 || h.Channel.ID == 0) {
		err = ErrNotFound
	}
	return h, err
}

// LockTasks reads and locks tasks in the given order, in one round trip. Parents must
// come before their children. A zero id gives a zero task.
func (tx *Tx) LockTasks(ids ...parley.TaskID) ([]parley.Task, error) {
	return tx.lockTasks(ids, nil)
}

// Working is a task that is being worked on.
type Working struct {
	Task   parley.Task
	Thread parley.Thread
	// Mail says that there is unread mail about the task.
	Mail bool
}

// LockWorking reads and locks a task that is being worked on. It also reads the
// task's thread, without locking it, and whether there is mail about the task.
func (tx *Tx) LockWorking(id parley.TaskID, of parley.AgentID, in parley.ThreadID) (Working, error) {
	return tx.working(lockTask, id, of, in)
}

// Working is LockWorking without the lock.
func (tx *Tx) Working(id parley.TaskID, of parley.AgentID, in parley.ThreadID) (Working, error) {
	return tx.working(readTask, id, of, in)
}

func (tx *Tx) working(read string, id parley.TaskID, of parley.AgentID, in parley.ThreadID) (w Working, err error) {
	look := Query{SQL: `SELECT ` + threadColsOfT + `, COALESCE((SELECT 1 FROM delivery /*list about*/ d WHERE ` + mailAbout + orNone + `
		FROM thread t WHERE t.id = $3`, Args: []any{int64(of), int64(id), int64(in)},
		Row: func(r Row) { w.Thread, w.Mail = scanThread(r), r.Int(threadColCount) != 0 }}
	list, err := tx.readTasks(read, []parley.TaskID{id}, []Query{look})
	if err != nil {
		return w, err
	}
	w.Task = list[0]
	return w, nil
}

const (
	readTask = `SELECT ` + taskCols + ` FROM task WHERE id = $1`
	lockTask = readTask + ` /*lock*/`
)

func (tx *Tx) lockTasks(ids []parley.TaskID, extra []Query) ([]parley.Task, error) {
	return tx.readTasks(lockTask, ids, extra)
}

func (tx *Tx) readTasks(read string, ids []parley.TaskID, extra []Query) ([]parley.Task, error) {
	list := make([]parley.Task, len(ids))
	qs := make([]Query, 0, len(ids)+len(extra))
	for i, id := range ids {
		if t, ok := tx.conn.Hot().task(id); ok {
			list[i] = t
		} else if id != 0 {
			qs = append(qs, Query{SQL: read,
				Args: []any{int64(id)}, Row: func(r Row) { list[i] = scanTask(r); tx.conn.Hot().keepTask(list[i]) }})
		}
	}
	if err := tx.conn.Query(append(qs, extra...)...); err != nil {
		return nil, err
	}
	for i, id := range ids {
		if list[i].ID != id {
			return nil, ErrNotFound
		}
	}
	return list, nil
}

// LockEnding reads and locks a task that is about to end, and its parent if there is
// one. Nothing else may be locked after it. Where round trips cost time, it also
// locks the threads that the end will be posted to.
func (tx *Tx) LockEnding(parent, id parley.TaskID) (p, t *parley.Task, err error) {
	var threads []Query
	if tx.conn.Engine() == PostgreSQL {
		keep := func(r Row) { t := scanThread(r); tx.keepThread(&t) }
		threads = []Query{{SQL: ownThread, Args: []any{int64(id)}, Row: keep}}
		if parent != 0 {
			threads = append(threads, Query{SQL: parentThread, Args: []any{int64(id), int64(parley.CallbackReply)}, Row: keep})
		}
	}
	list, err := tx.lockTasks([]parley.TaskID{parent, id}, threads)
	if err != nil {
		return nil, nil, err
	}
	return &list[0], &list[1], nil
}

const (
	ownThread = `SELECT ` + threadColsOfT + `
		FROM task k JOIN thread t ON t.id = k.thread_id WHERE k.id = $1 /*lock thread*/`
	// The parent's thread gets no message if the parent waits for the reply itself,
	// or if the task has no callback.
	parentThread = `SELECT ` + threadColsOfT + `
		FROM task k JOIN task p ON p.id = k.parent_id JOIN thread t ON t.id = p.thread_id
		WHERE k.id = $1 AND k.callback > $2 /*lock thread*/`
)

// InsertTask stores a new task under the id that NewTaskID drew.
func (tx *Tx) InsertTask(t *parley.Task) {
	if t.CreatedAt = tx.Now; t.Chain == 0 {
		t.Chain = t.Root // as it is read
	}
	tx.exec(`INSERT INTO task (id, team_id, parent_id, root_id, retry_of, pattern, requester_id, agent_id, thread_id,
			request_id, title, priority, state, callback, due_at, deadline_at, wait_until, ask_depth, delegation_depth,
			worker_id, token, created_at, started_at, budget_id, cause_id, waits, chain_id, mentions, mentions_told, resumes)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30) /*later*/`,
		int64(t.ID), int64(t.Team), int64(t.Parent), int64(t.Root), int64(t.RetryOf), string(t.Pattern),
		int64(t.Requester), int64(t.Agent), int64(t.Thread), int64(t.Request), t.Title, int64(t.Priority),
		int64(t.State), int64(t.Callback), int64(t.Due), int64(t.Deadline), int64(t.WaitUntil), int64(t.AskDepth),
		int64(t.DelegationDepth), t.Worker, t.Token, int64(t.CreatedAt), int64(t.StartedAt), int64(t.Budget), int64(t.Cause), int64(t.Waits),
		int64(t.Chain), int64(t.Mentions), flag(t.MentionsTold), int64(t.Resumes))
	tx.conn.Hot().inserted(t)
	if t.Parent > 0 {
		tx.addTo(ChildList, int64(t.Parent), int64(t.ID))
	}
	tx.signalState(t)
}

// UpdateTask stores everything of a task that can change. The caller holds the task's
// lock, so this is the write half of a compare-and-set.
func (tx *Tx) UpdateTask(t *parley.Task) {
	tx.exec(`UPDATE task SET state = $1, callback = $2, due_at = $3, deadline_at = $4, wait_until = $5, open_children = $6,
			inbox_count = $7, inbox_read = $8, turns = $9, worker_id = $10, token = $11, rescues = $12, result_id = $13,
			error = $14, ended_by = $15, started_at = $16, ended_at = $17, approvals = $18, waits = $19 WHERE id = $20 /*later*/`,
		int64(t.State), int64(t.Callback), int64(t.Due), int64(t.Deadline), int64(t.WaitUntil), int64(t.OpenChildren),
		int64(t.InboxCount), int64(t.InboxRead), int64(t.Turns), t.Worker, t.Token, int64(t.Rescues), int64(t.Result),
		t.Error, int64(t.EndedBy), int64(t.StartedAt), int64(t.EndedAt), int64(t.Approvals), int64(t.Waits), int64(t.ID))
	tx.conn.Hot().updated(t)
	tx.signalState(t)
}

// SetMentions stores what mentions have made along a chain, in its first task. The
// caller holds that task's lock.
func (tx *Tx) SetMentions(chain parley.TaskID, n int, told bool) {
	tx.exec(`UPDATE task SET mentions = $1, mentions_told = $2 WHERE id = $3`, int64(n), flag(told), int64(chain))
}

// SetProvider stores which provider a task waits for, and since when; 0 if it waits no
// longer. The caller holds the task's lock.
func (tx *Tx) SetProvider(t *parley.Task) {
	tx.exec(`UPDATE task SET provider = $1, provider_since = $2 WHERE id = $3`, t.Provider, int64(t.ProviderSince), int64(t.ID))
}

// UpdateProgress stores what changes while a task keeps its state: turns, inbox,
// children, approvals. It leaves the indexes of the open tasks alone.
func (tx *Tx) UpdateProgress(t *parley.Task) {
	tx.exec(`UPDATE task SET turns = $1, inbox_count = $2, inbox_read = $3, open_children = $4, result_id = $5, approvals = $6 WHERE id = $7 /*later*/`,
		int64(t.Turns), int64(t.InboxCount), int64(t.InboxRead), int64(t.OpenChildren), int64(t.Result), int64(t.Approvals), int64(t.ID))
	tx.conn.Hot().progressed(t)
}

// StartTurn stores what a turn began with, except the task itself, which the caller
// stores.
func (tx *Tx) StartTurn(t *parley.Task, s *parley.TurnStart) {
	t.Turns, t.InboxRead = s.Turn, s.Inbox
	for _, id := range s.Seen {
		tx.MarkSeen(id, t.Agent)
	}
	switch {
	case s.ReadTo == 0:
	case s.Group != 0:
		tx.ReadGroup(s.Group, t.Agent, s.ReadTo)
	default:
		tx.SetRead(t.Thread, t.Agent, s.ReadTo)
	}
}

// MarkShown marks what a running turn has shown to its agent since it began. readTo is
// how far the agent has now read the thread; 0 if that did not change.
func (tx *Tx) MarkShown(t *parley.Task, seen []parley.MessageID, readTo int) {
	for _, id := range seen {
		tx.MarkSeen(id, t.Agent)
	}
	if readTo > 0 {
		tx.SetRead(t.Thread, t.Agent, readTo)
	}
}

func (tx *Tx) signalState(t *parley.Task) {
	if t.State.Open() && (t.Due > 0 || t.Deadline > 0 && t.Deadline.Until(tx.Now) < time.Hour) {
		tx.Signal(wake.Clock, int64(t.ID))
	}
	switch {
	case t.State == parley.Queued && t.Due == 0:
		tx.Signal(wake.Work, int64(t.Agent))
	case !t.State.Open():
		tx.ended = append(tx.ended, *t)
		tx.Signal(wake.Ended, int64(t.ID))
		if t.Dependents > 0 {
			tx.Signal(wake.Clock, int64(t.ID)) // so that its dependents are looked at
		}
	}
}

// CROSS JOIN keeps SQLite from starting with all tasks.
const subtree = `WITH RECURSIVE sub (tid, depth) AS (
	SELECT id, 0 FROM task WHERE id = $1
	/*children*/ UNION ALL SELECT task.id, sub.depth + 1 FROM task JOIN sub ON task.parent_id = sub.tid WHERE task.parent_id > 0 /*end*/)
	SELECT ` + taskCols + ` FROM sub CROSS JOIN task WHERE task.id = sub.tid ORDER BY depth, id`

// Subtree reads a task and all its descendants, parents before children.
func (tx *Tx) Subtree(of parley.TaskID) (list []parley.Task, err error) {
	err = tx.query(subtree, func(r Row) { list = append(list, scanTask(r)) }, int64(of))
	return list, err
}

// TaskFilter picks tasks for a list.
type TaskFilter struct {
	Team  parley.TeamID
	Agent parley.AgentID // 0: any
	Roots bool
	Open  bool
	Ended bool
	State parley.State // 0: any
	// Before leaves out a task and those after it; 0 leaves out none.
	Before parley.TaskID
	Limit  int
}

// Tasks reads tasks for a list, newest first.
func (tx *Tx) Tasks(f TaskFilter) (list []parley.Task, err error) {
	where := []string{"team_id = $1"}
	args := []any{int64(f.Team), int64(f.Limit)}
	if f.Agent != 0 {
		where = append(where, "agent_id = $3")
		args = append(args, int64(f.Agent))
	}
	if f.Roots {
		where = append(where, "parent_id = 0")
	}
	order := "id"
	if f.Open {
		where = append(where, "state <= 3")
		order = "+id" // see the comment at the top of work.go
	}
	if f.Ended {
		where = append(where, "state > 3")
	}
	and := func(condition string, value int64) {
		args = append(args, value)
		where = append(where, condition+strconv.Itoa(len(args)))
	}
	if f.State != 0 {
		and("state = $", int64(f.State))
	}
	if f.Before != 0 {
		and("id < $", int64(f.Before))
	}
	err = tx.query(`SELECT `+taskCols+` FROM task WHERE `+strings.Join(where, " AND ")+` ORDER BY `+order+` DESC LIMIT $2`,
		func(r Row) { list = append(list, scanTask(r)) }, args...)
	return list, err
}

// PutInbox appends to a task's inbox. The caller holds the task's lock and stores the
// task afterwards.
func (tx *Tx) PutInbox(t *parley.Task, m parley.MessageID) {
	t.InboxCount++
	tx.exec(`INSERT INTO inbox (task_id, n, message_id) VALUES ($1, $2, $3) /*later*/`, int64(t.ID), int64(t.InboxCount), int64(m))
	tx.addTo(InboxList, int64(t.ID), int64(m))
	tx.conn.Recent().came.add(inInbox, int64(t.ID))
	tx.Signal(wake.TaskInbox, int64(t.ID))
}

// Inbox reads a task's inbox: the messages with numbers above after, up to upto.
func (tx *Tx) Inbox(of parley.TaskID, after, upto int) (list []parley.Message, err error) {
	// What is read is mostly the newest, and there are no gaps: counting from the end
	// finds it without a look at the rest. On SQLite the end is that of the list.
	last := "i.n"
	if tx.conn.Engine() == SQLite {
		last = "i.message_id"
	}
	type numbered struct {
		parley.Message
		n int64
	}
	var found []numbered
	err = tx.query(`SELECT `+messageColsOfM+`, i.n, i.message_id FROM inbox /*list inbox*/ i CROSS JOIN message m
		WHERE i.task_id = $1 AND i.n > $2 AND i.n <= $3 AND m.id = i.message_id ORDER BY `+last+` DESC LIMIT $4`,
		func(r Row) { found = append(found, numbered{scanMessage(r), r.Int(messageColCount)}) },
		int64(of), int64(after), int64(upto), int64(max(upto-after, 0)))
	slices.SortFunc(found, func(a, b numbered) int { return cmp.Compare(a.n, b.n) })
	for _, m := range found {
		list = append(list, m.Message)
	}
	return list, err
}
