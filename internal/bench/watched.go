//go:build bench

package bench

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"parley/internal/access"
	"parley/internal/reading"
)

// The same turns while ten people look on: each follows all steps of the team and encodes
// them, as the door does.

const turnWatchers = 10

// watchedRound is a slice of turns with watchers, after the one without.
func (m *turnMeasure) watchedRound(ctx context.Context) error {
	watching, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	ready := make(chan struct{}, turnWatchers)
	for range turnWatchers {
		begun := sync.OnceFunc(func() { ready <- struct{}{} })
		all.Go(func() {
			defer begun()
			caller := access.Caller{Team: m.hub.team.ID, Agent: m.hub.ids[0]}
			_ = m.hub.Reading.FollowSteps(watching, caller, reading.StepQuery{Cursor: reading.Now}, func(s reading.Step) error {
				_, err := json.Marshal(s)
				return err
			}, func(string) error { begun(); return nil }) // it ends with the context
		})
	}
	for range turnWatchers {
		<-ready
	}
	defer all.Wait()
	defer stop()
	m.own = m.own[:0]
	turns, err := m.profile.measure(ctx, watchedName(m.engine.name()), 1, m.plan.slice, m.turnOnce)
	if err != nil {
		return err
	}
	m.looked = append(m.looked, turns)
	slices.Sort(m.own)
	with := percentile(m.own, 50)
	m.watched = append(m.watched, with)
	m.ratios = append(m.ratios, float64(with)/float64(m.owns[len(m.owns)-1]))
	return nil
}

func (m *turnMeasure) addWatched(name string) error {
	same := func(v float64) float64 { return v }
	l := lineOf(name, 1, m.looked)
	l.Watchers, l.P50, l.Alone = turnWatchers, inMicros(medianOf(m.watched)), inMicros(medianOf(m.owns))
	l.TimeRatio = round(median(m.ratios, same), 3)
	return m.add(l)
}
