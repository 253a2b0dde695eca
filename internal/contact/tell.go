package contact

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/policy"
	"parley/internal/store"
)

// News is a notification for several at once.
type News struct {
	To      []parley.AgentID
	Message string
	Key     string
	// About are the tasks of those who work on what the news is about: their running
	// turns show it.
	About map[parley.AgentID]parley.TaskID
}

// Told says who was told and who was left out.
type Told struct {
	To []string
	// Isolated are those of them who read it only in their conversation with the
	// caller.
	Isolated []string
	// Left are those whom the caller may not contact by itself: they were left out.
	Left []string
}

// Tell notifies several, each in their dm with the caller, for the price of one
// contact and in one transaction. Those whom the rules do not let the caller
// contact by itself are left out; nobody is asked for approval.
func (s *Service) Tell(ctx context.Context, c access.Caller, n News) (Told, error) {
	if err := s.checkNews(c, n); err != nil {
		return Told{}, err
	}
	var t telling
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		t = telling{s: s, tx: tx, caller: c, news: n}
		return t.run()
	})
	if err != nil && !c.Waits(err) {
		s.access.RecordRefused(ctx, c, 0, err, access.RefusalText("tell", err))
	}
	return t.out, err
}

func (s *Service) checkNews(c access.Caller, n News) error {
	if strings.TrimSpace(n.Message) == "" {
		return parley.Errorf(parley.Invalid, "The message is empty.")
	}
	return s.checkBody(c, n.Message, n.Key)
}

// telling is one run of the transaction.
type telling struct {
	s      *Service
	tx     *store.Tx
	caller access.Caller
	news   News
	state  store.PostState
	out    Told
}

func (t *telling) run() (err error) {
	if t.state, err = t.tx.PostState(t.caller.Agent, 0, t.caller.Task, ""); err != nil {
		return access.NotFound(err, "%s", t.caller.Task)
	}
	to, err := t.choose()
	if err != nil {
		return err
	}
	if found, err := t.before(); err != nil || found {
		return err
	}
	if err := t.caller.CheckOwnTask(t.state.Task); err != nil || len(to) == 0 {
		return err
	}
	rate, refused := policy.DecidePost(policy.Contact{Steady: t.tx.Steady, Sender: t.state.Author, Limits: t.s.dir.Limits(t.caller.Agent), Approved: t.caller.Approved}, 0)
	if refused != nil {
		return refused
	}
	if rate != t.state.Author.Rate {
		t.tx.SetRate(t.caller.Agent, rate)
	}
	for i, target := range to {
		if err := t.post(i, target); err != nil {
			return err
		}
	}
	return nil
}

// choose separates those whom the caller may contact from the others. It goes in
// the order of their ids, in which everyone locks the threads of dms.
func (t *telling) choose() (to []parley.Agent, err error) {
	who := t.s.access.Party(t.state.Author)
	list := slices.Clone(t.news.To)
	slices.Sort(list)
	for _, id := range slices.Compact(list) {
		if id == t.caller.Agent {
			continue
		}
		a, err := t.tx.Agent(id)
		if err != nil {
			return nil, err
		}
		if a.Removed || a.Team != t.caller.Team {
			continue
		}
		party := t.s.access.Party(a)
		if policy.Authorize(&who, policy.Send(&party)).Verdict != policy.Allow {
			t.out.Left = append(t.out.Left, a.Name)
			continue
		}
		t.out.To = append(t.out.To, a.Name)
		if e, _ := t.s.dir.Entry(id); e.Isolated {
			t.out.Isolated = append(t.out.Isolated, a.Name)
		}
		to = append(to, a)
	}
	return to, nil
}

// before finds whom the same call has told.
func (t *telling) before() (found bool, err error) {
	if t.news.Key == "" {
		return false, nil
	}
	in, err := t.caller.Keyed(t.tx)
	if err != nil {
		return false, err
	}
	list, err := t.tx.SentWithKey(in, t.caller.Agent, t.news.Key)
	if err != nil || len(list) == 0 {
		return false, err
	}
	t.out.To = nil
	for _, m := range list {
		said, err := says(t.tx, m, t.news.Message, "")
		if err != nil {
			return false, err
		}
		if m.Kind != parley.NotificationMessage || !said {
			return false, errKeyUsed(t.news.Key)
		}
		name, err := t.recipient(m.ID)
		if err != nil {
			return false, err
		}
		t.out.To = append(t.out.To, name)
	}
	return true, nil
}

func (t *telling) recipient(of parley.MessageID) (string, error) {
	to, err := t.tx.Deliveries(of)
	if err != nil || len(to) != 1 {
		return "", err
	}
	return t.s.name(t.tx, to[0].Recipient)
}

// post stores one of the messages.
func (t *telling) post(n int, target parley.Agent) error {
	dm, err := t.tx.EnsureDM(t.caller.Team, t.caller.Agent, target.ID)
	if err != nil {
		return err
	}
	m := parley.Message{Team: t.caller.Team, Thread: dm.Main, Author: t.caller.Agent, Kind: parley.NotificationMessage,
		Body: t.news.Message, Origin: t.caller.Task}
	if t.news.Key != "" {
		m.Key = fmt.Sprintf("%s/%d", t.news.Key, n)
	}
	to := store.Recipient{ID: target.ID, Pulls: target.Pulls(), Mail: !target.Pulls(), About: t.news.About[target.ID]}
	if err := t.tx.Post(&m, to); err != nil {
		return err
	}
	t.tx.Record(parley.Event{Team: m.Team, Kind: parley.EventMessage, Actor: m.Author, Target: target.ID, Task: m.Origin, Message: m.ID, Detail: "tell"})
	return nil
}

// Text says who was told what, and who was not.
func (t Told) Text(what, nobody string) string {
	text := nobody
	if len(t.To) > 0 {
		text = what + " " + strings.Join(t.To, ", ") + "."
	}
	text += parley.IsolatedText(t.Isolated...)
	if len(t.Left) > 0 {
		text += " Not told, since you may not contact them by yourself: " + strings.Join(t.Left, ", ") + "."
	}
	return text
}
