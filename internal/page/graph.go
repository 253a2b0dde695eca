package page

import (
	"slices"
	"strconv"

	"parley"
	"parley/internal/reading"
)

func (d *Door) registerGraph() {
	d.show("/graph", "graph", func(v *visit) (any, error) { return v.graph() })
}

// Graph is who talked to whom in a span of time.
type Graph struct {
	Span     Span
	Messages int
	Between  int  // participants
	Live     bool // it is short enough to be read again with every message
	Cut      int  // how many messages were looked at, if that was not all; else 0
	Net      Net
	Left     int // participants that the picture leaves out
	Thin     int // lines between those shown that the picture leaves out
	Pairs    []Talked
	All      int // pairs
	Next     string
	Prev     string
}

func (Graph) Titled() (title, here string) { return "Graph", "/graph" }

// Talked is a pair with how what they talk about stands.
type Talked struct {
	reading.Pair
	One, Two Who
	Mark     Mark
	URL      string
	open     bool
}

const (
	graphNodes = 40
	graphEdges = 120
	pairPage   = 40
	// openTasks is how many open tasks are looked at for the colours.
	openTasks = 1000
)

func (v *visit) graph() (out Graph, err error) {
	if out.Span, err = v.span("today", "hour", "day", "week"); err != nil {
		return out, err
	}
	out.Live = out.Span.Name == "today" || out.Span.Name == "hour"
	pairs, err := v.Reading.Pairs(v.ctx, v.Caller, micros(out.Span.Since), micros(out.Span.Until))
	if err != nil {
		return out, err
	}
	out.Messages, out.All = pairs.Messages, len(pairs.List)
	if pairs.Cut {
		out.Cut = pairs.Looked
	}
	marks, err := v.openBetween()
	if err != nil {
		return out, err
	}
	list := make([]Talked, 0, len(pairs.List))
	for _, p := range pairs.List {
		list = append(list, v.talked(p, marks))
	}
	if v.wants("net") {
		if err := v.draw(&out, list); err != nil {
			return out, err
		}
	}
	from := v.number("at", 1, max(1, len(list)))
	if from > 1 {
		out.Prev = v.here("at", strconv.Itoa(max(1, from-pairPage)))
	}
	if from-1+pairPage < len(list) {
		out.Next = v.here("at", strconv.Itoa(from+pairPage))
	}
	if len(list) > 0 {
		out.Pairs = list[from-1 : min(len(list), from-1+pairPage)]
	}
	for i := range out.Pairs {
		p := &out.Pairs[i]
		p.One, p.Two, p.URL = v.whois(p.A), v.whois(p.B), v.dmURL(p.A, p.B)
	}
	return out, nil
}

type pairKey [2]parley.AgentID

func pairOf(a, b parley.AgentID) pairKey { return pairKey{min(a, b), max(a, b)} }

// How a line stands, the most urgent last.
var standings = []Mark{{"idle", "nothing open"}, {"fail", "failed last"}, {"wait", "a task is open"}, {"run", "works now"}, {"you", "waits for you"}}

// openBetween is how the open tasks between two stand.
func (v *visit) openBetween() (map[pairKey]int, error) {
	tasks, err := v.Reading.Tasks(v.ctx, v.Caller, reading.TaskFilter{Open: true, Limit: openTasks})
	of := map[pairKey]int{}
	for _, t := range tasks {
		stands := 2
		switch {
		case t.Agent == v.Agent:
			stands = 4
		case t.State == parley.Running:
			stands = 3
		}
		key := pairOf(t.Requester, t.Agent)
		of[key] = max(of[key], stands)
	}
	return of, err
}

func (v *visit) talked(p reading.Pair, open map[pairKey]int) Talked {
	stands := open[pairOf(p.A, p.B)]
	if stands == 0 && p.Failed {
		stands = 1
	}
	return Talked{Pair: p, Mark: standings[stands], open: stands > 1}
}

// draw fills the picture with those who talked most.
func (v *visit) draw(out *Graph, list []Talked) error {
	agents, err := v.Reading.Agents(v.ctx, v.Caller)
	if err != nil {
		return err
	}
	active := map[parley.AgentID]int{}
	for _, p := range list {
		active[p.A] += p.Count
		active[p.B] += p.Count
	}
	out.Between = len(active)
	nodes := pick(agents, active)
	out.Left = max(0, len(agents)-len(nodes))
	at := map[parley.AgentID]bool{}
	for i := range nodes {
		at[nodes[i].id] = true
		nodes[i].Who = v.whois(nodes[i].id)
		nodes[i].URL = nodes[i].Who.URL()
	}
	var edges []Edge
	for _, p := range list {
		if !at[p.A] || !at[p.B] {
			continue
		}
		if len(edges) == graphEdges {
			out.Thin++
			continue
		}
		edges = append(edges, Edge{a: p.A, b: p.B, Count: p.Count, Shape: p.Mark.Shape})
	}
	out.Net = layOut(nodes, edges)
	return nil
}

// pick takes the participants that are drawn: all of a small team, else those who talked
// most. They come by number, that is in the order in which they joined.
func pick(agents []reading.Agent, active map[parley.AgentID]int) (nodes []Node) {
	for _, a := range agents {
		nodes = append(nodes, Node{id: a.ID, person: a.Kind == parley.Person, lead: a.Lead, active: active[a.ID]})
		delete(active, a.ID)
	}
	for id, n := range active { // they have left the team since
		nodes = append(nodes, Node{id: id, active: n})
	}
	if len(nodes) > graphNodes {
		slices.SortFunc(nodes, func(a, b Node) int {
			if a.active != b.active {
				return b.active - a.active
			}
			return int(a.id - b.id)
		})
		nodes = nodes[:graphNodes]
	}
	slices.SortFunc(nodes, func(a, b Node) int { return int(a.id - b.id) })
	return nodes
}
