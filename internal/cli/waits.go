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

// failures are the events that say that a task has failed.
const failures = string(parley.EventFailed)

// asideStep is an event that is told among the steps: a wait for a provider, or the end
// of a task that no step shows, since it failed.
func asideStep(e api.Event) api.Step {
	if e.Kind == failures {
		return api.Step{Task: e.Task, Agent: e.Actor, At: e.At, Kind: api.StepEnd, Failed: true, Line: "failed: " + e.Detail}
	}
	return waitStep(e)
}

// eventsFrom is a part of the record, and where to go on with it.
type eventsFrom struct {
	filter client.EventFilter
	cursor string
}

// readAsides reads the events that are told among the steps that the filter is for, and
// where each kind of them ends.
func readAsides(ctx context.Context, hub *client.Client, f client.EventFilter) (asides []api.Step, ends []eventsFrom, err error) {
	for _, f.Kind = range []string{providerWaits, failures} {
		end := eventsFrom{filter: f}
		for e, err := range hub.Record(ctx, f, "", false) {
			if err != nil {
				return nil, nil, err
			}
			if end.cursor = e.Cursor; waitsIn(f, e) {
				asides = append(asides, asideStep(e))
			}
		}
		ends = append(ends, end)
	}
	return asides, ends, nil
}

// waitsIn reports whether it is an agent of the filter that waits or fails, and not the
// one for whom it works.
func waitsIn(f client.EventFilter, e api.Event) bool {
	return f.Agent == "" || strings.EqualFold(f.Agent, e.Actor)
}

// byTime puts other lines among the steps, after those of the same time.
func byTime(steps, asides []api.Step) []api.Step {
	all := append(slices.Clone(steps), asides...)
	slices.SortStableFunc(all, func(x, y api.Step) int { return x.At.Compare(y.At) })
	return all
}

// shownSteps are the steps of a task with its waits for providers, and with its failure.
func shownSteps(ctx context.Context, hub *client.Client, id string) (api.StepList, error) {
	list, err := taskSteps(ctx, hub, id)
	if err != nil {
		return list, err
	}
	asides, _, err := readAsides(ctx, hub, client.EventFilter{Task: id})
	list.Steps = byTime(list.Steps, asides)
	return list, err
}
