package turn

import (
	"context"
	"slices"

	"parley"
	"parley/internal/model"
	"parley/internal/store"
)

// The contents of stored steps.
type (
	replyStep struct {
		// Prompt is what the turn began with, in a first reply that came at once.
		Prompt *prompt `json:"prompt,omitempty"`
		model.Reply
	}
	prompt struct {
		// Inbox is how far the task's inbox had been read.
		Inbox int `json:"inbox,omitempty"`
		// Notices are messages from outside the history that the agent had not
		// seen.
		Notices []parley.MessageID `json:"notices,omitempty"`
		// Relevant is what a question was shown with.
		Relevant string `json:"relevant,omitempty"`
	}
	started struct {
		Call string `json:"call"`
	}
	held struct {
		Call     string            `json:"call"`
		Approval parley.ApprovalID `json:"approval"`
		Text     string            `json:"text"`
	}
	result struct {
		Call  string `json:"call"`
		Text  string `json:"text"`
		Error bool   `json:"error,omitempty"`
	}
)

// conversation is a task as its agent knows it, rebuilt from the store.
type conversation struct {
	task    parley.Task
	asked   parley.Message
	channel parley.Channel
	thread  parley.Thread
	members []parley.Member  // of a group channel, by name
	history []parley.Message // before the request, oldest first

	// Of a turn that is about to begin: what it shows for the first time of the
	// request and the history, what beyond them, and how far the agent has read
	// the thread before and after.
	fresh, news  []parley.Message
	gathered     string           // by those who forwarded the question that is the request
	relevant     string           // what the question is shown with
	inbox        []parley.Message // what has come back to the task since its last turn
	read, readTo int
	start        *parley.TurnStart // until it is stored

	past      []model.Message         // of this task, after the request
	sources   map[int]*parley.Message // of what in the past is a stored message, by its place
	away      away
	notices   []parley.Message // shown around the history in the first turn
	pending   []model.Call     // of the last reply, without a result
	started   map[string]bool  // pending calls that are on record as begun
	held      map[string]bool  // pending calls that wait for an approval, or did
	awaited   []parley.TaskID  // what pending calls wait for
	arrived   []parley.Message
	number    int    // of the turn under way
	underWay  bool   // a turn has begun and not ended
	replies   int    // of the turn under way
	steps     int    // stored in the turn under way
	failures  int    // tool calls in a row that failed in the turn under way
	unusable  string // what was wrong with the last reply; empty if it could be used
	rounds    int    // replies in a row of the turn under way that only contacted peer
	counted   bool   // the last of them is among them
	peer      string
	inboxRead int
	lookedTo  int   // the number of the last message of the thread that was looked at for news
	unshown   sight // what has arrived since the model was last asked
	shown     sight // what it was shown since a step was last stored
}

// remember begins with what was handed over, if what was said before is at hand
// too and nothing has to be read.
func (t *run) remember(h *parley.Handover) bool {
	if h == nil || h.Channel.Kind == parley.Group || h.Request.Kind == parley.QuestionMessage { // whose members, or way, have to be read
		return false
	}
	history, missing := t.Store.Recent().Back(h.Request.Prev, 0, historySize)
	if missing != 0 || t.name(h.Request.Author) == "" || !t.knowsAuthors(history) {
		return false
	}
	t.take(*h, history)
	return t.readHistory()
}

// take sets the conversation up with what its task begins with.
func (t *run) take(h parley.Handover, history []parley.Message) {
	slices.Reverse(history) // oldest first
	t.conversation = conversation{started: map[string]bool{}, held: map[string]bool{}, task: h.Task, asked: h.Request, channel: h.Channel,
		thread: h.Thread, history: history, read: h.Thread.ReadBy(t.lease.Agent)}
	t.lookedTo = t.read
}

// load rebuilds the conversation.
func (t *run) load(ctx context.Context, known *parley.Handover) error {
	return t.Store.View(ctx, func(tx *store.Tx) (err error) {
		var h parley.Handover
		if known != nil {
			h = *known
		} else if h, err = tx.Handover(t.lease.Task); err != nil {
			return err
		}
		if !h.Task.LeasedTo(t.lease.Token) {
			return parley.ErrLost // cancelled before the turn could begin
		}
		history, err := tx.Back(h.Request.Prev, 0, historySize)
		if err != nil {
			return err
		}
		t.take(h, history)
		if err := t.enter(tx); err != nil {
			return err
		}
		if err := t.meetAuthors(tx, t.history); err != nil {
			return err
		}
		if err := t.loadWay(tx); err != nil {
			return err
		}
		if t.task.Turns > 0 {
			steps, err := tx.Steps(t.task.ID)
			if err != nil {
				return err
			}
			if err := t.replay(tx, steps); err != nil {
				return err
			}
		}
		if t.underWay {
			return nil
		}
		return t.loadNew(tx)
	})
}

// add takes a reply into the conversation; its calls are now to be run. One that
// could not be used counts like a call that failed.
func (t *run) add(reply model.Reply) {
	t.replies++
	t.beginRound(reply)
	t.past = append(t.past, model.Message{Role: model.Assistant, Text: reply.Text, Calls: reply.Calls, Private: reply.Private})
	t.pending, t.unusable = reply.Calls, reply.Rejected
	if reply.Rejected != "" {
		t.failures++
		t.past = append(t.past, model.Message{Role: model.User, Text: reply.Rejected})
	}
}

// addResult takes the result of a pending call into the conversation, and after
// the last one what has arrived meanwhile. Calls that are held come after those
// that are not.
func (t *run) addResult(r result) {
	t.past = append(t.past, model.Message{Role: model.ToolResult, Text: r.Text, CallID: r.Call, IsError: r.Error})
	// A new slice: that of the reply is part of the conversation.
	t.pending = slices.DeleteFunc(slices.Clone(t.pending), func(c model.Call) bool { return c.ID == r.Call })
	t.failures++
	if !r.Error {
		t.failures = 0
		t.countRound()
	}
	for _, m := range t.arrived {
		t.recall(m)
	}
	t.arrived = nil
}

// recall shows a stored message where the task has come to.
func (t *run) recall(m parley.Message) {
	if t.sources == nil {
		t.sources = map[int]*parley.Message{}
	}
	t.sources[len(t.past)] = &m
	t.past = append(t.past, t.render(m))
}

// notice shows a message from outside the task: before the request in the
// first turn, where it stands in later ones.
func (t *run) notice(turn int, m parley.Message) {
	if turn == 1 {
		t.notices = append(t.notices, m)
		return
	}
	t.recall(m)
}
