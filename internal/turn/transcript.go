package turn

import (
	"slices"

	"parley"
	"parley/internal/model"
)

// transcript is a task as its agent knows it. It is a plain value: it begins with
// what the task began with and takes in one stored step after the other, in a turn
// that runs as in one that is read back. What the model is shown is a function of
// it and of the agent's definition, so that a turn that goes on elsewhere shows
// what it would have shown here.
type transcript struct {
	task    parley.Task // as it was when the turn was taken up
	asked   letter
	place   place
	history []letter // before the request, oldest first

	notices  []letter // shown around the history in the first turn
	unread   string   // the mail that the first turn shows before the request
	relevant string   // what the question that is the request is shown with
	past     []entry  // after the request
	offload  offload
	pending  []pendingCall // of the last reply, without a result
	note     string        // that waits for the results of pending calls
	// roundHeld is the place in the past at which people were last asked for more
	// rounds; 0 if they were not. roundBefore is the one before it.
	roundHeld, roundBefore int

	turn     int    // the last that has begun
	steps    int    // stored in it
	hasRoom  bool   // since the last of them the model can be asked as it is
	began    int    // its place in the past
	prompt   prompt // what it began with
	underWay bool   // it has not ended

	inboxRead int                // how far the task's inbox was read
	told      []parley.MessageID // mail that it was told of, and not shown
	unshown   sight              // what has arrived since the last reply

	cut     int64   // where the last reply was cut off by the budget; 0 if it was not
	outputs []int64 // how long the last replies were, in tokens
}

// letter is a stored message with the name of its author.
type letter struct {
	parley.Message
	from  string
	asked string // whom the question that it answers was for; empty for all
	text  string // as its recipient reads it; empty until it was shown
}

// place is where the task is worked on.
type place struct {
	parley.Channel
	partner string   // in a dm
	members []string // of a group
}

// entry is something that happened on the task.
type entry struct {
	model.Message
	stored  *letter // nil for what a step says
	unread  bool    // it is the mail that a turn began with; stored is the first of it
	refused bool    // a result: the call was refused by the rate
}

// pendingCall is a call without a result.
type pendingCall struct {
	model.Call
	of      parley.TaskID // whose turn decided on it
	started bool          // it is on record as begun
	held    bool          // it waits for an approval, or did
	round   bool          // people are asked for more rounds, or were
}

// sight is what a model has not been shown before, and how far the agent has read
// the thread with it.
type sight struct {
	ids   []parley.MessageID
	place int
}

// apply takes in a stored step.
func (t *transcript) apply(s readStep) {
	switch c := s.content.(type) {
	case prompt:
		t.begin(s.turn, c, s.mail)
	case replyStep:
		if c.Prompt != nil {
			t.begin(s.turn, *c.Prompt, s.mail)
		}
		t.countReply(c.Reply)
		if c.Cut > 0 { // its model is asked again as if nothing had been said
			t.unshown = sight{}
			break
		}
		t.addReply(s.task, c.Reply)
	case inboxStep:
		t.addArrival(c, s.mail)
	case started:
		if p := t.pendingCall(c.Call); p != nil {
			p.started = true
		}
	case held:
		if p := t.pendingCall(c.Call); p != nil {
			p.held, p.round = true, c.Round
		}
		if c.Round {
			t.roundBefore, t.roundHeld = t.roundHeld, len(t.past)
		}
	case result:
		t.addResult(c)
	case offloadStep:
		t.offload.add(c)
	}
	t.turn, t.steps, t.hasRoom = s.turn, s.n, hasRoom(s.content)
}

// hasRoom reports whether room was made before such a step was stored, so that the
// model can be asked at once.
func hasRoom(after content) bool {
	switch after.(type) {
	case prompt, offloadStep:
		return true
	}
	return false
}

// begin begins a turn. One whose model is quick is stored only with its first
// reply: by then it has begun.
func (t *transcript) begin(turn int, p prompt, m mail) {
	if turn == t.turn {
		t.showUnread(p, m) // some of it may have been seen in another turn meanwhile
		return
	}
	t.turn, t.steps, t.began, t.prompt, t.underWay = turn, 0, len(t.past), p, true
	if turn == 1 {
		t.relevant, t.notices = p.Relevant, m.notices
		if p.Kept != nil {
			t.offload.addBefore(*p.Kept)
		}
	} else {
		t.addLetters(m.notices)
	}
	t.showUnread(p, m)
	t.addLetters(m.inbox)
	t.inboxRead = p.Inbox
}

// addReply takes a reply in; its calls are now to be run.
func (t *transcript) addReply(of parley.TaskID, r model.Reply) {
	t.unshown = sight{} // what had arrived was marked as seen with this very step
	t.past = append(t.past, entry{Message: model.Message{Role: model.Assistant, Text: r.Text, Calls: r.Calls, Private: r.Private}})
	t.pending = nil
	for _, c := range r.Calls {
		t.pending = append(t.pending, pendingCall{Call: c, of: of})
	}
	if r.Rejected != "" {
		t.past = append(t.past, entry{Message: model.Message{Role: model.User, Text: r.Rejected}})
	}
	t.underWay = len(r.Calls) > 0 || r.Rejected != ""
}

// addResult takes the result of a pending call in.
func (t *transcript) addResult(r result) {
	t.past = append(t.past, entry{Message: model.Message{Role: model.ToolResult, Text: r.Text, CallID: r.Call, IsError: r.Error}, refused: r.Rate})
	// A new slice, since a caller may be going through this one.
	t.pending = slices.DeleteFunc(slices.Clone(t.pending), func(p pendingCall) bool { return p.ID == r.Call })
	t.showNote()
}

// addArrival takes in what came for the task between two steps.
func (t *transcript) addArrival(in inboxStep, m mail) {
	t.addLetters(m.unread)
	if in.Unread != nil {
		t.told = append(t.told, in.Unread.Told...)
		t.past = append(t.past, entry{Message: model.Message{Role: model.User, Text: unreadText(*in.Unread, nil, m.senders)}, unread: true, stored: &letter{}})
	}
	t.addLetters(m.notices)
	t.addLetters(m.inbox)
	t.inboxRead = in.Upto
	t.unshown.ids = append(append(t.unshown.ids, m.ids()...), in.Mail...)
	if len(in.Notices) > 0 {
		t.unshown.place = max(t.unshown.place, in.Place)
	}
}

// addLetters shows messages where the task has come to.
func (t *transcript) addLetters(list []letter) {
	for i := range list {
		t.past = append(t.past, entry{Message: t.render(&list[i]), stored: &list[i]})
	}
}

// pendingCall finds a call without a result; nil if there is none.
func (t *transcript) pendingCall(id string) *pendingCall {
	for i := range t.pending {
		if t.pending[i].ID == id {
			return &t.pending[i]
		}
	}
	return nil
}

// isStarted reports whether a pending call is on record as begun.
func (t *transcript) isStarted(call string) bool {
	p := t.pendingCall(call)
	return p != nil && p.started
}

func (p pendingCall) isHeld() bool { return p.held }
