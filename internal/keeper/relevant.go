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
	// A snippet has more than this share of the question, counted in words, of which
	// rare ones count more. With less it only happens to have a word of it.
	relevantShare = 0.5
)

// Relevant is what an agent may read in keepers that relates to a text, one line for
// each message; empty if there is nothing, or no time to look.
func (s *Service) Relevant(ctx context.Context, team parley.TeamID, reader parley.AgentID, text string) string {
	list, err := s.find(ctx, team, reader, Query{Text: text}, candidates)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("keepers could not be searched for a question", "error", err)
		}
		return ""
	}
	list = relevant(text, list)
	list = list[:min(len(list), snippets)]
	s.uses.note(list)
	var lines []string
	for _, f := range list {
		lines = append(lines, "["+f.name()+"] "+snippet(f.KeptMessage))
	}
	return strings.Join(lines, "\n")
}

// relevant keeps the messages that have enough of a question. The index offers
// whatever has one of its words. A copy of the question has all of them and says
// nothing.
func relevant(question string, list []found) (kept []found) {
	words := newWanted(question, list)
	for _, f := range list {
		if words.share(f) > relevantShare && !repeats(question, f.KeptMessage) {
			kept = append(kept, f)
		}
	}
	return kept
}

// repeats reports whether a message only asks the question again.
func repeats(question string, m parley.KeptMessage) bool {
	if strings.Contains(m.Text, "peer_ask_question {") || strings.Contains(m.Text, "context_retrieve {") {
		return true // the call that asked it
	}
	text := bare(m.Text)
	if addsNothing(question, text) {
		return true
	}
	asked, own := meaningful(question), meaningful(text)
	return isQuestion(text) && 4*len(without(own, asked)) <= len(own)
}

// addsNothing reports whether a text has no word of its own beside those of a query.
func addsNothing(query, text string) bool {
	return len(without(meaningful(bare(text)), meaningful(query))) == 0
}

// bare is a message without the header above it and without the context that was
// given with a question.
func bare(text string) string {
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(first, "[") && strings.HasSuffix(strings.TrimSpace(first), "]") {
		text = rest
	}
	text, _, _ = strings.Cut(text, "\n\nContext from ")
	return text
}

func snippet(m parley.KeptMessage) string { return parley.Quote(parley.Clip(m.Text, snippetRunes)) }
