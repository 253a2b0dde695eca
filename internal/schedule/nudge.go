package schedule

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// runNudges looks for tasks without progress until the context is done. It looks at
// nothing unless the files name a time after which somebody is told. A task that begins
// after a look cannot be too quiet before that time has passed, so nothing is missed
// between two looks.
func (s *Service) runNudges(ctx context.Context) {
	timer := time.NewTimer(noAlarm)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.watch:
		case <-timer.C:
		}
		wait, err := s.nudge(ctx)
		if err != nil && ctx.Err() == nil {
			s.cfg.Log.Warn("looking for tasks without progress failed", "error", err)
			wait = afterFailure
		}
		timer.Reset(wait)
	}
}

// nudge tells of every task that has been quiet for too long, and returns how long it is
// until the next one may be. Agents without open tasks cost nothing, however many they are.
func (s *Service) nudge(ctx context.Context) (time.Duration, error) {
	wait := noAlarm
	for id, quiet := range s.quiet() {
		busy, err := s.busy(ctx, id)
		if err != nil {
			return 0, err
		}
		for agent := range busy {
			after, wanted := quiet[agent]
			if !wanted {
				continue
			}
			next, err := s.nudgeFor(ctx, id, agent, after)
			if err != nil {
				return 0, err
			}
			wait = min(wait, next)
		}
		for _, after := range quiet { // of those that begin to work
			wait = min(wait, after)
		}
	}
	return wait, nil
}

// quiet is after how long the requesters of each agent's tasks are told, for the teams in
// which somebody is. Nobody changes these maps.
func (s *Service) quiet() map[parley.TeamID]map[parley.AgentID]time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[parley.TeamID]map[parley.AgentID]time.Duration{}
	for id, t := range s.teams {
		if len(t.quiet) > 0 {
			all[id] = t.quiet
		}
	}
	return all
}

// busy are the agents of a team that have open tasks.
func (s *Service) busy(ctx context.Context, id parley.TeamID) (busy map[parley.AgentID]parley.OpenTasks, err error) {
	err = s.cfg.Store.View(ctx, func(tx *store.Tx) (err error) {
		busy, err = tx.OpenTasks(id)
		return err
	})
	return busy, err
}

// nudgeShare is how exact the time is: a look comes late by up to this part of it, so that
// many tasks share one.
const nudgeShare = 20

// nudgesAtOnce is how many tasks are read at once.
const nudgesAtOnce = 500

func (s *Service) nudgeFor(ctx context.Context, id parley.TeamID, agent parley.AgentID, quiet time.Duration) (time.Duration, error) {
	wait := quiet
	for after := parley.TaskID(0); ; {
		list, now, err := s.idle(ctx, id, agent, after)
		if err != nil {
			return 0, err
		}
		for _, t := range list {
			after = t.Task.ID
			left := t.Since.Add(quiet).Until(now)
			if left <= 0 {
				if left, err = s.cfg.Maker.Nudge(ctx, after, quiet); err != nil {
					return 0, err
				}
			}
			wait = min(wait, left)
		}
		if len(list) < nudgesAtOnce {
			return max(wait, quiet/nudgeShare, time.Second/10), nil
		}
	}
}

// idle reads open tasks of an agent. Nobody is told of those of a paused team.
func (s *Service) idle(ctx context.Context, id parley.TeamID, agent parley.AgentID, after parley.TaskID) (list []store.Idle, now parley.Micros, err error) {
	err = s.cfg.Store.View(ctx, func(tx *store.Tx) (err error) {
		now, list = tx.Now, nil
		team, err := tx.Team(id)
		if err != nil || team.Paused {
			return err
		}
		list, err = tx.IdleTasks(agent, after, nudgesAtOnce)
		return err
	})
	return list, now, err
}
