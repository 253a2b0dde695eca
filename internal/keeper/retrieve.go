package keeper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/access"
	"parley/internal/search"
	"parley/internal/store"
)

const (
	// An answer has at most so many characters, of at most so many messages.
	maxAnswerRunes = 8000
	maxHits        = 20
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

// Retrieve answers from what the caller may read in keepers. Nothing found is an
// answer too. think writes a smart answer; without it, or if it fails, the messages
// themselves are the answer.
func (s *Service) Retrieve(ctx context.Context, c access.Caller, q Query, think Think) (string, error) {
	if err := s.permit(ctx, c, "retrieve"); err != nil {
		return "", err
	}
	if strings.TrimSpace(q.Text) == "" {
		return "", parley.Errorf(parley.Invalid, "The query is empty.").WithHint("Say what you look for, as words or as a question.")
	}
	found, err := s.find(ctx, c.Team, c.Agent, q, maxHits)
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return parley.NothingFoundText(q.Text), nil
	}
	s.uses.note(found)
	if q.mode() == Smart && think != nil {
		if text, ok := s.answer(ctx, q.Text, found, think); ok {
			return text, nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
	}
	return raw(found), nil
}

// find returns the best messages that an agent may read. The index knows who may read
// what, but that is checked again here against what is stored now.
func (s *Service) find(ctx context.Context, team parley.TeamID, agent parley.AgentID, q Query, limit int) ([]found, error) {
	query := search.Query{Team: team, Reader: agent, Kind: search.Kept, Keeper: q.Keeper, Text: cut(q.Text, maxQueryRunes), Limit: candidates}
	if s.person(agent) {
		query.Reader = 0
	}
	hits, err := s.index.Find(ctx, query)
	if err != nil || len(hits) == 0 {
		return nil, ignoreInvalid(err)
	}
	var list []found
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		list, err = s.readableHits(tx, team, agent, hits)
		return err
	})
	boost(list)
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	list = distinct(list)
	return list[:min(len(list), limit)], err
}

// ignoreInvalid turns a query without words, such as a lone question mark, into one
// that finds nothing.
func ignoreInvalid(err error) error {
	if parley.KindOf(err) == parley.Invalid {
		return nil
	}
	return err
}

// found is a kept message that matches a query.
type found struct {
	parley.KeptMessage
	score float64
}

// readableHits keeps what the agent may read, and lowers the score of messages in
// keepers that were long unused.
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
			list = append(list, found{m.KeptMessage, h.Score * freshness(tx.Now.Since(m.Of.LastUsed()), m.Of.Uses)})
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

// raw is the messages themselves, best first: as many as fit completely, or as much
// of the best one as fits.
func raw(list []found) string {
	var b strings.Builder
	left := maxAnswerRunes
	for i, f := range list {
		line := lineOf(f.KeptMessage)
		if i > 0 {
			line = "\n" + line
		}
		n := utf8.RuneCountInString(line)
		if n > left && i > 0 {
			continue // a shorter one may still fit
		}
		line = cut(line, left)
		b.WriteString(line)
		left -= min(n, left)
	}
	return b.String()
}

func lineOf(m parley.KeptMessage) string { return fmt.Sprintf("[%s]: %s", m.Role, quoteRoles(m.Text)) }

// quoteRoles marks lines of a message that look like the beginning of another one.
func quoteRoles(text string) string {
	if !strings.Contains(text, "]:") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for _, role := range []string{parley.RoleUser, parley.RoleAssistant, parley.RoleTool} {
			if strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "["+role+"]:") {
				lines[i] = "> " + line
			}
		}
	}
	return strings.Join(lines, "\n")
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
