package cli

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/api"
	"parley/client"
)

// providerWaits are the events that say that a turn waits for a provider, and no longer.
const providerWaits = "provider.*"

// waitStep is such an event as a line among the steps: nothing is stored for it there,
// and a reader of the steps wants to know why they took long.
func waitStep(e api.Event) api.Step {
	said := strings.TrimSuffix(e.Detail, " Try again later.")
	line := "waits for " + said
	if parley.EventKind(e.Kind) == parley.EventProviderAnswered {
		line = "goes on, " + strings.Replace(said, ", after", " answers after", 1)
	}
	return api.Step{Task: e.Task, Agent: e.Actor, At: e.At, Kind: api.StepWait, Line: line}
}

// readWaits reads the waits for providers that belong to steps, and where they end.
func readWaits(ctx context.Context, hub *client.Client, f client.EventFilter) (waits []api.Step, cursor string, err error) {
	for e, err := range hub.Record(ctx, f, "", false) {
		if err != nil {
			return nil, "", err
		}
		if cursor = e.Cursor; waitsIn(f, e) {
			waits = append(waits, waitStep(e))
		}
	}
	return waits, cursor, nil
}

// waitsIn reports whether it is an agent of the filter that waits, and not the one for
// whom it works.
func waitsIn(f client.EventFilter, e api.Event) bool {
	return f.Agent == "" || strings.EqualFold(f.Agent, e.Actor)
}

// byTime puts waits among the steps of the same time.
func byTime(steps, waits []api.Step) []api.Step {
	all := append(slices.Clone(steps), waits...)
	slices.SortStableFunc(all, func(x, y api.Step) int { return x.At.Compare(y.At) })
	return all
}

// shownSteps are the steps of a task with its waits for providers.
func shownSteps(ctx context.Context, hub *client.Client, id string) (api.StepList, error) {
	list, err := taskSteps(ctx, hub, id)
	if err != nil {
		return list, err
	}
	waits, _, err := readWaits(ctx, hub, client.EventFilter{Task: id, Kind: providerWaits})
	list.Steps = byTime(list.Steps, waits)
	return list, err
}
