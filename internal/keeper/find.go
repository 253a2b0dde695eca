package keeper

import (
	"cmp"
	"context"
	"slices"

	"parley"
	"parley/internal/search"
	"parley/internal/store"
)

// found is a message that matches a query: a kept one, or one of the record.
type found struct {
	parley.KeptMessage
	spans []search.Span // where its words were found
	worth float64       // orders what one search found, and means nothing beyond it
	from  string        // where it comes from, for whoever reads it
}

// name refers to the message within a text.
func (f found) name() string {
	if f.Keeper == 0 {
		return f.Message.String()
	}
	return f.KeptMessage.Name()
}

// find returns the best kept messages that an agent may read. The index knows who may
// read what, but that is checked again here against what is stored now.
func (s *Service) find(ctx context.Context, team parley.TeamID, agent parley.AgentID, q Query, limit int) ([]found, error) {
	hits, err := s.index.Find(ctx, s.query(team, agent, q, search.Kept, candidates))
	if err != nil || len(hits) == 0 {
		return nil, ignoreInvalid(err)
	}
	var list []found
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		list, err = s.readableHits(tx, team, agent, hits)
		return err
	})
	boost(list)
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.worth, a.worth) })
	list = distinct(list)
	return list[:min(len(list), limit)], err
}

func (s *Service) query(team parley.TeamID, agent parley.AgentID, q Query, kind search.Kind, limit int) search.Query {
	query := search.Query{Team: team, Reader: agent, Kind: kind, Keeper: q.Keeper, Text: cut(q.Text, maxQueryRunes), Limit: limit}
	if s.person(agent) {
		query.Reader = 0
	}
	return query
}

// ignoreInvalid turns a query without words, such as a lone question mark, into one
// that finds nothing.
func ignoreInvalid(err error) error {
	if parley.KindOf(err) == parley.Invalid {
		return nil
	}
	return err
}

// readableHits keeps what the agent may read, and makes messages in keepers that were
// long unused worth less.
func (s *Service) readableHits(tx *store.Tx, team parley.TeamID, agent parley.AgentID, hits []search.Hit) (list []found, err error) {
	who := s.readers(tx, team, agent)
	for _, h := range hits {
		m, ok := h.Source.(store.FoundKept)
		if !ok {
			continue
		}
		may, err := who.may(m.Of, m.KeptMessage)
		if err != nil {
			return nil, err
		}
		if may {
			fresh := freshness(tx.Now.Since(m.Of.LastUsed()), m.Of.Uses)
			list = append(list, found{KeptMessage: m.KeptMessage, spans: h.Spans, worth: h.Score * fresh,
				from: keptFrom(m)})
		}
	}
	return list, nil
}

// distinct drops copies of a message that several keepers have.
func distinct(list []found) []found {
	seen := map[parley.MessageID]bool{}
	return slices.DeleteFunc(list, func(f found) bool {
		twice := f.Message != 0 && seen[f.Message]
		seen[f.Message] = true
		return twice
	})
}

// keptFrom says where a kept message comes from.
func keptFrom(m store.FoundKept) string {
	return m.Name() + ", topic: " + parley.Quote(parley.Clip(m.Of.Topic, topicRunes))
}
