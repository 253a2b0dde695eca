package view

import (
	"fmt"
	"math"
	"strings"
	"time"

	"parley/api"
)

// barWidth is how wide the longest bar is, in columns.
func (s Screen) barWidth() float64 {
	if s.Width > 0 && s.Width < 100 {
		return 10
	}
	return 20
}

// Cost shows what a team has spent, with a bar for each line.
func (s Screen) Cost(c api.Cost) string {
	if c.Total.Calls == 0 && c.Total.Input+c.Total.Output == 0 {
		return "Nothing was spent" + s.costSince(c) + ".\n"
	}
	t := table{elastic: 0, least: 12, rows: [][]cell{{
		{text: c.By, color: Dim}, {text: "", color: Dim}, {text: "money", color: Dim, right: true}, {text: "in", color: Dim, right: true},
		{text: "cached", color: Dim, right: true}, {text: "out", color: Dim, right: true}, {text: "calls", color: Dim, right: true},
	}}}
	most := 0.0
	for _, l := range c.Lines {
		most = max(most, weight(c, l))
	}
	for _, l := range c.Lines {
		t.rows = append(t.rows, costCells(l, name(c, l), cell{text: s.bar(weight(c, l), most), color: Cyan}))
	}
	t.rows = append(t.rows, costCells(c.Total, "total"+s.costSince(c), cell{}))
	text := t.text(s)
	if c.LeftOut > 0 {
		text += fmt.Sprintf("%s not shown; --limit shows more.\n", Plural(c.LeftOut, "line"))
	}
	if c.Zone != "" {
		text += "Days begin at midnight, " + c.Zone + ".\n"
	}
	if c.Total.Estimated {
		text += "~ is partly a guess: replies never came or broke off.\n"
	}
	return text
}

func (s Screen) costSince(c api.Cost) string {
	if c.Since == nil {
		return ""
	}
	zone := s.Zone
	if zone == nil {
		zone = time.UTC
	}
	return " since " + c.Since.In(zone).Format("2006-01-02 15:04")
}

// name is what a line is about.
func name(c api.Cost, l api.CostLine) string {
	switch {
	case l.Key == "" && c.By == "model":
		return "not known"
	case l.Title != "":
		return l.Key + " " + Line(l.Title)
	}
	return Line(l.Key)
}

// weight is what the bars compare: money, or tokens if nothing had a price.
func weight(c api.Cost, l api.CostLine) float64 {
	if c.Total.Money > 0 {
		return l.Money
	}
	return float64(l.Input + l.Output)
}

// bar is as long as its share of the most. What is not nothing has one column.
func (s Screen) bar(n, most float64) string {
	if n <= 0 || most <= 0 {
		return ""
	}
	return strings.Repeat(s.glyph("█", "#"), max(int(math.Round(s.barWidth()*n/most)), 1))
}

func costCells(l api.CostLine, name string, bar cell) []cell {
	guess := ""
	if l.Estimated {
		guess = "~"
	}
	return []cell{{text: name}, bar, {text: guess + Dollars(l.Money), right: true}, {text: guess + fmt.Sprint(l.Input), right: true},
		{text: fmt.Sprint(l.Cached), right: true}, {text: guess + fmt.Sprint(l.Output), right: true}, {text: fmt.Sprint(l.Calls), right: true}}
}
