package page

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/page/markup"
	"parley/internal/reading"
)

func TestANewLineMovesNobody(t *testing.T) {
	nodes := func(n int) (list []Node) {
		for i := range n {
			list = append(list, Node{id: parley.AgentID(i + 1), person: i%7 == 3, lead: i == 0})
		}
		return list
	}
	alone := layOut(nodes(12), nil)
	talking := layOut(nodes(12), []Edge{{a: 2, b: 9, Count: 4}, {a: 1, b: 5, Count: 1}})
	for i, n := range alone.Nodes {
		if m := talking.Nodes[i]; m.X != n.X || m.Y != n.Y {
			t.Errorf("%d moved from %d, %d to %d, %d", n.id, n.X, n.Y, m.X, m.Y)
		}
	}
	if e := talking.Edges; e[0].Width <= e[1].Width {
		t.Errorf("4 messages are %v wide, 1 is %v", e[0].Width, e[1].Width)
	}
	for i, n := range layOut(nodes(13), nil).Nodes[:12] {
		if m := alone.Nodes[i]; !n.person && (m.X != n.X || m.Y != n.Y) {
			t.Errorf("one who joined moved %d from %d, %d to %d, %d", n.id, m.X, m.Y, n.X, n.Y)
		}
	}
}

func TestNobodyStandsOnSomebodyElse(t *testing.T) {
	for n := 1; n <= graphNodes; n++ {
		var nodes []Node
		for i := range n {
			nodes = append(nodes, Node{id: parley.AgentID(i + 1), person: i == 3 || i == 5, lead: i == 0})
		}
		net := layOut(nodes, nil)
		for i, a := range net.Nodes {
			if a.X < net.Size/2 || a.Y < net.Size/2 || a.X > net.Width-net.Size/2 || a.Y > net.Height-net.Size {
				t.Errorf("of %d, %d stands outside at %d, %d", n, a.id, a.X, a.Y)
			}
			for _, b := range net.Nodes[:i] {
				if abs(a.X-b.X) < net.Size && abs(a.Y-b.Y) < net.Size {
					t.Errorf("of %d, %d stands on %d at %d, %d", n, a.id, b.id, a.X, a.Y)
				}
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

// largestGraph is how many bytes the picture of any team may have.
const largestGraph = 150 << 10

func TestAGraphOfTwoThousandIsSmall(t *testing.T) {
	var agents []reading.Agent
	active := map[parley.AgentID]int{}
	for i := range 2000 {
		a := reading.Agent{Agent: parley.Agent{ID: parley.AgentID(i + 1), Name: fmt.Sprintf("agent-%04d", i), Kind: parley.Native}}
		agents = append(agents, a)
		active[a.ID] = i % 700
	}
	nodes := pick(agents, active)
	if len(nodes) != graphNodes || nodes[0].id != 681 {
		t.Fatalf("%d are drawn, from %d on", len(nodes), nodes[0].id)
	}
	var edges []Edge
	for i := range nodes {
		nodes[i].Who = Who{Name: fmt.Sprintf("agent-with-a-long-name-%04d", nodes[i].id)}
		for _, b := range nodes[:i] {
			if len(edges) < graphEdges {
				edges = append(edges, Edge{a: b.id, b: nodes[i].id, Count: 12345, Shape: "run"})
			}
		}
	}
	v := &visit{zone: time.UTC, now: time.Unix(0, 0)}
	view := Graph{Net: layOut(nodes, edges), Messages: 1, Left: 1960, Thin: 660, Span: Span{Name: "today"}}
	var b bytes.Buffer
	if err := parseViews(packAssets(), markup.NewDrawn(0))["graph"].ExecuteTemplate(&b, "net", Frame{View: view, v: v}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); len(got) > largestGraph || strings.Count(got, "<path ") != graphEdges || strings.Count(got, "<rect class=\"n-box\"") != graphNodes || !strings.Contains(got, "others</a>") {
		t.Errorf("%d bytes with %d lines and %d nodes", len(got), strings.Count(got, "<path "), strings.Count(got, "n-box"))
	}
}
