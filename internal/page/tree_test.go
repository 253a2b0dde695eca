package page

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/reading"
	"parley/internal/step"
	"parley/internal/trace"
)

// grown is a tree: 1 with 2 and 3, and 4 to 6 below 3, of which 5 is open.
func grown() []parley.Task {
	list := []parley.Task{{ID: 1}, {ID: 2, Parent: 1}, {ID: 3, Parent: 1}, {ID: 4, Parent: 3}, {ID: 5, Parent: 3}, {ID: 6, Parent: 2}}
	for i := range list {
		list[i].Root, list[i].State = 1, parley.Completed
	}
	list[4].State = parley.Running
	return list
}

func placesOf(list []placed) string {
	var out []string
	for _, p := range list {
		out = append(out, fmt.Sprintf("%d:%d", p.depth, p.task.ID))
	}
	return strings.Join(out, " ")
}

func TestAPieceOfATreeKeepsItsPlace(t *testing.T) {
	all := preorder(grown())
	for _, c := range []struct{ what, got, want string }{
		{"in order", placesOf(all), "0:1 1:2 2:6 1:3 2:4 2:5"},
		{"a piece, with what it is below", placesOf(window(all, 4, 6)), "0:1 1:3 2:4 2:5"},
		{"what is open", placesOf(openOnly(all)), "0:1 1:3 2:5"},
		{"a piece of what is open", placesOf(window(openOnly(all), 2, 3)), "0:1 1:3 2:5"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
		}
	}
	if got := subtree(grown(), 3); len(got) != 3 || got[0].ID != 3 || got[1].ID != 4 {
		t.Errorf("below a task: %v", got)
	}
}

func TestATreeWatchKnowsItsTree(t *testing.T) {
	roots := map[parley.TaskID]parley.TaskID{1: 1, 2: 1, 3: 3, 4: 3}
	asked := 0
	w := &treeWatch{root: 1, in: map[parley.TaskID]bool{1: true}, rootOf: func(id parley.TaskID) (parley.TaskID, error) {
		asked++
		return roots[id], nil
	}}
	for range 2 {
		for id, root := range roots {
			if got := w.has(id); got != (root == 1) {
				t.Errorf("%d is in the tree: %v", id, got)
			}
		}
	}
	if asked != 3 {
		t.Errorf("the store was asked %d times for three tasks", asked)
	}
	if w.has(0) || (*treeWatch)(nil).has(1) {
		t.Error("nothing is in the tree")
	}
}

func TestALaneIsDrawnOnItsAxis(t *testing.T) {
	second := func(n int) parley.Micros { return parley.Micros(n) * 1e6 }
	list := []parley.Task{{ID: 1, CreatedAt: second(100), State: parley.Running}}
	now := second(200).Time()
	r := Row{Task: list[0]}
	r.draw(reading.Lane{Spans: []trace.Span{
		{From: second(100), To: second(110), Doing: trace.Stood}, {From: second(110), To: second(150), Doing: trace.Worked},
		{From: second(150), To: second(190), Doing: trace.Waited}, {From: second(190), To: second(200), Doing: trace.Worked},
	}}, axisOf(list, now), now)
	want := "[{q 0.00% 9.43%} {w 9.43% 37.72%} {p 47.15% 37.72%} {w w-run 84.86% 9.43%}]"
	if got := fmt.Sprint(r.Lane); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := strings.ReplaceAll(r.Words, thin, " "); got != "works 10 s" {
		t.Error(got)
	}
	if n := len(axisOf([]parley.Task{{CreatedAt: second(1), EndedAt: second(1).Add(9000 * time.Hour), State: parley.Completed}}, now).Marks); n > 60 {
		t.Errorf("%d marks", n)
	}
	live := []parley.Task{{CreatedAt: second(100), State: parley.Running}}
	if marks := axisOf(live, second(111).Time()).Marks; len(marks) != 2 || marks[1].Text != "+5"+thin+"s" {
		t.Errorf("a mark stands where the present does: %v", marks)
	}
}

func TestWhatCameOfACallStandsWithIt(t *testing.T) {
	exit := 1
	call := func(n int, kind step.Kind, tool string) reading.Step {
		return reading.Step{Shown: step.Shown{Task: 1, Turn: 1, N: n, Kind: kind, Tool: tool, Args: json.RawMessage(`{"a":1}`), Line: tool + " line"}}
	}
	result := call(2, step.KindResult, "shell")
	result.Text, result.Exit, result.Failed = strings.Repeat("é", longestResult+5), &exit, true
	got := mergeSteps([]reading.Step{call(1, step.KindCall, "shell"), call(1, step.KindCall, "grep"), result})
	if len(got) != 2 || !got[0].Done || got[0].Exit != &exit || got[0].Cut != 5 || got[0].Icon != "fail" || got[1].Done {
		t.Errorf("%+v", got)
	}
}

func TestADiffIsReadLineByLine(t *testing.T) {
	added, taken := countLines("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+++b\n+c\n")
	if added != 2 || taken != 1 {
		t.Errorf("+%d -%d", added, taken)
	}
}
