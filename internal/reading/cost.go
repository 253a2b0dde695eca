package reading

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
	_ "time/tzdata" // the person's zone, wherever the hub runs

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// CostQuery says what spending is added up by, and since when.
type CostQuery struct {
	By    parley.CostBy
	Since time.Time      // zero: all
	Zone  *time.Location // in which days begin
	Limit int            // how many headings at most
}

// CostLine is what was spent under one heading.
type CostLine struct {
	parley.Cost
	Name  string // of the agent
	Title string // of the task; empty if it was removed
}

// Cost is what was spent in all, and under each heading.
type Cost struct {
	Total   parley.Cost
	Lines   []CostLine
	LeftOut int // headings that are beyond the limit
}

// Cost adds up what the caller's team has spent, the most expensive first, or by day
// the oldest. An agent sees what its own turns have spent.
func (s *Service) Cost(ctx context.Context, c access.Caller, q CostQuery) (out Cost, err error) {
	find := store.CostQuery{Team: c.Team, By: q.By}
	if !s.seesAll(c) {
		find.Agent, find.Own = c.Agent, true
	}
	return s.cost(ctx, q, find)
}

func (s *Service) cost(ctx context.Context, q CostQuery, find store.CostQuery) (out Cost, err error) {
	if !q.Since.IsZero() {
		find.Since = parley.Micros(q.Since.UnixMicro())
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list, err := tx.Cost(find)
		if err != nil {
			return err
		}
		out = Cost{}
		for _, one := range list {
			out.Total = out.Total.Plus(one)
		}
		if q.By == parley.CostByDay {
			list = byDay(list, q.Zone)
		} else {
			slices.SortStableFunc(list, moreExpensive)
		}
		list = slices.DeleteFunc(list, onlyTime)
		if out.LeftOut = max(len(list)-q.Limit, 0); q.By == parley.CostByDay {
			list = list[out.LeftOut:] // the oldest
		} else {
			list = list[:len(list)-out.LeftOut]
		}
		for _, one := range list {
			line := CostLine{Cost: one}
			if one.Task != 0 {
				if line.Title, err = title(tx, one.Task); err != nil {
					return err
				}
			}
			out.Lines = append(out.Lines, line)
		}
		return nil
	})
	for i := range out.Lines {
		out.Lines[i].Name = s.Name(ctx, out.Lines[i].Agent)
	}
	return out, err
}

// onlyTime reports whether nothing was spent under a heading but time, as by calls of
// tools, for which no model was asked. It counts in the total.
func onlyTime(c parley.Cost) bool { return c.Calls == 0 && c.Spent.Tokens() == 0 && c.Spent.Money == 0 }

func moreExpensive(a, b parley.Cost) int {
	return cmp.Or(cmp.Compare(b.Spent.Money, a.Spent.Money), cmp.Compare(b.Spent.Tokens(), a.Spent.Tokens()))
}

func title(tx *store.Tx, id parley.TaskID) (string, error) {
	t, err := tx.Task(id)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return t.Title, err
}

// byDay adds quarters of an hour up to days. They come in their order.
func byDay(list []parley.Cost, zone *time.Location) (days []parley.Cost) {
	for _, one := range list {
		day := one.At.DayIn(zone)
		if n := len(days); n > 0 && days[n-1].At == day {
			days[n-1] = days[n-1].Plus(one)
			continue
		}
		one.At = day
		days = append(days, one)
	}
	return days
}

// spentSince is what a team has spent since a time.
func spentSince(tx *store.Tx, team parley.TeamID, since parley.Micros) (sum parley.Spending, err error) {
	list, err := tx.Cost(store.CostQuery{Team: team, Since: since, By: parley.CostByModel})
	for _, c := range list {
		sum = sum.Plus(c.Spent)
	}
	return sum, err
}
