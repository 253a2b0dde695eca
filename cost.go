package parley

import "time"

// CostBy is what spending is added up by.
type CostBy string

const (
	CostByAgent CostBy = "agent"
	CostByModel CostBy = "model"
	CostByTask  CostBy = "task"
	CostByDay   CostBy = "day"
)

// ParseCostBy reads one of them; empty is by agent.
func ParseCostBy(s string) (CostBy, error) {
	switch by := CostBy(s); by {
	case "":
		return CostByAgent, nil
	case CostByAgent, CostByModel, CostByTask, CostByDay:
		return by, nil
	}
	return "", Errorf(Invalid, "Spending is not added up by %q.", Clip(s, 64)).WithHint("Choose agent, model, task or day.")
}

// Cost is what was spent under one heading, one of these.
type Cost struct {
	Agent AgentID
	Model string // empty if it is not known
	Task  TaskID
	At    Micros // the beginning of a quarter of an hour, or of a day

	Calls     int64 // of models
	Spent     Spending
	Cached    int64 // of the input
	Estimated bool  // partly a guess
}

// Plus adds what was spent under the same heading.
func (c Cost) Plus(more Cost) Cost {
	c.Calls, c.Spent, c.Cached = c.Calls+more.Calls, c.Spent.Plus(more.Spent), c.Cached+more.Cached
	c.Estimated = c.Estimated || more.Estimated
	return c
}

// DayIn is the beginning of the day in a time zone.
func (m Micros) DayIn(zone *time.Location) Micros {
	year, month, day := m.Time().In(zone).Date()
	return Micros(time.Date(year, month, day, 0, 0, 0, 0, zone).UnixMicro())
}

// ParseZone reads the name of a time zone, or an offset from UTC such as +05:30.
func ParseZone(s string) (*time.Location, error) {
	if at, err := time.Parse("-07:00", s); err == nil {
		_, offset := at.Zone()
		return time.FixedZone(s, offset), nil
	}
	zone, err := time.LoadLocation(s)
	if err != nil || s == "Local" {
		return nil, Errorf(Invalid, "There is no time zone %q.", Clip(s, 64)).WithHint("Name one like Europe/Berlin, or an offset like +01:00.")
	}
	return zone, nil
}

// FirstStep is what the first step of a new tree may cost.
type FirstStep struct {
	Model         string
	Input, Output int64 // tokens, at most
	Money         Money
}
