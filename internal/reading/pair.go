package reading

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Pairs is who talked to whom in a span of time.
type Pairs struct {
	// List is by how much they talked, the most first.
	List []Pair
	// Messages is how many were counted. Cut says that only the newest ones of the span
	// were looked at, of which there were Looked.
	Messages int
	Cut      bool
	Looked   int
}

// Pair is how many messages two have exchanged, and how what they talk about stands.
type Pair struct {
	A, B  parley.AgentID
	Count int
	// Last is the newest message, and LastAt its time.
	Last   parley.MessageID
	LastAt parley.Micros
	// Failed says that the task of the last message has failed.
	Failed bool
}

// pairMessages is how many messages are looked at for pairs at most. It bounds what a
// long span costs.
const pairMessages = 50_000

// Pairs counts the messages between pairs in a span of time; Since is inclusive, until
// exclusive, 0 is open. For a person these are all pairs of the team, for an agent those
// that it belongs to.
func (s *Service) Pairs(ctx context.Context, c access.Caller, since, until parley.Micros) (out Pairs, err error) {
	if since != 0 && until != 0 && until <= since {
		return out, parley.Errorf(parley.Conflict, "The time asked for ends before it begins.")
	}
	q := store.PairQuery{Team: c.Team, Since: since, Until: until, Limit: pairMessages}
	if !s.seesAll(c) {
		q.Agent = c.Agent
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list, cut, err := tx.Pairs(q)
		if err != nil {
			return err
		}
		ids := make([]parley.MessageID, len(list))
		for i, p := range list {
			ids[i] = p.Last
		}
		said, err := tx.LastSaid(ids)
		if err != nil {
			return err
		}
		out = Pairs{List: make([]Pair, 0, len(list)), Cut: cut, Looked: pairMessages}
		for _, p := range list {
			last := said[p.Last]
			out.List = append(out.List, Pair{A: p.A, B: p.B, Count: p.Count, Last: p.Last, LastAt: last.At, Failed: last.State == parley.TaskFailed})
			out.Messages += p.Count
		}
		return nil
	})
	return out, err
}
