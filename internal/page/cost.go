package page

import (
	"slices"
	"time"

	"parley"
	"parley/internal/reading"
)

func (d *Door) registerCost() {
	d.show("/cost", "cost", func(v *visit) (any, error) { return v.cost() })
}

// Spendings is what the team has spent in a span of time.
type Spendings struct {
	Span   Span
	Total  parley.Cost
	Today  Spent
	Days   []Bar
	Tables []CostTable
	Live   bool
}

func (Spendings) Titled() (title, here string) { return "Cost", "/cost" }

// CostTable is what was spent, added up by one thing.
type CostTable struct {
	By      string // what the column is called
	Rows    []Bar
	LeftOut int
}

// Bar is what was spent under one heading.
type Bar struct {
	parley.Cost
	Name, URL string
	Share     int     // of the largest, in per cent
	X, W      float64 // by day: where its bar stands, in per cent
	Y, H      int
	Label     bool // by day: it has its name below
}

const (
	costRows = 50
	dayChart = 140 // height of the bars by day
	costDays = 400
)

func (v *visit) cost() (out Spendings, err error) {
	if out.Span, err = v.span("week", "today", "month", "quarter", "all"); err != nil {
		return out, err
	}
	// Adding up walks over the tasks of the span, which only a short one can afford with
	// every change.
	out.Live = out.Span.Name == "today" || out.Span.Name == "week"
	for _, by := range []struct {
		by   parley.CostBy
		name string
		most int
	}{{parley.CostByDay, "Day", costDays}, {parley.CostByAgent, "Agent", costRows}, {parley.CostByModel, "Model", costRows}, {parley.CostByTask, "Task", costRows}} {
		found, err := v.Reading.Cost(v.ctx, v.Caller, reading.CostQuery{By: by.by, Since: out.Span.Since, Zone: v.zone, Limit: by.most})
		if err != nil {
			return out, err
		}
		out.Total = found.Total
		table := CostTable{By: by.name, Rows: v.bars(by.by, found.Lines), LeftOut: found.LeftOut}
		if by.by == parley.CostByDay {
			out.Days = columns(v.eachDay(table.Rows, out.Span.Since))
			slices.Reverse(table.Rows) // a table begins with what is new
		}
		out.Tables = append(out.Tables, table)
	}
	out.Today, err = v.dailyCap()
	return out, err
}

// bars are the lines of one table. They are as long as their money, or as their tokens
// if nothing had a price.
func (v *visit) bars(by parley.CostBy, lines []reading.CostLine) (list []Bar) {
	var money, most int64 = 0, 1
	for _, l := range lines {
		money += int64(l.Spent.Money)
	}
	of := func(c parley.Cost) int64 {
		if money == 0 {
			return c.Spent.Tokens()
		}
		return int64(c.Spent.Money)
	}
	for _, l := range lines {
		most = max(most, of(l.Cost))
	}
	for _, l := range lines {
		b := Bar{Cost: l.Cost, Share: int(100 * of(l.Cost) / most)}
		switch by {
		case parley.CostByModel:
			b.Name = l.Model
			if b.Name == "" {
				b.Name = "not known"
			}
		case parley.CostByTask:
			b.Name, b.URL = l.Title, "/tasks/"+l.Task.String()
			if b.Name == "" {
				b.Name = l.Task.String()
			}
		case parley.CostByDay:
			b.Name = l.At.Time().In(v.zone).Format(time.DateOnly)
		default:
			b.Name, b.URL = l.Name, Who{Name: l.Name}.URL()
		}
		list = append(list, b)
	}
	return list
}

// eachDay adds the days on which nothing was spent, from the beginning of the span on.
func (v *visit) eachDay(days []Bar, since time.Time) []Bar {
	if len(days) == 0 {
		return nil
	}
	first := days[0].At.Time()
	if !since.IsZero() {
		first = since
	}
	spent := map[string]Bar{}
	for _, d := range days {
		spent[d.Name] = d
	}
	var all []Bar
	for day := parley.Micros(first.UnixMicro()).DayIn(v.zone).Time().In(v.zone); !day.After(v.now) && len(all) < costDays; day = day.AddDate(0, 0, 1) {
		name := day.Format(time.DateOnly)
		b, found := spent[name]
		if !found {
			b = Bar{Name: name}
		}
		all = append(all, b)
	}
	if len(all) == costDays { // too many to show those that are empty
		return days
	}
	return all
}

// columns sets the bars of days side by side. At most eight have their names below, so
// that they have room.
func columns(days []Bar) []Bar {
	out := make([]Bar, len(days))
	step := 100 / float64(max(len(days), 7))
	every := max(1, (len(days)+7)/8)
	for i, b := range days {
		b.X, b.W = float64(i)*step, min(step*0.6, 5)
		if b.H = b.Share * dayChart / 100; b.Calls > 0 {
			b.H = max(1, b.H)
		}
		b.Y = dayChart - b.H
		b.Label = (len(days)-1-i)%every == 0
		out[i] = b
	}
	return out
}
