package turn

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/question"
	"parley/internal/store"
)

// enrichTime is how long a question may be looked up before its turn begins.
const enrichTime = 5 * time.Second

// loadGathered reads what those who forwarded the question knew, if the request is
// one and was not shown before.
func (t *run) loadGathered(tx *store.Tx) (string, error) {
	if t.asked.Kind != parley.QuestionMessage || t.task.Turns > 0 {
		return "", nil
	}
	routes, err := tx.Routes(t.asked.Question)
	if err != nil {
		return "", err
	}
	way := question.RoutesTo(routes, t.lease.Agent)
	for _, leg := range way {
		if err := t.names.learn(tx, leg.By); err != nil {
			return "", err
		}
	}
	return question.Enrichments(way, t.names.of), nil
}

// enrich adds what belongs to a question to its first turn. It is stored with what
// the turn begins with, so that a turn that goes on elsewhere shows the same.
func (t *run) enrich(ctx context.Context, b *beginning) {
	if t.asked.Kind == parley.QuestionMessage && b.start.Turn == 1 {
		b.prompt.Relevant = strings.TrimSpace(b.gathered + "\n" + t.lookUp(ctx))
	}
}

// lookUp asks the enricher, and does without it when it takes too long.
func (t *run) lookUp(ctx context.Context) string {
	if t.Enricher == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, enrichTime)
	defer cancel()
	found := make(chan string, 1)
	go func() { found <- t.Enricher.Relevant(ctx, t.lease.Team, t.lease.Agent, t.asked.Body) }()
	select {
	case text := <-found:
		return text
	case <-ctx.Done():
		return ""
	}
}
