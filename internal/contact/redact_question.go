package contact

import (
	"slices"

	"parley"
	"parley/internal/store"
)

// findAdded finds what those who forwarded a question added to it, which goes with
// the question, and the messages that brought it to the asker.
func (r *redaction) findAdded(tx *store.Tx) error {
	r.added, r.carried = nil, nil
	for _, id := range r.Messages {
		m, err := tx.Message(id)
		if err != nil {
			return err
		}
		if m.Question == 0 {
			continue
		}
		routes, err := tx.Routes(m.Question)
		if err != nil {
			return err
		}
		for _, route := range routes {
			if len(route.Enrichment) >= telling {
				r.added = append(r.added, route.Enrichment)
			}
		}
		carried, err := tx.CarryEnrichments(r.first.Team, m.Question)
		if err != nil {
			return err
		}
		r.carried = append(r.carried, carried...)
	}
	r.secrets = newSecrets(slices.Concat(r.secrets, r.added)...)
	return nil
}

// eraseQuestion takes away what a question holds of its messages: its own text,
// and what those who forwarded it added, which stands with each of them.
func (r *redaction) eraseQuestion(tx *store.Tx, m parley.Message) error {
	if m.Question == 0 {
		return nil
	}
	if m.Kind == parley.QuestionMessage {
		tx.SetQuestionText(m.Question, r.mark, "")
	}
	routes, err := tx.Routes(m.Question)
	for _, route := range routes {
		if route.Enrichment != "" {
			route.Enrichment = r.mark
			tx.SetEnrichment(route)
		}
	}
	return err
}
