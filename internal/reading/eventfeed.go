package reading

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/wake"
)

// eventGap is how long the feed of a record pauses after reading.
const eventGap = 5 * time.Millisecond

// The feed of a record: members pick by the participant that their events are about.
type (
	eventFeeds  = feeds[parley.AgentID, *parley.Event]
	eventFeed   = feed[parley.AgentID, *parley.Event]
	eventMember = member[parley.AgentID, *parley.Event]
)

// joinEvents follows the events that pass a filter.
func (s *Service) joinEvents(filter store.EventFilter) (*eventFeed, *eventMember) {
	about := filter.Agent
	if filter.Sees != 0 {
		about = filter.Sees
	}
	return s.feeds.join(filter.Team, s.store, &eventSource{store: s.store, team: filter.Team}, about,
		func(e *parley.Event) bool { return filter.Matches(*e) })
}

// eventSource reads the record of a team.
type eventSource struct {
	store  store.Store
	team   parley.TeamID
	cursor string
}

var _ source[parley.AgentID, *parley.Event] = (*eventSource)(nil)

func (s *eventSource) watch() (<-chan struct{}, func()) {
	return s.store.Bus().Watch(wake.Signal{Topic: wake.Events, ID: int64(s.team)})
}

func (s *eventSource) pauses() (gap, longest time.Duration) { return eventGap, maxPause }

func (s *eventSource) begin(ctx context.Context) error {
	return s.store.View(ctx, func(tx *store.Tx) (err error) {
		s.cursor, err = tx.LatestEvent()
		return err
	})
}

func (s *eventSource) read(ctx context.Context) (list []*parley.Event, full bool, err error) {
	var page []parley.Event
	next := s.cursor
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		page, next, err = tx.Events(s.team, s.cursor, eventPage)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	s.cursor = next
	for i := range page {
		list = append(list, &page[i])
	}
	return list, len(page) == eventPage, nil
}

// keys are those of everybody, and of the participants of an event.
func (s *eventSource) keys(e *parley.Event, give func(parley.AgentID)) {
	give(0)
	if e.Actor != 0 {
		give(e.Actor)
	}
	if e.Target != 0 && e.Target != e.Actor {
		give(e.Target)
	}
}
