package keeper

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/search"
	"parley/internal/store"
)

// findSaid returns the best messages of the record that the caller may read, without
// those that were found in keepers.
func (s *Service) findSaid(ctx context.Context, c access.Caller, q Query, kept []found, limit int) ([]found, error) {
	hits, err := s.index.Find(ctx, s.query(c.Team, c.Agent, q, search.Messages, 3*limit))
	if err != nil || len(hits) == 0 {
		return nil, ignoreInvalid(err)
	}
	var list []found
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		list, err = s.saidHits(tx, c, q.Text, kept, hits)
		return err
	})
	return list[:min(len(list), limit)], err
}

// saidHits keeps what the caller may read and what says something: not the request
// that it works on, which has the words because somebody looks for them, and not a
// second copy.
func (s *Service) saidHits(tx *store.Tx, c access.Caller, query string, kept []found, hits []search.Hit) (list []found, err error) {
	who := s.readers(tx, c.Team, c.Agent)
	request, err := requestOf(tx, c.Task)
	if err != nil {
		return nil, err
	}
	type copyOf struct {
		author parley.AgentID
		text   string
	}
	shown, ids := map[copyOf]bool{}, map[parley.MessageID]bool{request: true}
	for _, f := range kept {
		ids[f.Message] = true
	}
	for _, h := range hits {
		m, ok := h.Source.(store.FoundMessage)
		if !ok || ids[m.ID] || shown[copyOf{m.Author, m.Body}] || asksAgain(query, m.Message) {
			continue
		}
		if may, err := who.hears(m); err != nil || !may {
			if err != nil {
				return nil, err
			}
			continue
		}
		f := found{KeptMessage: parley.KeptMessage{Team: m.Team, Role: parley.RoleUser, Author: m.Author, Message: m.ID, At: m.At, Text: parley.Quote(h.Text)}}
		if m.Author == c.Agent {
			f.Role = parley.RoleAssistant
		}
		if f.from, err = s.saidFrom(tx, c, m); err != nil {
			return nil, err
		}
		shown[copyOf{m.Author, m.Body}] = true
		list = append(list, f)
	}
	return list, nil
}

// requestOf is the request of the caller's task; 0 if it has none.
func requestOf(tx *store.Tx, id parley.TaskID) (parley.MessageID, error) {
	if id == 0 {
		return 0, nil
	}
	t, err := tx.Task(id)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return t.Request, err
}

// hears reports whether the agent may read a message of the record.
func (r *readers) hears(m store.FoundMessage) (bool, error) {
	if m.Team != r.team || r.all {
		return m.Team == r.team, nil
	}
	return r.inChannel(m.Channel.ID)
}

// asksAgain reports whether a message only asks for what is looked for: a request in
// the words of the query, or the answer that there is nothing.
func asksAgain(query string, m parley.Message) bool {
	switch m.Kind {
	case parley.AskMessage, parley.DelegateMessage, parley.QuestionMessage, parley.SentMessage:
		return addsNothing(query, m.Body)
	}
	return strings.Contains(m.Body, parley.NothingFoundText(""))
}

// saidFrom says where a message comes from: who wrote it, where, when and for which
// task.
func (s *Service) saidFrom(tx *store.Tx, c access.Caller, m store.FoundMessage) (string, error) {
	author, err := s.nameOf(tx, m.Author)
	if err != nil {
		return "", err
	}
	where, err := s.placeOf(tx, c, m.Channel)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s, %s %s, %s", m.ID, author, where, m.At.Time().UTC().Format("2006-01-02 15:04"))
	if m.Task == 0 {
		return text, nil
	}
	t, err := tx.Task(m.Task)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return text, nil
	case err == nil && (t.Requester == c.Agent || t.Agent == c.Agent || s.person(c.Agent)):
		text += fmt.Sprintf(", %s (%s)", t.ID, t.State)
	}
	return text, err
}

// placeOf names a channel for the caller.
func (s *Service) placeOf(tx *store.Tx, c access.Caller, ch parley.Channel) (string, error) {
	switch {
	case ch.Kind == parley.Group:
		group, err := tx.Channel(ch.ID)
		return "in " + group.Place(), err
	case ch.A == c.Agent || ch.B == c.Agent:
		peer, err := s.nameOf(tx, ch.Peer(c.Agent))
		return "in your dm with " + peer, err
	}
	a, err := s.nameOf(tx, ch.A)
	if err != nil {
		return "", err
	}
	b, err := s.nameOf(tx, ch.B)
	return fmt.Sprintf("in the dm of %s and %s", a, b), err
}

func (s *Service) nameOf(tx *store.Tx, id parley.AgentID) (string, error) {
	if e, ok := s.dir.Entry(id); ok {
		return e.Name, nil
	}
	a, err := tx.Agent(id)
	return a.Name, err
}
