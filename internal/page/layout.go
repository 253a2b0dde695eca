package page

import (
	"math"
	"strconv"

	"parley"
	"parley/internal/page/markup"
)

// Net is the picture of a graph.
type Net struct {
	Width, Height int
	Nodes         []Node
	Edges         []Edge
	Size, Corner  int // of a node
}

// Box is what the picture is scaled from.
func (n Net) Box() string { return "0 0 " + strconv.Itoa(n.Width) + " " + strconv.Itoa(n.Height) }

// Half is half the size of a node.
func (n Net) Half() int { return n.Size / 2 }

// Below is how far below its middle the name of a node stands.
func (n Net) Below() int { return n.Size/2 + 18 }

// Node is a participant in the picture.
type Node struct {
	Who
	URL          string
	X, Y         int
	id           parley.AgentID
	person, lead bool
	active       int
}

// ID is that of its element.
func (n Node) ID() string { return "node-" + strconv.FormatInt(int64(n.id), 10) }

// Label is its name, cut so that it stays beside its neighbours.
func (n Node) Label() string { return markup.Line(n.Name, 17) }

// Edge is a line between two.
type Edge struct {
	a, b   parley.AgentID
	Count  int
	Shape  string // of its state
	Path   string
	Width  float64
	CX, CY int // where its count stands
}

// ID is that of its element.
func (e Edge) ID() string {
	return "edge-" + strconv.FormatInt(int64(e.a), 10) + "-" + strconv.FormatInt(int64(e.b), 10)
}

// layOut places nodes and draws the lines between them.
//
// A place depends on who is in the team, never on who talks to whom: an order that keeps
// lines short would move everybody when a new line appears, and one who looks for
// somebody would look in the wrong place. So agents stand on a ring in the order in which
// they joined, each in the middle of the widest gap that those before have left: one who
// comes later moves nobody. The one that people talk to first stands in the middle, where
// most lines end, and people on a small ring around it. Of a team with more than
// graphNodes only those who talked most are drawn; there a change among them does move
// those who joined after.
func layOut(nodes []Node, edges []Edge) Net {
	var ring, people []int
	middle := -1
	for i, n := range nodes {
		switch {
		case n.lead && middle < 0:
			middle = i
		case n.person:
			people = append(people, i)
		default:
			ring = append(ring, i)
		}
	}
	if len(people) > 8 { // too many for the small ring: all stand on one
		ring, people = append(ring, people...), nil
	}
	net := Net{Width: 760, Height: 540, Size: 44, Corner: 6, Nodes: nodes, Edges: edges}
	if len(ring) > 16 {
		net = Net{Width: 1080, Height: 860, Size: 36, Corner: 5, Nodes: nodes, Edges: edges}
	}
	cx, cy := float64(net.Width)/2, float64(net.Height)/2-10
	put := func(i int, turn, share float64) {
		x, y := share*(cx-70)*math.Sin(2*math.Pi*turn), -share*(cy-40)*math.Cos(2*math.Pi*turn)
		nodes[i].X, nodes[i].Y = int(math.Round(cx+x)), int(math.Round(cy+y))
	}
	if middle >= 0 {
		put(middle, 0, 0)
	}
	for k, i := range ring {
		put(i, 0.25+gap(k), ringShare(k))
	}
	// Half a gap aside, so that the lines from the middle pass between them.
	aside := 1 / 16.0
	for aside > 1/64.0 && len(ring) > int(1/(2*aside)) {
		aside /= 2
	}
	inner := 0.55
	if len(ring) > 16 {
		inner = 0.4
	}
	for k, i := range people {
		put(i, gap(k)+aside, inner)
	}
	net.connect(cx, cy, middle >= 0)
	return net
}

// gap is where the next one stands, as a part of a full turn: 0, 1/2, 1/4, 3/4, 1/8 and
// so on. Those are the bits of k after the point, in reverse.
func gap(k int) float64 {
	at, part := 0.0, 0.5
	for ; k > 0; k >>= 1 {
		at += part * float64(k&1)
		part /= 2
	}
	return at
}

// ringShare is how far out the one stands who came k-th: where they are closer together
// than names are wide, those between stand further in.
func ringShare(k int) float64 {
	switch {
	case k < 16:
		return 1
	case k < 32:
		return 0.78
	}
	return 0.62
}

// connect draws the lines, as thick as the root of their messages compared with the most.
func (n *Net) connect(cx, cy float64, middle bool) {
	at := map[parley.AgentID]Node{}
	for _, node := range n.Nodes {
		at[node.id] = node
	}
	most := 1
	for _, e := range n.Edges {
		most = max(most, e.Count)
	}
	for i := range n.Edges {
		e := &n.Edges[i]
		a, b := at[e.a], at[e.b]
		x, y := bend(a, b, cx, cy, middle)
		e.Path = "M" + strconv.Itoa(a.X) + " " + strconv.Itoa(a.Y) + "Q" + strconv.Itoa(x) + " " + strconv.Itoa(y) + " " + strconv.Itoa(b.X) + " " + strconv.Itoa(b.Y)
		e.Width = math.Round(10*(1.5+6*math.Sqrt(float64(e.Count)/float64(most)))) / 10
		e.CX, e.CY = (a.X+2*x+b.X)/4, (a.Y+2*y+b.Y)/4+4
	}
}

// bend is where a line is pulled to: towards the middle of the ring, but past whoever
// stands there.
func bend(a, b Node, cx, cy float64, middle bool) (x, y int) {
	mx, my := float64(a.X+b.X)/2, float64(a.Y+b.Y)/2
	if a.lead || b.lead {
		return int(mx), int(my)
	}
	x, y = int(mx+0.25*(cx-mx)), int(my+0.25*(cy-my))
	away := math.Hypot(mx-cx, my-cy)
	if !middle || away > 90 {
		return x, y
	}
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	long := math.Max(1, math.Hypot(dx, dy))
	return int(mx - 150*dy/long), int(my + 150*dx/long)
}
