package redaction

import (
	"parley/internal/store"
	"slices"

	"parley"
)

// findAdded finds what those who forwarded a question added to it, which goes with
// the question, and the messages that brought it to the asker.
func (f *finding) findAdded(tx *store.Tx) error {
	for _, id := range f.messages {
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
			if len(route.Enrichment) >= distinctive {
				f.added = append(f.added, route.Enrichment)
			}
		}
		carried, err := tx.EnrichmentMessages(f.team, m.Question)
		if err != nil {
			return err
		}
		f.carried = append(f.carried, carried...)
	}
	f.secrets = newSecrets(slices.Concat(f.secrets.texts, f.added)...)
	return nil
}

// eraseQuestion takes away what a question holds of its messages: its own text,
// and what those who forwarded it added.
func (e *erasure) eraseQuestion(m parley.Message) error {
	if m.Question == 0 {
		return nil
	}
	if m.Kind == parley.QuestionMessage {
		e.tx.SetQuestionText(m.Question, e.found.mark, "")
	}
	routes, err := e.tx.Routes(m.Question)
	for _, route := range routes {
		if route.Enrichment != "" {
			route.Enrichment = e.found.mark
			e.tx.SetEnrichment(route)
		}
	}
	return err
}
