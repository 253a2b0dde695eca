package scenario

import (
	"fmt"

	"parley"
	"parley/internal/app"
	"parley/internal/contact"
	"parley/internal/store"
)

// loom gives everyone that toolset beside their own.
func loom(m *app.Member) { m.Toolsets = []string{"loom", "contact"} }

// AskTeam asks a question from outside, of everyone if nobody is named.
func (p Participant) AskTeam(target, text string) parley.QuestionID {
	p.s.Helper()
	asked, err := p.s.Contacts.Question(p.s.Context(), p.Caller, contact.Request{Target: target, Message: text})
	p.must(err)
	return asked.ID
}

// AnswerQuestion answers one from outside.
func (p Participant) AnswerQuestion(id parley.QuestionID, text string) error {
	return p.s.Contacts.AnswerQuestion(p.s.Context(), p.Caller, id, text, "")
}

// ForwardQuestion forwards one from outside.
func (p Participant) ForwardQuestion(id parley.QuestionID, target, enrichment string) error {
	_, err := p.s.Contacts.ForwardQuestion(p.s.Context(), p.Caller, contact.Forwarding{Question: id, Target: target, Enrichment: enrichment})
	return err
}

// Question is a stored question with its routes, a line each.
func (s *Stage) Question(id parley.QuestionID) (q parley.Question, routes []string) {
	s.Helper()
	s.view(func(tx *store.Tx) error {
		var err error
		if q, err = tx.Question(id); err != nil {
			return err
		}
		list, err := tx.Routes(id)
		for _, r := range list {
			line := fmt.Sprintf("%d %s → %s %s", r.Hop, s.name(r.By), s.name(r.Agent), r.State)
			if r.Enrichment != "" {
				line += " (" + r.Enrichment + ")"
			}
			routes = append(routes, line)
		}
		return err
	})
	return q, routes
}
