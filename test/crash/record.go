package crash

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley"
)

// record is everything that a database holds, at one moment.
type record struct {
	agents     map[int64]string
	outside    map[int64]bool // agents that fetch their work
	channels   map[int64][2]int64
	threads    map[int64]thread
	messages   map[int64]message
	deliveries map[int64][]delivery // by message
	notified   map[int64][]int64    // whom a task notified
	tasks      map[int64]*task
	inbox      map[int64][]inboxItem // by task
	steps      map[int64][]step      // by task
	events     []event
	workers    []string
	approvals  []*approval
	questions  map[int64]*question
	claims     []parley.Claim
	strays     []string // what is on record of approvals that do not exist
	members    []member
}

// member is how far somebody has read the thread of a group channel.
type member struct{ thread, agent, read int64 }

type thread struct {
	id, channel, last, count int64
}

type message struct {
	id, thread, n, prev, author, task, origin int64
	kind, body, key                           string
}

type delivery struct {
	recipient, delivered, seen, answered int64
}

type task struct {
	id, parent, root, requester, agent, thread, request         int64
	state                                                       parley.State
	callback                                                    parley.Callback
	open, inboxCount, inboxRead, turns, worker, rescues, result int64
	started, ended, endedBy, approvals, waits, cause            int64
	failure, pattern                                            string
	children, mentions                                          []*task
}

type inboxItem struct{ n, message int64 }

type step struct {
	turn, n, order int64
	kind           parley.StepKind
	prompt         bool // it holds what the turn was shown at its beginning
	// What the content says, as far as the checks need it.
	calls  []call
	result callResult
}

type call struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type callResult struct {
	Call  string `json:"call"`
	Text  string `json:"text"`
	Error bool   `json:"error"`
}

type event struct {
	id, group, task, order int64
	kind                   parley.EventKind
}

// read takes everything out of a database.
func read(db database) (*record, error) {
	r := &record{agents: map[int64]string{}, outside: map[int64]bool{}, channels: map[int64][2]int64{}, threads: map[int64]thread{}, messages: map[int64]message{},
		deliveries: map[int64][]delivery{}, notified: map[int64][]int64{}, tasks: map[int64]*task{}, inbox: map[int64][]inboxItem{}, steps: map[int64][]step{}}
	if empty, err := db.empty(); empty || err != nil {
		return r, err
	}
	for _, part := range []func(database) error{r.readMembers, r.readMessages, r.readTasks, r.readSteps, r.readEvents, r.readApprovals, r.readQuestions, r.readClaims} {
		if err := part(db); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *record) readMembers(db database) error {
	err := db.each("SELECT id, name, kind FROM agent", func(c cells) {
		r.agents[c.Int(0)] = c.Text(1)
		r.outside[c.Int(0)] = c.Text(2) == string(parley.Client)
	})
	if err != nil {
		return err
	}
	err = db.each("SELECT id, a_id, b_id FROM channel", func(c cells) { r.channels[c.Int(0)] = [2]int64{c.Int(1), c.Int(2)} })
	if err != nil {
		return err
	}
	err = db.each("SELECT c.main_thread, m.agent_id, m.read_n FROM member m JOIN channel c ON c.id = m.channel_id", func(c cells) {
		r.members = append(r.members, member{c.Int(0), c.Int(1), c.Int(2)})
	})
	if err != nil {
		return err
	}
	return db.each("SELECT name FROM worker", func(c cells) { r.workers = append(r.workers, c.Text(0)) })
}

func (r *record) readMessages(db database) error {
	err := db.each("SELECT id, channel_id, last_message, message_count FROM thread", func(c cells) {
		r.threads[c.Int(0)] = thread{c.Int(0), c.Int(1), c.Int(2), c.Int(3)}
	})
	if err != nil {
		return err
	}
	err = db.each("SELECT id, thread_id, n, prev_id, author_id, task_id, origin_id, kind, body, coalesce(key, '') FROM message", func(c cells) {
		r.messages[c.Int(0)] = message{id: c.Int(0), thread: c.Int(1), n: c.Int(2), prev: c.Int(3), author: c.Int(4), task: c.Int(5),
			origin: c.Int(6), kind: c.Text(7), body: c.Text(8), key: c.Text(9)}
	})
	if err != nil {
		return err
	}
	return db.each("SELECT message_id, recipient_id, delivered_at, seen_at, answered_at FROM delivery", func(c cells) {
		r.deliveries[c.Int(0)] = append(r.deliveries[c.Int(0)], delivery{c.Int(1), c.Int(2), c.Int(3), c.Int(4)})
		if m := r.messages[c.Int(0)]; m.origin != 0 && m.kind == string(parley.NotificationMessage) && !m.tellsOfClaim() {
			r.notified[m.origin] = append(r.notified[m.origin], c.Int(1))
		}
	})
}

func (r *record) readTasks(db database) error {
	err := db.each(`SELECT id, parent_id, root_id, requester_id, agent_id, thread_id, request_id, state, callback, open_children,
		inbox_count, inbox_read, turns, worker_id, rescues, result_id, started_at, ended_at, ended_by, error, pattern, approvals, waits, cause_id FROM task`, func(c cells) {
		r.tasks[c.Int(0)] = &task{id: c.Int(0), parent: c.Int(1), root: c.Int(2), requester: c.Int(3), agent: c.Int(4), thread: c.Int(5),
			request: c.Int(6), state: parley.State(c.Int(7)), callback: parley.Callback(c.Int(8)), open: c.Int(9), inboxCount: c.Int(10),
			inboxRead: c.Int(11), turns: c.Int(12), worker: c.Int(13), rescues: c.Int(14), result: c.Int(15), started: c.Int(16),
			ended: c.Int(17), endedBy: c.Int(18), failure: c.Text(19), pattern: c.Text(20), approvals: c.Int(21), waits: c.Int(22), cause: c.Int(23)}
	})
	if err != nil {
		return err
	}
	for _, t := range r.tasks {
		if p := r.tasks[t.parent]; p != nil {
			p.children = append(p.children, t)
		}
		if p := r.tasks[t.cause]; p != nil {
			p.mentions = append(p.mentions, t)
		}
	}
	return db.each("SELECT task_id, n, message_id FROM inbox ORDER BY task_id, n", func(c cells) {
		r.inbox[c.Int(0)] = append(r.inbox[c.Int(0)], inboxItem{c.Int(1), c.Int(2)})
	})
}

func (r *record) readSteps(db database) error {
	var broken error
	err := db.each("SELECT task_id, turn, n, kind, content, "+db.stepOrder()+" FROM step ORDER BY task_id, turn, n", func(c cells) {
		s := step{turn: c.Int(1), n: c.Int(2), kind: parley.StepKind(c.Text(3)), order: c.Int(5)}
		if err := s.understand(c.Text(4)); err != nil {
			broken = fmt.Errorf("step %d/%d of task-%d: %w", s.turn, s.n, c.Int(0), err)
		}
		r.steps[c.Int(0)] = append(r.steps[c.Int(0)], s)
	})
	if err == nil {
		err = broken
	}
	return err
}

func (s *step) understand(content string) error {
	switch s.kind {
	case parley.StepPrompt:
		s.prompt = true
		return nil
	case parley.StepReply:
		var reply struct {
			Prompt json.RawMessage `json:"prompt"`
			Calls  []call          `json:"calls"`
		}
		err := json.Unmarshal([]byte(content), &reply)
		s.prompt, s.calls = len(reply.Prompt) > 0, reply.Calls
		return err
	case parley.StepResult, parley.StepHeld:
		return json.Unmarshal([]byte(content), &s.result)
	default:
		return nil
	}
}

func (r *record) readEvents(db database) error {
	return db.each("SELECT id, task_id, kind, "+db.order()+", "+db.group()+" FROM event ORDER BY id", func(c cells) {
		r.events = append(r.events, event{id: c.Int(0), task: c.Int(1), kind: parley.EventKind(c.Text(2)), order: c.Int(3), group: c.Int(4)})
	})
}

// tree draws a task with everything below it, as kind.tree has it.
func (r *record) tree(t *task) string {
	name := r.agents[t.agent]
	if t.state != parley.Completed {
		name += "!"
	}
	var below []string
	for _, c := range t.children {
		if c.callback == parley.CallbackAnswer {
			continue // it may end later: see checkQuestions
		}
		below = append(below, r.tree(c))
	}
	for _, id := range r.notified[t.id] {
		below = append(below, "~"+r.agents[id])
	}
	for _, m := range t.mentions {
		if m.pattern == string(parley.AnswerPattern) {
			continue
		}
		below = append(below, "@"+r.agents[m.agent])
	}
	if below == nil {
		return name
	}
	slices.Sort(below)
	return name + "(" + strings.Join(below, " ") + ")"
}

// any reports whether the condition holds for a task of the tree.
func (t *task) any(holds func(*task) bool) bool {
	return holds(t) || slices.ContainsFunc(t.children, func(c *task) bool { return c.any(holds) })
}
