package reading

import (
	"context"
	"errors"

	"parley"
	"parley/internal/access"
	"parley/internal/question"
	"parley/internal/store"
)

// Question is a question with its routes.
type Question struct {
	parley.Question
	Routes []Route
}

// Route is one route of a question, with the answer that was given there.
type Route struct {
	parley.Route
	Said string
}

// QuestionFilter picks questions for a list.
type QuestionFilter struct {
	Agent string // who asked or was asked; empty for any
	Open  bool
	Limit int
}

// Questions lists the questions that the caller may see, newest first: people see all
// of their team, others those that they asked or were asked.
func (s *Service) Questions(ctx context.Context, c access.Caller, f QuestionFilter) (list []Question, err error) {
	filter := store.QuestionFilter{Team: c.Team, Open: f.Open, Limit: f.Limit}
	if f.Agent != "" {
		e, err := s.dir.Find(c.Team, f.Agent)
		if err != nil {
			return nil, err
		}
		filter.Agent = e.ID
	}
	if !s.seesAll(c) {
		filter.Reader = c.Agent
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		found, err := tx.Questions(filter)
		if err != nil {
			return err
		}
		list = make([]Question, 0, len(found))
		for _, q := range found {
			shown, _, err := s.withRoutes(tx, c, q)
			if err != nil {
				return err
			}
			list = append(list, shown)
		}
		return nil
	})
	return list, err
}

func (s *Service) Question(ctx context.Context, c access.Caller, id parley.QuestionID) (shown Question, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		q, err := tx.Question(id)
		if err != nil {
			return orMissing(err, false, id)
		}
		var visible bool
		shown, visible, err = s.withRoutes(tx, c, q)
		return orMissing(err, visible, id)
	})
	return shown, err
}

// withRoutes adds the routes that the caller may see: somebody who was asked sees how
// the question reached them, but not what others answered.
func (s *Service) withRoutes(tx *store.Tx, c access.Caller, q parley.Question) (shown Question, visible bool, err error) {
	routes, err := tx.Routes(q.ID)
	if err != nil {
		return shown, false, err
	}
	visible = q.Team == c.Team
	if visible && !s.seesAll(c) && q.Asker != c.Agent {
		routes = question.RoutesTo(routes, c.Agent)
		visible = len(routes) > 0
	}
	shown.Question = q
	for _, r := range routes {
		said, err := answerText(tx, r)
		if err != nil {
			return shown, false, err
		}
		shown.Routes = append(shown.Routes, Route{Route: r, Said: said})
	}
	return shown, visible, nil
}

// answerText is the answer of a route; empty if there is none, or if it has been
// removed.
func answerText(tx *store.Tx, r parley.Route) (string, error) {
	if r.Answer == 0 {
		return "", nil
	}
	m, err := tx.Message(r.Answer)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return m.Body, err
}
