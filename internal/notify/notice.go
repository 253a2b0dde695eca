package notify

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// Notice is what a target is given, as JSON. The same notice always has the same id, so
// that a receiver can tell when it gets one twice.
type Notice struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"` // approval, question or mail
	Team     string    `json:"team"`
	Person   string    `json:"person"`         // who is told
	From     string    `json:"from,omitempty"` // who wants it, asks or writes; left out if it is the hub
	At       time.Time `json:"at"`
	Approval string    `json:"approval,omitempty"`
	Task     string    `json:"task,omitempty"`
	Message  string    `json:"message,omitempty"`
	Channel  string    `json:"channel,omitempty"`
	Text     string    `json:"text"`     // one line, cut at 500 characters
	Commands []string  `json:"commands"` // what the person may do about it
}

// notice is a notice and whom it is for.
type notice struct {
	Notice
	person parley.AgentID
}

const textRunes = 500

// told are the events that may have something to tell.
var told = []parley.EventKind{
	parley.EventApprovalRequested, parley.EventTask, parley.EventMessage, parley.EventWaiting, parley.EventCompleted,
	parley.EventFailed, parley.EventBudgetSpent, parley.EventQuestionAnswered, parley.EventQuestionExpired, parley.EventQuestionFailed,
}

// reader finds what events have to tell, within one transaction.
type reader struct {
	*follower
	tx     *store.Tx
	people []parley.Agent
}

// first finds the first event that has something to tell.
func (r *reader) first(page []parley.Event, found *finding) error {
	for _, e := range page {
		begun := e.ID == found.place.Event
		if !begun && found.now.Since(e.At) > r.Timing.MaxAge {
			continue
		}
		list, err := r.notices(e)
		if errors.Is(err, store.ErrNotFound) {
			continue // retention has removed it
		}
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(n notice) bool { return begun && n.person <= found.place.Told })
		if len(list) > 0 {
			found.event, found.notices = e, list
			return nil
		}
	}
	return nil
}

// notices are what an event has to tell, by the ids of the people. What a person has
// done, seen or decided is not told to that person.
func (r *reader) notices(e parley.Event) ([]notice, error) {
	switch e.Kind {
	case parley.EventApprovalRequested:
		return r.approval(e)
	case parley.EventTask:
		return r.question(e)
	default:
		return r.mail(e)
	}
}

// recipients are the people that a notice of this event may be for.
func (r *reader) recipients(e parley.Event, kind Kind) (list []parley.Agent) {
	if !r.target.wants(kind) {
		return nil
	}
	for _, p := range r.people {
		if p.ID != e.Actor && (e.Target == 0 || e.Target == p.ID || kind == Approvals) && r.target.tells(p.Name) {
			list = append(list, p)
		}
	}
	return list
}

func (r *reader) approval(e parley.Event) (list []notice, err error) {
	people := r.recipients(e, Approvals)
	if len(people) == 0 {
		return nil, nil
	}
	name, _, _ := strings.Cut(e.Detail, ":")
	id, err := parley.ParseApprovalID(name)
	if err != nil {
		return nil, nil
	}
	a, err := r.tx.Approval(id)
	if err != nil || a.State != parley.ApprovalPending {
		return nil, err
	}
	from, err := r.name(a.Agent)
	if err != nil {
		return nil, err
	}
	what := "use " + a.Tool
	if a.Target != 0 {
		target, err := r.name(a.Target)
		if err != nil {
			return nil, err
		}
		what = "contact " + target
	}
	text := fmt.Sprintf("%s wants to %s: %s (%s)", from, what, parley.Clip(parley.ReadableArgs(a.Args), textRunes/2), parley.Clip(a.Reason, textRunes/4))
	for _, p := range people {
		n := r.notice(e, p, "approval", from, text)
		n.Approval = a.ID.String()
		if a.Task != 0 {
			n.Task = a.Task.String()
		}
		n.Commands = []string{"parley approve " + n.Approval, "parley deny " + n.Approval}
		list = append(list, n)
	}
	return list, nil
}

// question tells a person of a task: an ask, a delegation, a question or a mention.
func (r *reader) question(e parley.Event) ([]notice, error) {
	people := r.recipients(e, Questions)
	if e.Target == 0 || len(people) == 0 {
		return nil, nil
	}
	t, err := r.tx.Task(e.Task)
	if err != nil || !t.State.Open() {
		return nil, err
	}
	m, err := r.tx.Message(e.Message)
	if err != nil {
		return nil, err
	}
	n, unseen, err := r.ofMessage(e, people[0], "question", m)
	if err != nil || !unseen {
		return nil, err
	}
	n.Task, n.Commands = t.ID.String(), []string{"parley reply " + t.ID.String(), "parley inbox"}
	return []notice{n}, nil
}

// mail tells people of messages that ask nothing of them.
func (r *reader) mail(e parley.Event) (list []notice, err error) {
	people := r.recipients(e, Mail)
	if len(people) == 0 {
		return nil, nil
	}
	m, ok, err := r.tx.MessageOf(e)
	if err != nil || !ok {
		return nil, err
	}
	mentions, err := r.tx.MentionsOf(m.ID)
	if err != nil {
		return nil, err
	}
	for _, p := range people {
		asked := slices.ContainsFunc(mentions, func(t parley.Task) bool { return t.Agent == p.ID })
		if asked || m.Author == p.ID && !m.FromHub() {
			continue // the task's own event tells it
		}
		n, unseen, err := r.ofMessage(e, p, "mail", m)
		if err != nil {
			return nil, err
		}
		if unseen {
			n.Commands = []string{"parley inbox"}
			list = append(list, n)
		}
	}
	return list, nil
}

// ofMessage makes the notice of a message, and reports whether the person has yet to see
// it.
func (r *reader) ofMessage(e parley.Event, p parley.Agent, kind string, m parley.Message) (n notice, unseen bool, err error) {
	deliveries, err := r.tx.Deliveries(m.ID)
	if err != nil {
		return n, false, err
	}
	if !slices.ContainsFunc(deliveries, func(d parley.Delivery) bool { return d.Recipient == p.ID && d.Pull && d.Unread() }) {
		return n, false, nil
	}
	from := ""
	if !m.FromHub() {
		if from, err = r.name(m.Author); err != nil {
			return n, false, err
		}
	}
	n = r.notice(e, p, kind, from, m.Body)
	n.Message = m.ID.String()
	if m.Task != 0 {
		n.Task = m.Task.String()
	}
	n.Channel, err = r.channel(m.Thread)
	return n, true, err
}

func (r *reader) notice(e parley.Event, p parley.Agent, kind, from, text string) notice {
	return notice{person: p.ID, Notice: Notice{
		ID: fmt.Sprintf("event-%d-%d", e.ID, p.ID), Kind: kind, Team: r.Team.Name, Person: p.Name, From: from,
		At: e.At.Time().UTC(), Text: parley.Clip(text, textRunes),
	}}
}

// channel names the group channel of a thread; empty for a dm.
func (r *reader) channel(id parley.ThreadID) (string, error) {
	thread, err := r.tx.Thread(id)
	if err != nil {
		return "", err
	}
	ch, err := r.tx.Channel(thread.Channel)
	if err != nil || ch.Kind != parley.Group {
		return "", err
	}
	return ch.Place(), nil
}

func (r *reader) name(id parley.AgentID) (string, error) {
	a, err := r.tx.Agent(id)
	return a.Name, err
}
