package keeper

import (
	"context"
	"strings"

	"parley"
)

const (
	// A question is enriched with so many snippets of messages, each of so many
	// characters.
	snippets     = 3
	snippetRunes = 400
)

// Relevant is what an agent may read in keepers that relates to a text, one line for
// each message; empty if there is nothing, or no time to look.
func (s *Service) Relevant(ctx context.Context, team parley.TeamID, reader parley.AgentID, text string) string {
	list, err := s.find(ctx, team, reader, Query{Text: text}, snippets)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("keepers could not be searched for a question", "error", err)
		}
		return ""
	}
	s.uses.note(list)
	var lines []string
	for _, f := range list {
		lines = append(lines, "["+f.Name()+"] "+snippet(f.KeptMessage))
	}
	return strings.Join(lines, "\n")
}

func snippet(m parley.KeptMessage) string { return parley.Quote(parley.Clip(m.Text, snippetRunes)) }
