package cli

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"parley/api"
	"parley/client"
)

// happening is an event or a step, whichever is there.
type happening struct {
	at    time.Time
	event *api.Event
	step  *api.Step
}

// auditSteps shows events and steps together, by time.
func (c *console) auditSteps(ctx context.Context, hub *client.Client, a audit) error {
	if a.follow {
		var stop context.CancelFunc
		ctx, stop = interruptible(ctx)
		defer stop()
	}
	events, cursor, err := recorded(ctx, hub, a)
	if err != nil {
		return err
	}
	q := client.StepQuery{Agent: a.filter.Agent, Task: a.filter.Task, Tree: a.filter.Tree, Limit: a.filter.Last}
	steps, removed, err := newestSteps(ctx, hub, q, func(st api.Step) bool { return c.logged(st) && a.within(st.At) })
	if err != nil {
		return err
	}
	if len(steps) > 0 {
		q.Cursor = steps[len(steps)-1].Cursor
	}
	all := make([]happening, 0, len(steps)+len(events))
	for i := range steps { // before the events of the same moment, which came of them
		all = append(all, happening{at: steps[i].At, step: &steps[i]})
	}
	events = append(all, events...)
	slices.SortStableFunc(events, func(x, y happening) int { return x.at.Compare(y.at) })
	if a.filter.Last > 0 {
		events = events[max(0, len(events)-a.filter.Last):]
	}
	if removed != "" {
		c.advise("%s", removed)
	}
	for _, h := range events {
		if err := c.happened(h); err != nil {
			return err
		}
	}
	if a.follow {
		return followBoth(ctx, hub, []eventsFrom{{a.filter, cursor}}, q, func(h happening) error {
			if h.step != nil && !a.within(h.step.At) {
				return nil
			}
			return c.happened(h)
		})
	}
	if len(events) == 0 && removed == "" {
		c.advise("There are no such events and steps on record.")
	}
	return nil
}

// within reports whether a time is within --since and --until.
func (a *audit) within(at time.Time) bool {
	return !at.Before(a.filter.Since) && (a.filter.Until.IsZero() || at.Before(a.filter.Until))
}

// recorded reads the events on record, and where they end.
func recorded(ctx context.Context, hub *client.Client, a audit) (list []happening, cursor string, err error) {
	for e, err := range hub.Record(ctx, a.filter, "", false) {
		if err != nil {
			return nil, "", err
		}
		list, cursor = append(list, happening{at: e.At, event: &e}), e.Cursor
	}
	return list, cursor, nil
}

func (c *console) happened(h happening) error {
	if h.step != nil {
		return c.logStep(c.screen(c.out), *h.step)
	}
	if c.json {
		return c.line(*h.event)
	}
	_, err := io.WriteString(c.out, c.screen(c.out).Event(*h.event))
	return err
}

// followBoth goes on with new events and steps as they come, until one of them ends.
// They are written one after the other.
func followBoth(ctx context.Context, hub *client.Client, events []eventsFrom, q client.StepQuery, write func(happening) error) error {
	following, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex // of the output
	show := func(h happening) error {
		mu.Lock()
		defer mu.Unlock()
		return write(h)
	}
	ended := make(chan error, 1+len(events))
	go func() {
		ended <- hub.FollowSteps(following, q, func(st api.Step) error { return show(happening{step: &st}) })
	}()
	for _, part := range events {
		go func() {
			part.filter.Last = 0
			for e, err := range hub.Record(following, part.filter, part.cursor, true) {
				if err == nil {
					err = show(happening{event: &e})
				}
				if err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	err := <-ended
	stop()
	for range events {
		<-ended
	}
	if ctx.Err() != nil {
		return silent{exitInterrupted}
	}
	return err
}
