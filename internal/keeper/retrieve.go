package keeper

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
)

const (
	// An answer has at most so many characters, of at most so many messages.
	maxAnswerRunes = 8000
	maxHits        = 20
	// Keepers come first. They leave so much room to other messages that match.
	maxKept   = 12
	saidRunes = 3000
	// So many messages are ranked, since freshness and neighbours may change their
	// order.
	candidates    = 200
	maxQueryRunes = 2000
)

// Query is what to look for.
type Query struct {
	Text   string
	Keeper parley.KeeperID // 0 is all
	Mode   Mode            // empty: as the text suggests
}

// Retrieve answers from everything that the caller may read: keepers first, then the
// messages of the record, with the tasks that they belong to. Nothing found is an
// answer too. think writes a smart answer; without it, or if it fails, the messages
// themselves are the answer.
func (s *Service) Retrieve(ctx context.Context, c access.Caller, q Query, think Think) (string, error) {
	if err := s.permit(ctx, c, "retrieve"); err != nil {
		return "", err
	}
	if strings.TrimSpace(q.Text) == "" {
		return "", parley.Errorf(parley.Invalid, "The query is empty.").WithHint("Say what you look for, as words or as a question.")
	}
	kept, said, err := s.lookUp(ctx, c, q)
	if err != nil {
		return "", err
	}
	if len(kept)+len(said) == 0 {
		return parley.NothingFoundText(q.Text), nil
	}
	s.uses.note(kept)
	if q.mode() == Smart && think != nil {
		if text, ok := s.answer(ctx, q.Text, slices.Concat(kept, said), think); ok {
			return text, nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
	}
	return rawOf(kept, said), nil
}

// lookUp finds the best messages in keepers and in the record. A message that is in a
// keeper is not shown a second time. A query for one keeper looks nowhere else.
func (s *Service) lookUp(ctx context.Context, c access.Caller, q Query) (kept, said []found, err error) {
	if kept, err = s.find(ctx, c.Team, c.Agent, q, maxHits); err != nil || q.Keeper != 0 {
		return kept, nil, err
	}
	if said, err = s.findSaid(ctx, c, q, kept, maxHits); err != nil {
		return nil, nil, err
	}
	kept = kept[:min(len(kept), max(maxKept, maxHits-len(said)))]
	return kept, said[:min(len(said), maxHits-len(kept))], nil
}

// Find returns the best matching messages that the caller may read, best first.
func (s *Service) Find(ctx context.Context, c access.Caller, q Query, limit int) ([]parley.KeptMessage, error) {
	if err := s.permit(ctx, c, "retrieve"); err != nil {
		return nil, err
	}
	list, err := s.find(ctx, c.Team, c.Agent, q, limit)
	out := make([]parley.KeptMessage, len(list))
	for i, f := range list {
		out[i] = f.KeptMessage
	}
	return out, err
}
