package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/app"
	"parley/internal/cli/view"
)

// models asks each model for one word.
func (e *examination) models(ctx context.Context) {
	if e.offline {
		if names := app.RealModels(e.team); len(names) > 0 {
			e.note("model", strings.Join(names, ", ")+": not asked, because of --offline.", "")
		}
		return
	}
	for _, t := range app.TryModels(ctx, e.team) {
		whom := "for " + strings.Join(t.Agents, ", ")
		switch {
		case t.Offline:
			e.wrong("model", fmt.Sprintf("%s, %s: %s", t.Model, whom, t.Problem), "Until it can be reached, nobody knows whether the key and the name are right.")
		case t.Problem != "":
			e.wrong("model", fmt.Sprintf("%s, %s: %s", t.Model, whom, t.Problem), "")
		default:
			e.ok("model", "%s, %s: answered in %s, %d tokens%s", t.Model, whom, view.Duration(t.Took.Round(time.Millisecond)),
				t.Usage.Input+t.Usage.Output, cost(t.Usage.Cost))
		}
	}
}

func cost(micro int64) string {
	if micro == 0 {
		return ""
	}
	return fmt.Sprintf(", $%.6f", float64(micro)/1e6)
}
