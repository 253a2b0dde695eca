package live

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func taken(pieces <-chan Piece) (list []Piece) {
	for {
		select {
		case p := <-pieces:
			list = append(list, p)
		default:
			return list
		}
	}
}

func TestEveryWatcherGetsThePiecesOfItsTask(t *testing.T) {
	var f Fan
	f.Publish(1, Piece{Kind: Step})
	one, stop := f.Watch(1)
	other, stopOther := f.Watch(1)
	elsewhere, stopElsewhere := f.Watch(2)
	defer stopElsewhere()
	defer stopOther()
	f.Publish(1, Piece{Kind: Step})
	f.Publish(1, Piece{Kind: Text, Text: "a"})
	stop()
	stop() // twice is once
	f.Publish(1, Piece{Kind: Restart})
	first := []Piece{{Kind: Step}, {Kind: Text, Text: "a"}}
	for _, c := range []struct {
		name   string
		pieces <-chan Piece
		want   []Piece
	}{
		{"one that stopped looking", one, first},
		{"one that looks on", other, append(first, Piece{Kind: Restart})},
		{"one that looks at another task", elsewhere, nil},
	} {
		if diff := cmp.Diff(c.want, taken(c.pieces)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestAWatcherThatIsTooSlowMissesSomeAndIsTold(t *testing.T) {
	var f Fan
	slow, stop := f.Watch(1)
	defer stop()
	for i := range buffer + 10 {
		f.Publish(1, Piece{Kind: Text, Text: fmt.Sprint(i)})
	}
	got := taken(slow)
	if len(got) != buffer || got[buffer-1].Text != fmt.Sprint(buffer-1) || got[buffer-1].Missed {
		t.Fatalf("%d pieces, the last is %+v", len(got), got[len(got)-1])
	}
	f.Publish(1, Piece{Kind: Text, Text: "next"})
	f.Publish(1, Piece{Kind: Text, Text: "after"})
	want := []Piece{{Kind: Text, Text: "next", Missed: true}, {Kind: Text, Text: "after"}}
	if diff := cmp.Diff(want, taken(slow)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingIsKeptAfterAWatchEnds(t *testing.T) {
	var f Fan
	var all sync.WaitGroup
	for task := range 8 {
		all.Go(func() {
			for range 100 {
				pieces, stop := f.Watch(1)
				f.Publish(1, Piece{Kind: Text, Text: fmt.Sprint(task)})
				if len(taken(pieces)) == 0 {
					t.Error("a watcher does not see what comes after it began")
				}
				stop()
			}
		})
	}
	all.Wait()
	f.Silent(1)
	f.Silent(2) // which never spoke
	if len(f.tasks) != 0 {
		t.Errorf("left: %v", f.tasks)
	}
}

func TestWhoComesLateIsToldWhatWasSaidSoFar(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []Piece
		want   []Piece
	}{
		{"in the middle", []Piece{{Kind: Step}, {Kind: Text, Text: "Apples "}, {Kind: Text, Text: "are "}}, []Piece{{Kind: Text, Text: "Apples are "}}},
		{"in the next reply", []Piece{{Kind: Text, Text: "Let me see."}, {Kind: Step}, {Kind: Text, Text: "Pears"}}, []Piece{{Kind: Text, Text: "Pears"}}},
		{"after what is void", []Piece{{Kind: Text, Text: "Plums"}, {Kind: Restart}}, nil},
		{"while a tool runs", []Piece{{Kind: Text, Text: "Let me see."}, {Kind: Tool, Text: "shell"}}, []Piece{{Kind: Text, Text: "Let me see."}}},
	} {
		var f Fan
		for _, p := range c.before {
			f.Publish(1, p)
		}
		pieces, stop := f.Watch(1)
		f.Publish(1, Piece{Kind: Text, Text: "ripe."})
		if diff := cmp.Diff(append(c.want, Piece{Kind: Text, Text: "ripe."}), taken(pieces)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		f.Silent(1)
		after, stopAfter := f.Watch(1)
		if got := taken(after); len(got) > 0 {
			t.Errorf("%s: after its end it has said %v", c.name, got)
		}
		stop()
		stopAfter()
		if len(f.tasks) != 0 {
			t.Errorf("%s: left: %v", c.name, f.tasks)
		}
	}
}
