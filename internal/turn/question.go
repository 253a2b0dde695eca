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
func (r *run) loadGathered(tx *store.Tx) (string, error) {
	if r.asked.Kind != parley.QuestionMessage || r.task.Turns > 0 {
		return "", nil
	}
	routes, err := tx.Routes(r.asked.Question)
	if err != nil {
		return "", err
	}
	way := question.RoutesTo(routes, r.lease.Agent)
	for _, leg := range way {
		if err := r.names.learn(tx, leg.By); err != nil {
			return "", err
		}
	}
	return question.Enrichments(way, r.names.of), nil
}

// enrich adds what belongs to a question to its first turn. It is stored with what
// the turn begins with, so that a turn that goes on elsewhere shows the same.
func (r *run) enrich(ctx context.Context, b *beginning) {
	if r.asked.Kind == parley.QuestionMessage && b.start.Turn == 1 {
		b.prompt.Relevant = strings.TrimSpace(b.gathered + "\n" + r.lookUp(ctx))
	}
}

// lookUp asks the enricher, and does without it when it takes too long.
func (r *run) lookUp(ctx context.Context) string {
	if r.Enricher == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, enrichTime)
	defer cancel()
	found := make(chan string, 1)
	go func() { found <- r.Enricher.Relevant(ctx, r.lease.Team, r.lease.Agent, r.asked.Body) }()
	select {
	case text := <-found:
		return text
	case <-ctx.Done():
		return ""
	}
}
