package crash

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A checker that finds nothing proves nothing unless it would find something. Here a
// sound database is damaged in one place after the other.
func TestTheCheckerFindsDamage(t *testing.T) {
	g := newGround(t)
	p := g.place("hub", team{})
	known := g.soundDatabase(p)

	// A delegation within a job, as the others are: child, its parent, the
	// message that brought its result.
	const child = `(SELECT min(t.id) FROM task t WHERE t.callback = 2 AND t.state = 4)`
	const parent = `(SELECT parent_id FROM task WHERE id = ` + child + `)`
	const callback = `(SELECT id FROM message WHERE task_id = ` + child + ` AND kind = 'delegation_result')`
	const contact = `(SELECT min(id) FROM message WHERE origin_id = 0 AND key IS NOT NULL)`
	for _, c := range []struct{ name, damage, complaint string }{
		{"nothing", ``, ``},
		{"a contact is lost", `DELETE FROM message WHERE id = ` + contact, `was acknowledged`},
		{"a contact is there twice", `INSERT INTO message SELECT id + 1000000, team_id, thread_id, n + 1000000, prev_id, author_id + 1000000, kind, body,
			context, task_id, origin_id, key, at, priority, question_id FROM message WHERE id = ` + contact, `is there 2 times`},
		{"a contact was changed", `UPDATE message SET body = 'other' WHERE id = ` + contact, `says "other"`},
		{"a contact that nobody made", `UPDATE message SET key = 'key-of-nobody' WHERE id = ` + contact, `nobody made`},
		{"a gap in a thread", `UPDATE message SET n = n + 1000000 WHERE id = ` + callback, `has no message number`},
		{"a broken thread", `UPDATE message SET prev_id = prev_id + 1 WHERE n > 1`, `as the one before it`},
		{"a thread that counts wrong", `UPDATE thread SET message_count = message_count - 1 WHERE message_count > 1`, `counts`},
		{"a thread without its end", `UPDATE thread SET last_message = last_message - 1 WHERE message_count > 1`, `as its last one`},
		{"a delivery is lost", `DELETE FROM delivery WHERE message_id = ` + callback, `has 0 deliveries`},
		{"read and not seen", `UPDATE delivery SET seen_at = 0 WHERE message_id = ` + callback, `does not count as seen`},
		{"answered and not seen", `UPDATE delivery SET seen_at = 0 WHERE answered_at > 0`, `was delivered at`},
		{"a task is left open", `UPDATE task SET state = 3, ended_at = 0 WHERE id = ` + parent, `is still waiting`},
		{"a task that nobody runs", `UPDATE task SET state = 2, ended_at = 0 WHERE id = ` + child, `held by worker 0`},
		{"a child too many", `UPDATE task SET open_children = 1 WHERE id = ` + parent, `it counts 1`},
		{"unread results", `UPDATE task SET inbox_read = inbox_read - 1 WHERE id = ` + parent, `is completed with`},
		{"a result comes twice", `INSERT INTO inbox SELECT task_id, n + 1000000, message_id FROM inbox WHERE message_id = ` + callback, `came back to`},
		{"a result does not come", `DELETE FROM inbox WHERE message_id = ` + callback, `is not in the inbox`},
		{"a result is not posted", `DELETE FROM message WHERE id = ` + callback, `was posted 0 times`},
		{"a result is posted twice", `INSERT INTO message SELECT id + 1000000, team_id, thread_id, n + 1000000, prev_id, author_id, kind, body,
			context, task_id, origin_id, key, at, priority, question_id FROM message WHERE id = ` + callback, `was posted 2 times`},
		{"a failure instead of a result", `UPDATE message SET kind = 'delegation_failed' WHERE id = ` + callback, `was posted as delegation_failed`},
		{"a child is lost", `DELETE FROM task WHERE id = ` + child, `has the tree`},
		{"an agent worked twice", `INSERT INTO task SELECT id + 1000000, team_id, parent_id, root_id, retry_of, pattern, requester_id, agent_id, thread_id,
			request_id, title, priority, state, callback, due_at, deadline_at, wait_until, ask_depth, delegation_depth, open_children, inbox_count,
			inbox_read, turns, worker_id, token, rescues, result_id, error, ended_by, created_at, started_at, ended_at, approvals, cause_id, budget_id, waits, dependents, chain_id, mentions, mentions_told, provider, provider_since, resumes FROM task WHERE id = ` + child, `has the tree`},
		{"a question is lost", `DELETE FROM question_route WHERE state = 2 AND question_id = (SELECT min(id) FROM question)`, `was answered 0 times, and 1 answers`},
		{"a question was asked twice", `INSERT INTO event SELECT id + 1000000, team_id, at, kind, actor_id, target_id, task_id, message_id, detail
			FROM event WHERE id = (SELECT min(id) FROM event WHERE kind = 'question.asked')`, `times according to the record`},
		{"somebody was asked twice", `INSERT INTO question_route SELECT question_id, n + 100, agent_id, by_id, task_id, hop, enrichment, 3, 0, at
			FROM question_route WHERE question_id = (SELECT min(id) FROM question) AND n = 1`, `twice`},
		{"an answer is not delivered", `UPDATE message SET question_id = 0 WHERE kind = 'answer'`, `and 0 answers were delivered`},
		{"an answer is there twice", `INSERT INTO message SELECT id + 1000000, team_id, thread_id, n + 1000000, prev_id, author_id, kind, body,
			context, task_id, origin_id, NULL, at, priority, question_id FROM message WHERE id = (SELECT min(id) FROM message WHERE kind = 'answer')`, `2 answers were delivered`},
		{"a mention is lost", `DELETE FROM task WHERE id = (SELECT min(id) FROM task WHERE pattern = 'mention')`, `has 2 deliveries and 1 mentions`},
		{"a mention has a parent", `UPDATE task SET parent_id = cause_id WHERE id = (SELECT min(id) FROM task WHERE pattern = 'mention')`, `is a mention below`},
		{"a mention of another", `UPDATE task SET agent_id = (SELECT id FROM agent WHERE name = 'Cid') WHERE id = (SELECT min(id) FROM task WHERE pattern = 'mention')`, `is not for Cid`},
		{"a post without a record", `DELETE FROM delivery WHERE message_id = (SELECT min(id) FROM message WHERE kind = 'post')`, `has 0 deliveries and 2 mentions`},
		{"a member has read too far", `UPDATE member SET read_n = 1000000`, `has read 1000000`},
		{"an approval of an ended task", `UPDATE task SET approvals = 1 WHERE id = ` + child, `approvals pending`},
		{"a denied call was made", `UPDATE approval SET state = 3 WHERE state = 2`, `is denied, and 1 contacts were made`},
		{"an approved call was not made", `UPDATE approval SET state = 2 WHERE state = 3`, `is approved, and 0 contacts were made`},
		{"a decision is lost", `UPDATE approval SET state = 1`, `is pending; on record it was asked for 1 times and decided 1 times`},
		{"an approval is lost", `DELETE FROM approval WHERE id = 1`, `has 0 approvals`},
		{"a decision was made twice", `INSERT INTO event SELECT id + 1000000, team_id, at, kind, actor_id, target_id, task_id, message_id, detail FROM event
			WHERE kind = 'approval.approved'`, `decided 2 times`},
		{"a wrong result", `UPDATE message SET body = 'nonsense' WHERE id = (SELECT result_id FROM task WHERE id = ` + parent + `)`, `has the result`},
		{"a step is lost", `DELETE FROM step WHERE kind = 'result' AND task_id = ` + parent, `goes from step`},
		{"a call has two results", `INSERT INTO step (task_id, turn, n, kind, content, at, input, output, money, active)
			SELECT task_id, turn, n + 1, kind, content, at, input, output, money, active FROM step WHERE kind = 'result'
			AND n = (SELECT max(n) FROM step s WHERE s.task_id = step.task_id AND s.turn = step.turn)
			OR (task_id, turn, n) IN (SELECT task_id, turn, max(n) FROM step WHERE kind = 'result' GROUP BY task_id, turn)
			ON CONFLICT DO UPDATE SET kind = excluded.kind, content = excluded.content`, `which was not called or has one`},
		{"a step after the end", `UPDATE step SET at = at + 1000000000000 WHERE task_id = ` + child, `was stored after its end`},
		{"a contact that no call made", `UPDATE message SET key = '1/1/call-1-1' WHERE origin_id = ` + parent + ` AND task_id = ` + child, `which is no call's`},
		{"a call without its contact", `UPDATE message SET origin_id = 0, key = NULL WHERE origin_id = ` + parent, `made 0 contacts`},
		{"a task ends twice", `INSERT INTO event SELECT id + 1000000, team_id, at, kind, actor_id, target_id, task_id, message_id, detail FROM event
			WHERE kind = 'task.completed'`, `ended 2 times`},
		{"an end is not on record", `DELETE FROM event WHERE kind = 'task.completed'`, `ended 0 times`},
		{"an opening is not on record", `DELETE FROM event WHERE kind = 'task.opened'`, `opened 0 times`},
		{"a claim is held by two", `UPDATE task SET state = 3; DELETE FROM claim;
			INSERT INTO claim SELECT team_id, 'a.go', 1, 9, agent_id, id, 1000 FROM task`, `lines 1-9 of a.go is held by`},
		{"a hub is still registered", `INSERT INTO worker VALUES (1000000, 'ghost', 0)`, `still registered`},
	} {
		t.Run(c.name, func(t *testing.T) {
			problems := damaged(t, p.database(), c.damage, known)
			if c.complaint == "" && len(problems) > 0 {
				t.Errorf("complaints about a sound database:\n%s", lines(problems))
			}
			if !strings.Contains(strings.Join(problems, "\n"), c.complaint) {
				t.Errorf("no complaint with %q among:\n%s", c.complaint, lines(problems))
			}
		})
	}
}

// soundDatabase lets a hub do every kind of job and stop.
func (g *ground) soundDatabase(p *place) map[string]entry {
	g.Helper()
	h := g.start(p)
	gate, ledger := newGate(), newLedger()
	gate.open(0, h.waitUp())
	load := startLoad(gate, ledger, 1, clients)
	defer load.finish(0)
	g.eventually("contacts of every kind", func(context.Context) (bool, error) { return ledger.total() >= 100 && ledger.everyKind(), nil })
	if !load.finish(patience) {
		g.Fatalf("the clients do not come to an end\n%s", h.lastWords())
	}
	g.settle(h.waitUp())
	h.stop()
	if list := ledger.complaints(); len(list) > 0 {
		g.Fatalf("%s", lines(list))
	}
	return ledger.snapshot()
}

// everyKind reports whether a job of each name was accepted.
func (l *ledger) everyKind() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	done := map[string]bool{}
	for _, e := range l.entries {
		done[e.job.name] = done[e.job.name] || e.accepted
	}
	for _, k := range kinds {
		if !done[k.name] {
			return false
		}
	}
	return true
}

// TestAHubThatDiedAtOnceLeavesNothing: a kill may come before the hub has made its
// folder. That is nothing lost, but only as long as nobody was told of anything.
func TestAHubThatDiedAtOnceLeavesNothing(t *testing.T) {
	db, err := openSQLite(filepath.Join(t.TempDir(), "never made", "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	r, err := read(db)
	if err != nil {
		t.Fatal(err)
	}
	if problems := always(r); len(problems) > 0 {
		t.Error(problems)
	}
	known := map[string]entry{"k": {accepted: true}}
	if problems := compare(r, known, known); len(problems) == 0 {
		t.Error("an acknowledged contact is not in it, and nobody noticed")
	}
}

// damaged damages a copy of a database and returns what the checker says.
func damaged(t *testing.T, path, damage string, known map[string]entry) []string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := copyFile(path, copied); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(copied, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, damage, nil); err != nil {
		t.Fatal(err)
	}
	if damage != "" && conn.Changes() == 0 {
		t.Fatal("nothing was damaged")
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := openSQLite(copied)
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	r, err := read(db)
	if err != nil {
		t.Fatal(err)
	}
	return append(atRest(r), compare(r, known, known)...)
}
