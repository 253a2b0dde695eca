package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"parley"
)

// stored is what the database holds, read without the program's own reading code. To
// be quick, look leaves out what can no longer change; recheck, at the end of a run,
// leaves nothing out.
type stored struct {
	conn  *sqlite.Conn
	since parley.Micros // when it was looked at before

	agents     map[parley.AgentID]parley.Agent
	tasks      map[parley.TaskID]parley.Task
	messages   []parley.Message
	byBody     map[string]parley.TaskID // of requests that are no retries
	threads    map[parley.ThreadID]parley.Thread
	channels   map[parley.ThreadID]parley.Channel
	deliveries map[parley.MessageID]parley.Delivery
	inbox      map[parley.TaskID][]parley.MessageID
	steps      map[stepKey]int
	known      map[stepID]bool
	noticed    map[parley.MessageID]bool // taken into a turn between two steps
	events     []parley.Event
	trespasses map[string]int // rows of tables that only somebody without a lease would write to
	reserved   map[string]bool
}

type stepID struct {
	task parley.TaskID
	turn int
	n    int
}

type stepKey struct {
	task parley.TaskID
	turn int
	kind parley.StepKind
}

func openStored(path string) (*stored, error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	return &stored{conn: c, byBody: map[string]parley.TaskID{}, tasks: map[parley.TaskID]parley.Task{},
		deliveries: map[parley.MessageID]parley.Delivery{}, steps: map[stepKey]int{}, known: map[stepID]bool{}, noticed: map[parley.MessageID]bool{}}, nil
}

func (s *stored) close() error { return s.conn.Close() }

// look reads what may have changed, in one snapshot.
func (s *stored) look(now parley.Micros) (err error) {
	defer func() { s.since = now }()
	if err := s.rows("BEGIN", nil); err != nil {
		return err
	}
	err = errors.Join(s.readAgents(), s.readTasks(), s.readThreads(), s.readMessages(), s.readDeliveries(),
		s.readInbox(), s.readSteps(), s.readEvents(), s.readTrespasses())
	return errors.Join(err, s.rows("COMMIT", nil))
}

func (s *stored) rows(sql string, row func(*sqlite.Stmt), args ...int64) error {
	stmt, err := s.conn.Prepare(sql)
	if err != nil {
		return err
	}
	for i, a := range args {
		stmt.BindInt64(i+1, a)
	}
	for {
		more, err := stmt.Step()
		if err != nil {
			return errors.Join(err, stmt.Reset())
		}
		if !more {
			return stmt.Reset()
		}
		row(stmt)
	}
}

func (s *stored) readAgents() error {
	s.agents = map[parley.AgentID]parley.Agent{}
	return s.rows(`SELECT id, name, kind, turns, offline, sleeping_until, drawn_at, debt FROM agent JOIN rate ON agent_id = id`, func(r *sqlite.Stmt) {
		id := parley.AgentID(r.ColumnInt64(0))
		s.agents[id] = parley.Agent{ID: id, Name: r.ColumnText(1), Kind: parley.AgentKind(r.ColumnText(2)), Turns: r.ColumnInt(3),
			Offline: r.ColumnInt(4) != 0, SleepingUntil: parley.Micros(r.ColumnInt64(5)),
			Rate: parley.Rate{At: parley.Micros(r.ColumnInt64(6)), Debt: time.Duration(r.ColumnInt64(7)) * time.Microsecond}}
	})
}

func (s *stored) readTasks() error {
	return s.rows(`SELECT id, parent_id, root_id, retry_of, pattern, requester_id, agent_id, thread_id, request_id, priority, state,
		callback, due_at, deadline_at, wait_until, ask_depth, delegation_depth, open_children, inbox_count, inbox_read, turns,
		worker_id, token, rescues, result_id, error, ended_by, created_at, ended_at FROM task WHERE state <= 3 OR ended_at >= ?`, func(r *sqlite.Stmt) {
		id := parley.TaskID(r.ColumnInt64(0))
		s.tasks[id] = parley.Task{ID: id, Parent: parley.TaskID(r.ColumnInt64(1)), Root: parley.TaskID(r.ColumnInt64(2)),
			RetryOf: parley.TaskID(r.ColumnInt64(3)), Pattern: parley.Pattern(r.ColumnText(4)),
			Requester: parley.AgentID(r.ColumnInt64(5)), Agent: parley.AgentID(r.ColumnInt64(6)),
			Thread: parley.ThreadID(r.ColumnInt64(7)), Request: parley.MessageID(r.ColumnInt64(8)),
			Priority: parley.Priority(r.ColumnInt64(9)), State: parley.State(r.ColumnInt64(10)),
			Callback: parley.Callback(r.ColumnInt64(11)), Due: parley.Micros(r.ColumnInt64(12)),
			Deadline: parley.Micros(r.ColumnInt64(13)), WaitUntil: parley.Micros(r.ColumnInt64(14)),
			AskDepth: r.ColumnInt(15), DelegationDepth: r.ColumnInt(16), OpenChildren: r.ColumnInt(17),
			InboxCount: r.ColumnInt(18), InboxRead: r.ColumnInt(19), Turns: r.ColumnInt(20), Worker: r.ColumnInt64(21),
			Token: r.ColumnInt64(22), Rescues: r.ColumnInt(23), Result: parley.MessageID(r.ColumnInt64(24)),
			Error: r.ColumnText(25), EndedBy: parley.AgentID(r.ColumnInt64(26)),
			CreatedAt: parley.Micros(r.ColumnInt64(27)), EndedAt: parley.Micros(r.ColumnInt64(28))}
	}, int64(s.since))
}

func (s *stored) readThreads() error {
	s.threads, s.channels = map[parley.ThreadID]parley.Thread{}, map[parley.ThreadID]parley.Channel{}
	return s.rows(`SELECT t.id, t.last_message, t.message_count, c.id, c.a_id, c.b_id, c.main_thread
		FROM thread t JOIN channel c ON c.id = t.channel_id`, func(r *sqlite.Stmt) {
		id := parley.ThreadID(r.ColumnInt64(0))
		s.threads[id] = parley.Thread{ID: id, Last: parley.MessageID(r.ColumnInt64(1)), Count: r.ColumnInt(2)}
		s.channels[id] = parley.Channel{ID: parley.ChannelID(r.ColumnInt64(3)), A: parley.AgentID(r.ColumnInt64(4)),
			B: parley.AgentID(r.ColumnInt64(5)), Main: parley.ThreadID(r.ColumnInt64(6))}
	})
}

func (s *stored) readMessages() error {
	list, err := s.messagesAfter(s.lastMessage())
	s.messages = append(s.messages, list...)
	for _, m := range list {
		if t := s.tasks[m.Task]; t.Request == m.ID && t.RetryOf == 0 || m.Kind == parley.NotificationMessage {
			s.byBody[m.Body] = m.Task
		}
	}
	return err
}

// message finds a stored message; zero if there is none.
func (s *stored) message(id parley.MessageID) (m parley.Message) {
	if i, ok := slices.BinarySearchFunc(s.messages, id, func(m parley.Message, id parley.MessageID) int { return int(m.ID - id) }); ok {
		m = s.messages[i]
	}
	return m
}

func (s *stored) lastMessage() parley.MessageID {
	if len(s.messages) == 0 {
		return 0
	}
	return s.messages[len(s.messages)-1].ID
}

func (s *stored) messagesAfter(id parley.MessageID) (list []parley.Message, err error) {
	err = s.rows(`SELECT id, thread_id, n, prev_id, author_id, kind, body, task_id, origin_id, priority FROM message WHERE id > ? ORDER BY id`,
		func(r *sqlite.Stmt) {
			list = append(list, parley.Message{ID: parley.MessageID(r.ColumnInt64(0)), Thread: parley.ThreadID(r.ColumnInt64(1)),
				N: r.ColumnInt(2), Prev: parley.MessageID(r.ColumnInt64(3)), Author: parley.AgentID(r.ColumnInt64(4)),
				Kind: parley.MessageKind(r.ColumnText(5)), Body: r.ColumnText(6), Task: parley.TaskID(r.ColumnInt64(7)),
				Origin: parley.TaskID(r.ColumnInt64(8)), Priority: parley.Priority(r.ColumnInt64(9))})
		}, int64(id))
	return list, err
}

func (s *stored) readDeliveries() error {
	var twice error
	err := s.rows(`SELECT message_id, recipient_id, pull, delivered_at, seen_at, answered_at FROM delivery
		WHERE seen_at = 0 OR seen_at >= ?1 OR answered_at >= ?1`, func(r *sqlite.Stmt) {
		d := parley.Delivery{Message: parley.MessageID(r.ColumnInt64(0)), Recipient: parley.AgentID(r.ColumnInt64(1)),
			Pull: r.ColumnInt(2) != 0, Delivered: parley.Micros(r.ColumnInt64(3)), Seen: parley.Micros(r.ColumnInt64(4)),
			Answered: parley.Micros(r.ColumnInt64(5))}
		if old, ok := s.deliveries[d.Message]; ok && old.Recipient != d.Recipient {
			twice = fmt.Errorf("%s has two recipients", d.Message)
		}
		s.deliveries[d.Message] = d
	}, int64(s.since))
	return errors.Join(err, twice)
}

func (s *stored) readInbox() error {
	s.inbox = map[parley.TaskID][]parley.MessageID{}
	var gap error
	err := s.rows(`SELECT task_id, n, message_id FROM inbox ORDER BY task_id, n`, func(r *sqlite.Stmt) {
		id := parley.TaskID(r.ColumnInt64(0))
		s.inbox[id] = append(s.inbox[id], parley.MessageID(r.ColumnInt64(2)))
		if n := r.ColumnInt(1); n != len(s.inbox[id]) {
			gap = fmt.Errorf("the inbox of %s has a gap before %d", id, n)
		}
	})
	return errors.Join(err, gap)
}

func (s *stored) readSteps() error {
	var wrong error
	err := s.rows(`SELECT task_id, turn, n, kind, content FROM step WHERE at >= ?`, func(r *sqlite.Stmt) {
		id := stepID{parley.TaskID(r.ColumnInt64(0)), r.ColumnInt(1), r.ColumnInt(2)}
		if s.known[id] {
			return
		}
		s.known[id] = true
		kind := parley.StepKind(r.ColumnText(3))
		s.steps[stepKey{id.task, id.turn, kind}]++
		if kind == parley.StepInbox {
			var arrived struct{ Notices []parley.MessageID }
			wrong = errors.Join(wrong, json.Unmarshal([]byte(r.ColumnText(4)), &arrived))
			for _, m := range arrived.Notices {
				s.noticed[m] = true
			}
		}
	}, int64(s.since))
	return errors.Join(err, wrong)
}

func (s *stored) readEvents() error {
	var last parley.EventID
	if len(s.events) > 0 {
		last = s.events[len(s.events)-1].ID
	}
	return s.rows(`SELECT id, kind, actor_id, target_id, task_id, message_id FROM event WHERE id > ? ORDER BY id`, func(r *sqlite.Stmt) {
		s.events = append(s.events, parley.Event{ID: parley.EventID(r.ColumnInt64(0)), Kind: parley.EventKind(r.ColumnText(1)),
			Actor: parley.AgentID(r.ColumnInt64(2)), Target: parley.AgentID(r.ColumnInt64(3)),
			Task: parley.TaskID(r.ColumnInt64(4)), Message: parley.MessageID(r.ColumnInt64(5))})
	}, int64(last))
}

func (s *stored) readTrespasses() error {
	s.trespasses, s.reserved = map[string]int{}, map[string]bool{}
	err := s.rows(`SELECT 'approval', count(*) FROM approval UNION ALL SELECT 'question_route', count(*) FROM question_route WHERE state <> 1`,
		func(r *sqlite.Stmt) { s.trespasses[r.ColumnText(0)] = r.ColumnInt(1) })
	return errors.Join(err, s.rows(`SELECT task_id, token, turn, n, tokens FROM reservation`, func(r *sqlite.Stmt) {
		s.reserved[fmt.Sprint(r.ColumnInt(0), r.ColumnInt(1), r.ColumnInt(2), r.ColumnInt(3), r.ColumnInt(4))] = true
	}))
}

// recheck reads everything again: what was stored once is still there, and what
// had ended has not changed.
func (s *stored) recheck(now parley.Micros) error {
	s.since = 0
	clear(s.tasks)
	clear(s.deliveries)
	if err := s.look(now); err != nil {
		return err
	}
	all, err := s.messagesAfter(0)
	if err != nil {
		return err
	}
	for i, m := range s.messages {
		if i >= len(all) || all[i] != m {
			return fmt.Errorf("%s was lost or has changed", m.ID)
		}
	}
	return nil
}

// What a world asks about its tasks and contacts.

func (s *stored) has(body string) bool             { _, ok := s.byBody[body]; return ok }
func (s *stored) taskOf(body string) parley.TaskID { return s.byBody[body] }
func (s *stored) agent(a *agent) parley.Agent      { return s.agents[a.id] }
func (s *stored) state(t *task) parley.State       { return s.tasks[t.id].State }
func (s *stored) endedAt(t *task) parley.Micros    { return s.tasks[t.id].EndedAt }
func (s *stored) callback(t *task) parley.Callback { return s.tasks[t.id].Callback }
func (s *stored) due(t *task) parley.Micros        { return s.tasks[t.id].Due }
func (s *stored) read(t *task) int                 { return s.tasks[t.id].InboxRead }
func (s *stored) turns(t *task) int                { return s.tasks[t.id].Turns }
func (s *stored) token(t *task) int                { return int(s.tasks[t.id].Token) }
func (s *stored) rescues(t *task) int              { return s.tasks[t.id].Rescues }
func (s *stored) replies(t *task) int              { return s.steps[stepKey{t.id, t.turns, parley.StepReply}] }
func (s *stored) results(t *task) int              { return s.steps[stepKey{t.id, t.turns, parley.StepResult}] }

func (s *stored) failed(t *task, why string) bool {
	return s.state(t) == parley.TaskFailed && s.tasks[t.id].Error == why
}

func (s *stored) cancelled(t *task, by *agent) bool {
	return s.state(t) == parley.Cancelled && s.tasks[t.id].EndedBy == by.id
}

// retried finds the retry of a task that the world does not know yet.
func (s *stored) retried(w *world, old *task) parley.TaskID {
	for id, t := range s.tasks {
		if t.RetryOf == old.id && w.task(id) == nil {
			return id
		}
	}
	return 0
}

// digest describes all tasks and the newest messages, in their order.
func (s *stored) digest() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(s.tasks)) {
		if t := s.tasks[id]; t.State.Open() {
			fmt.Fprintf(&b, " %s:%s/%d/%d/%d", id, t.State, t.Token, t.Turns, t.InboxCount)
		}
	}
	for _, m := range s.messages[max(0, len(s.messages)-4):] {
		fmt.Fprintf(&b, " %d:%s", m.ID, m.Body)
	}
	return b.String()
}
