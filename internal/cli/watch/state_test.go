package watch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// play gives events to a new screen and returns the state and all that was wanted.
func play(events ...Event) (State, []Action) {
	s := New(noon, time.UTC, false, false)
	var wanted []Action
	for _, e := range append([]Event{Size{W: 140, H: 40}}, events...) {
		var a Action
		if s, a = Update(s, e); a != nil {
			wanted = append(wanted, a)
		}
	}
	return s, wanted
}

// keys are keys by name; a word of several letters that is no name is typed.
func keys(names ...string) []Event {
	var list []Event
	for _, n := range names {
		if word, typed := strings.CutPrefix(n, "type "); typed {
			for _, r := range word {
				list = append(list, Key{Name: string(r), Text: string(r)})
			}
			continue
		}
		text := ""
		if len([]rune(n)) == 1 {
			text = n
		}
		list = append(list, Key{Name: n, Text: text})
	}
	return list
}

func after(first Event, rest ...[]Event) []Event {
	list := []Event{first}
	for _, r := range rest {
		list = append(list, r...)
	}
	return list
}

var (
	runTests = api.Approval{ID: "approval-1-abcdefgh", Agent: "writer", Wants: "run go test", Digest: "d1", Why: "Its profile asks.", Expires: noon.Add(time.Minute),
		Always: &api.AlwaysRule{Key: "profile", Value: "allow:tool:shell:go test"}}
	askEcho = api.Approval{ID: "approval-2-abcdefgh", Agent: "intern", Target: "echo", Wants: "ask echo: Well?", Digest: "d2", NotAlways: "intern is supervised.", Expires: noon.Add(time.Minute)}
	colour  = Question{Task: api.Task{ID: "task-7", Requester: "planner", Title: "Which?"}, Text: "Which colour?\n\n1. blue\n2. red, like the old one"}
	routed  = Question{Task: api.Task{ID: "task-8", Requester: "reader"}, Text: "Which port?", Routed: "query-3"}
	orchard = Snapshot{Team: "orchard", You: "ada", At: noon, Known: true,
		Agents:    []api.Agent{{Name: "writer"}, {Name: "writer two"}, {Name: "reviewer"}, {Name: "ada", Kind: "person"}},
		Channels:  []api.Channel{{Name: "standup"}, {Name: "stand-down"}},
		Approvals: []api.Approval{runTests, askEcho}, Questions: []Question{colour, routed}}
)

func TestWhatThePersonWants(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want []Action
	}{
		{"approve what is chosen, as it was shown", []string{"w", "a"}, []Action{Approve{ID: runTests.ID, Digest: "d1"}}},
		{"a second key does not decide it again", []string{"w", "a", "a", "A", "d"}, []Action{Approve{ID: runTests.ID, Digest: "d1"}}},
		{"keys decide only in their pane", []string{"a", "tab", "a", "tab", "a"}, nil},
		{"deny with a reason", []string{"w", "d", "type Not today.", "enter"}, []Action{Deny{ID: runTests.ID, Digest: "d1", Reason: "Not today."}}},
		{"deny without one", []string{"w", "d", "enter"}, []Action{Deny{ID: runTests.ID, Digest: "d1"}}},
		{"a denial that was given up", []string{"w", "d", "type a", "esc"}, nil},
		{"always", []string{"w", "A"}, []Action{Always{ID: runTests.ID, Digest: "d1", Agent: "writer", Key: "profile", Value: "allow:tool:shell:go test"}}},
		{"always where no rule decides", []string{"w", "down", "A"}, nil},
		{"show the call, then approve it", []string{"w", "s", "a"}, []Action{Show{ID: runTests.ID}, Approve{ID: runTests.ID, Digest: "d1"}}},
		{"answer by number", []string{"w", "down", "down", "2"}, []Action{Answer{Task: "task-7", Text: "red, like the old one"}}},
		{"a number that is no choice", []string{"w", "down", "down", "3"}, nil},
		{"answer in words", []string{"w", "down", "down", "r", "type green", "enter"}, []Action{Answer{Task: "task-7", Text: "green", Line: "green"}}},
		{"a typed number is the choice's text", []string{"w", "down", "down", "r", "1", "enter"}, []Action{Answer{Task: "task-7", Text: "blue", Line: "1"}}},
		{"no empty answer", []string{"w", "down", "down", "r", "enter"}, nil},
		{"decline", []string{"w", "down", "down", "d", "type no", "enter"}, []Action{Decline{Task: "task-7", Reason: "no"}}},
		{"answer a routed question", []string{"w", "end", "r", "type 80", "enter"}, []Action{Answer{Task: "task-8", Routed: "query-3", Text: "80", Line: "80"}}},
		{"pass on a routed question", []string{"w", "end", "d"}, []Action{Decline{Task: "task-8", Routed: "query-3"}}},
		{"hand work over", []string{"type @writer do it", "enter"}, []Action{Delegate{Agent: "writer", Text: "do it", Line: "@writer do it"}}},
		{"to a name with a space", []string{"type @Writer Two do it", "enter"}, []Action{Delegate{Agent: "writer two", Text: "do it", Line: "@Writer Two do it"}}},
		{"to somebody unknown", []string{"type @wrter do it", "enter"}, []Action{Delegate{Agent: "wrter", Text: "do it", Line: "@wrter do it"}}},
		{"post", []string{"type #standup good morning", "enter"}, []Action{Post{Channel: "standup", Text: "good morning", Line: "#standup good morning"}}},
		{"without text", []string{"type @writer", "enter"}, nil},
		{"without a name", []string{"i", "type hello", "enter"}, nil},
		{"complete", []string{"type @rev", "tab", "type hello", "enter"}, []Action{Delegate{Agent: "reviewer", Text: "hello", Line: "@reviewer hello"}}},
		{"complete again", []string{"type @W", "tab", "tab", "type hi", "enter"}, []Action{Delegate{Agent: "writer two", Text: "hi", Line: "@writer two hi"}}},
		{"complete a channel", []string{"type #standu", "tab", "type hi", "enter"}, []Action{Post{Channel: "standup", Text: "hi", Line: "#standup hi"}}},
		{"edit", []string{"type @writer xy", "left", "backspace", "ctrl+e", "type !", "enter"}, []Action{Delegate{Agent: "writer", Text: "y!", Line: "@writer y!"}}},
		{"letters that are keys elsewhere", []string{"type @writer q?w", "enter"}, []Action{Delegate{Agent: "writer", Text: "q?w", Line: "@writer q?w"}}},
		{"leave", []string{"q"}, []Action{Quit{}}},
		{"leave while something is typed", []string{"type @q", "ctrl+c"}, []Action{Quit{}}},
		{"keys go back from the help", []string{"?", "q", "w", "a"}, []Action{Approve{ID: runTests.ID, Digest: "d1"}}},
		{"show a task that is chosen", []string{"tab", "tab", "down", "enter"}, []Action{Show{ID: "task-1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			snap := orchard
			snap.Tasks = []api.Task{{ID: "task-1", Agent: "writer", Created: noon}}
			_, got := play(after(snap, keys(c.keys...))...)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func bare(text string) string { return sgr.ReplaceAllString(text, "") }

// Somebody else decides what is chosen here, in the moment before the key: the key
// must not decide what has moved to its place.
func TestAKeyDoesNotDecideWhatWasNotChosen(t *testing.T) {
	later := orchard
	later.Approvals = []api.Approval{askEcho}
	_, got := play(after(orchard, keys("w"), []Event{later}, keys("a"))...)
	if got != nil {
		t.Errorf("the key did %+v", got)
	}
}

// A key that is pressed twice decides once, whether the answer of the hub or the next
// reading comes between, and also if something new has begun to wait.
func TestAKeyPressedTwiceDecidesOnce(t *testing.T) {
	first := Approve{ID: runTests.ID, Digest: "d1"}
	rest, alone, other := orchard, orchard, orchard
	rest.Approvals = []api.Approval{askEcho}
	alone.Approvals, alone.Questions = []api.Approval{runTests}, nil
	other.Approvals, other.Questions = []api.Approval{askEcho}, nil
	nothing := Snapshot{Team: "orchard", You: "ada", At: noon}
	for name, between := range map[string]struct {
		begin  Snapshot
		events []Event
	}{
		"the hub's answer":                      {orchard, []Event{Done{Action: first}}},
		"the next reading":                      {orchard, []Event{rest}},
		"both":                                  {orchard, []Event{Done{Action: first}, rest}},
		"nothing waits, and then something new": {alone, []Event{Done{Action: first}, nothing, other}},
		"a reading that began before":           {orchard, []Event{Done{Action: first}, orchard}},
		"something new in its place":            {alone, []Event{other}},
	} {
		for _, again := range [][]string{{"a"}, {"A"}, {"a", "a"}, {"d", "enter"}, {"1"}} {
			_, got := play(after(between.begin, keys("w", "a"), between.events, keys(again...))...)
			if want := []Action{first}; !cmp.Equal(want, got) {
				t.Errorf("%s, then %v: got %+v, want %+v", name, again, got, want)
			}
		}
		_, got := play(after(between.begin, keys("w", "a"), between.events, keys("w", "a"))...)
		if want := []Action{first, Approve{ID: askEcho.ID, Digest: "d2"}}; !cmp.Equal(want, got) {
			t.Errorf("%s: what is chosen again cannot be decided: %+v", name, got)
		}
	}
	answer := Answer{Task: "task-7", Text: "blue"}
	two := Snapshot{Team: "orchard", You: "ada", At: noon, Questions: []Question{colour, {Task: api.Task{ID: "task-9", Requester: "planner"}, Text: colour.Text}}}
	if _, got := play(after(two, keys("w", "1"), []Event{Done{Action: answer}}, keys("1"))...); !cmp.Equal([]Action{answer}, got) {
		t.Errorf("a choice that was typed twice: got %+v", got)
	}
}

// While a reason is typed the list changes: the reason goes to the approval that it was
// written for, or nowhere.
func TestAReasonBelongsToItsApproval(t *testing.T) {
	later := orchard
	later.Approvals = []api.Approval{askEcho}
	s, got := play(after(orchard, keys("w", "d", "type no"), []Event{later}, keys("enter"))...)
	if got != nil || !strings.Contains(s.note.text, runTests.ID+" does not wait any more") {
		t.Errorf("got %+v, and the note %q", got, s.note.text)
	}
}

func TestWhatWasTypedComesBackAfterAFailure(t *testing.T) {
	failed := Done{Action: Delegate{Agent: "wrter", Line: "@wrter do it"}, Err: errors.New("Agent 'wrter' not found.")}
	s, _ := play(after(orchard, keys("type @wrter do it", "enter"), []Event{failed})...)
	if s.line.text() != "@wrter do it" || !s.note.bad {
		t.Errorf("the line has %q, the note is %+v", s.line.text(), s.note)
	}
	s, _ = play(after(orchard, keys("type @wrter do it", "enter", "type @rev"), []Event{failed})...)
	if s.line.text() != "@rev" {
		t.Errorf("what is being typed became %q", s.line.text())
	}
	_, got := play(after(orchard, keys("w", "a"), []Event{Done{Action: Approve{ID: runTests.ID}, Err: errors.New("no")}}, keys("a"))...)
	if len(got) != 2 {
		t.Errorf("after a failure it can be decided again: %+v", got)
	}
}

func TestTheFeed(t *testing.T) {
	step := func(kind, id, line, text, tool string) Event {
		return Stepped{api.Step{ID: id, Task: "task-1", Agent: "writer", At: noon, Kind: kind, Line: line, Text: text, Tool: tool}}
	}
	event := func(cursor, kind, detail, text string) Event {
		return Said{Event: api.Event{Cursor: cursor, At: noon, Kind: kind, Detail: detail, Actor: "writer", Target: "ada", Task: "task-1"}, Text: text}
	}
	list := []Event{
		step(api.StepBegin, "task-1.1.0.begin", "begins", "", ""),
		step(api.StepReply, "task-1.1.1", "calls shell", "", ""),
		step(api.StepCall, "task-1.1.1.a", "runs go test", "", "shell"),
		step(api.StepCall, "task-1.1.1.b", "runs go vet", "", "shell"),
		step(api.StepReply, "task-1.1.2", "says: hm", "hm", ""),
		step(api.StepResult, "task-1.1.3", "runs go test → exit code 1", "FAIL", "shell"),
		step(api.StepCall, "task-1.1.4.c", "asks ada: Well?", "", "contact_agent"),
		event("1", "task.opened", "ask", "Well?"),
		event("1", "task.opened", "ask", "Well?"),
		// The last reply becomes the answer, whichever is heard first.
		step(api.StepReply, "task-1.1.5", "says: Done.", "Done.", ""),
		event("2", "task.completed", "", "Done."),
		event("3", "task.completed", "", "Done again."),
		step(api.StepReply, "task-1.2.5", "says: Done again.", "Done again.", ""),
	}
	want := []string{
		"12:00:00 writer runs go vet task-1",
		"12:00:00 writer says: hm task-1",
		"12:00:00 writer runs go test → exit code 1 task-1",
		"12:00:00 writer asks ada: Well? task-1",
		"12:00:00 writer answers ada: Done. task-1",
		"12:00:00 writer answers ada: Done again. task-1",
	}
	s, _ := play(append(list, list...)...) // a hub may tell everything again
	var lines []string
	for _, e := range s.feed.entries {
		lines = append(lines, strings.Join(strings.Fields(bare(s.feedRow(e, 80, false))), " "))
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// What people wonder about most is told in plain words: why nothing moves, and why a
// file is as it was.
func TestWhatTheFeedTellsOfTrouble(t *testing.T) {
	for _, c := range []struct {
		kind                  parley.EventKind
		actor, target, detail string
		want                  string
	}{
		{parley.EventProviderBusy, "writer", "ada", "anthropic: too many requests", "writer waits for anthropic: too many requests"},
		{parley.EventProviderBusy, "writer", "ada", "anthropic", "writer waits for anthropic"},
		{parley.EventProviderAnswered, "writer", "ada", "anthropic, after 40s", "writer goes on: anthropic answers again after 40s"},
		{parley.EventWindow, "writer", "", "tiny reads 8000 tokens.", "writer learned the limit of its model: tiny reads 8000 tokens."},
		{parley.EventUndone, "ada", "writer", "2 paths: a.go, b.go", "ada took back changes of writer: 2 paths: a.go, b.go"},
	} {
		s, _ := play(Said{Event: api.Event{Cursor: "1", At: noon, Kind: string(c.kind), Actor: c.actor, Target: c.target, Detail: c.detail, Task: "task-1"}})
		if n := len(s.feed.entries); n != 1 {
			t.Errorf("%s: %d lines", c.kind, n)
			continue
		}
		got := strings.Join(strings.Fields(bare(s.feedRow(s.feed.entries[0], 200, false))), " ")
		if want := "12:00:00 " + c.want + " task-1"; got != want {
			t.Errorf("%s: %q, want %q", c.kind, got, want)
		}
	}
}

// Each way in which a task begins and ends reads as a sentence.
func TestTheFeedIsMadeOfSentences(t *testing.T) {
	for _, c := range []struct {
		kind                        parley.EventKind
		actor, target, detail, text string
		want                        string
	}{
		{parley.EventTask, "root", "researcher", "mention in #standup", "Look here.", "root mentions researcher in #standup: Look here."},
		{parley.EventTask, "root", "coordinator", "resume of task-137", "Go on.", "root resumes task-137 with coordinator: Go on."},
		{parley.EventTask, "root", "coordinator", "retry of task-137", "", "root retries task-137 with coordinator"},
		{parley.EventTask, "reader", "writer", "answer", "It is 80.", "reader answers a question of writer: It is 80."},
		{parley.EventTask, "intern", "boss", "approval_request", "", "intern needs a decision of boss"},
		{parley.EventFailed, "coordinator", "root", "The pen is broken.", "", "coordinator has failed: The pen is broken."},
		{parley.EventRescued, "", "coordinator", "rescue 1", "", "coordinator goes on after a lost worker: rescue 1"},
		{parley.EventRescued, "", "claude", "claude is not connected", "", "claude is not connected, so its task waits again"},
	} {
		s, _ := play(Said{Event: api.Event{Cursor: "1", At: noon, Kind: string(c.kind), Actor: c.actor, Target: c.target, Detail: c.detail, Task: "task-1"}, Text: c.text})
		got := ""
		for _, e := range s.feed.entries {
			got += strings.Join(strings.Fields(bare(s.feedRow(e, 200, false))), " ")
		}
		if want := "12:00:00 " + c.want + " task-1"; got != want {
			t.Errorf("%s: %q, want %q", c.kind, got, want)
		}
	}
}

// Amounts look as everywhere else, also small ones.
func TestMoneyOnTheScreen(t *testing.T) {
	snap := orchard
	snap.Today = api.Spending{Money: 0.4238}
	s, _ := play(snap, Stepped{api.Step{ID: "1", Agent: "a", Kind: api.StepReply, Line: "says: hm", Text: "hm", Cost: 0.000012}})
	for _, want := range []string{"today " + view.Dollars(0.4238), view.Dollars(0.000012)} {
		if screen := bare(Render(s, 140, 40).Text()); !strings.Contains(screen, want) {
			t.Errorf("%q is missing:\n%s", want, screen)
		}
	}
}

// Every key that does something by itself is in the help.
func TestTheHelpNamesEveryKey(t *testing.T) {
	named := map[string]bool{}
	for _, k := range keyHelp {
		for _, word := range strings.FieldsFunc(k[0]+" "+k[1], func(r rune) bool { return r == ' ' || r == ',' || r == ';' }) {
			named[word] = true
		}
	}
	begin, _ := play(after(orchard, keys("w"))...)
	for r := rune(33); r < 127; r++ {
		key := string(r)
		next, action := Update(begin, Key{Name: key, Text: key})
		begins := strings.ContainsRune("@#", r) || r >= '1' && r <= '9'
		if (action != nil || next.line.open || next.help || next.reader.open || next.focus != begin.focus || next.at != begin.at) && !begins && !named[key] {
			t.Errorf("%q does something and is not in the help", key)
		}
	}
}

// The steps and the record come by different ways. What was stored together has one time.
func TestACallStandsBeforeWhatCameOfIt(t *testing.T) {
	call := Stepped{api.Step{ID: "task-1.1.1", At: noon, Agent: "writer", Task: "task-1", Kind: api.StepCall, Tool: "shell", Line: "runs go test"}}
	approval := Said{Event: api.Event{Cursor: "7", At: noon, Kind: string(parley.EventApprovalRequested), Actor: "writer", Task: "task-1", Detail: "approval-1: shell"}}
	for _, heard := range [][]Event{{call, approval}, {approval, call}} {
		s, _ := play(heard...)
		var ids []string
		for _, e := range s.feed.entries {
			ids = append(ids, e.id)
		}
		if diff := cmp.Diff([]string{"step task-1.1.1", "event 7"}, ids); diff != "" {
			t.Errorf("heard of as %T, %T:\n%s", heard[0], heard[1], diff)
		}
	}
}

func TestTheFeedIsBounded(t *testing.T) {
	s := New(noon, time.UTC, false, false)
	for i := range 3 * keep {
		s, _ = Update(s, Stepped{api.Step{ID: fmt.Sprint(i), Kind: "reply", Agent: "a", Line: strings.Repeat("x", 10_000), Text: strings.Repeat("y", 10_000)}})
	}
	size := 0
	for _, e := range s.feed.entries {
		size += len(e.text) + len(e.whole) + len(e.words)
	}
	if n := len(s.feed.entries); n < keep || n >= 2*keep || size > 2*keep*(2*longest+keepText+100) {
		t.Errorf("%d entries with %d bytes", n, size)
	}
	if last := s.feed.entries[len(s.feed.entries)-1]; last.id != fmt.Sprintf("step %d", 3*keep-1) {
		t.Errorf("the newest is %s", last.id)
	}
}

// Whoever reads something older is not moved by what happens.
func TestTheFeedStandsStillWhereSomebodyReads(t *testing.T) {
	var list []Event
	for i := range 100 {
		list = append(list, Stepped{api.Step{ID: fmt.Sprint(i), Kind: "reply", Agent: "a", Line: fmt.Sprintf("line %d.", i), Text: fmt.Sprintf("line %d.", i)}})
	}
	s, _ := play(append(list[:50:50], keys("up", "up")...)...)
	before := bare(Render(s, 80, 24).Text())
	for _, e := range list[50:] {
		s, _ = Update(s, e)
	}
	if !strings.Contains(before, "▸00:00:00 a line 48.") || !strings.Contains(bare(Render(s, 80, 24).Text()), "▸00:00:00 a line 48.") {
		t.Errorf("before:\n%s\nafter:\n%s", before, bare(Render(s, 80, 24).Text()))
	}
	s, _ = Update(s, Key{Name: "esc"})
	if !strings.Contains(bare(Render(s, 80, 24).Text()), "line 99.") {
		t.Error("it does not follow again")
	}
}

// NO_COLOR leaves bold, faint and reverse, and nothing else.
func TestWithoutColours(t *testing.T) {
	s, _ := play(orchard, Said{Event: api.Event{Cursor: "1", Kind: "task.failed", Actor: "a", Target: "b"}}, Lost{Why: "gone"})
	codes := map[string]bool{}
	for _, code := range sgr.FindAllString(Render(s, 140, 40).Text(), -1) {
		codes[code] = true
	}
	for code := range codes {
		if !slices.Contains([]string{"\x1b[m", "\x1b[1m", "\x1b[2m", "\x1b[1;7m"}, code) {
			t.Errorf("it has %q", code)
		}
	}
	s.color = true
	if !strings.Contains(Render(s, 140, 40).Text(), "\x1b[31m") {
		t.Error("with colours there is no red either")
	}
}

func TestTheTree(t *testing.T) {
	at := func(i int) time.Time { return noon.Add(time.Duration(i) * time.Second) }
	end := at(9)
	s, _ := play(Snapshot{Tasks: []api.Task{
		{ID: "task-9", Agent: "late", Title: "later", State: "running", Created: at(5)},
		{ID: "task-4", Parent: "task-2", Agent: "d", Title: "deep", State: "failed", Error: "The pen is broken.", Created: at(3)},
		{ID: "task-3", Parent: "task-1", Agent: "c", Title: "third", State: "waiting", WaitsFor: "approval: approval-1", Created: at(2)},
		{ID: "task-2", Parent: "task-1", Agent: "b", Title: "second", State: "running", Created: at(1)},
		{ID: "task-1", Agent: "a", Title: "first", State: "waiting", Created: at(0)},
		{ID: "task-8", Parent: "task-gone", Agent: "old", Title: "over", State: "completed", Created: at(8), Ended: &end},
		{ID: "task-6", Parent: "task-7", Agent: "x", State: "queued", Created: at(6)},
		{ID: "task-7", Parent: "task-6", Agent: "y", State: "queued", Created: at(7)},
	}}, Tick{Now: at(60)})
	var lines []string
	for _, row := range s.drawTasks(40, 20) {
		lines = append(lines, bare(row))
	}
	want := []string{
		" ● late later                        55s",
		" ◐ a first                          1m",
		" ├─● b second                        59s",
		" │ └─✗ d The pen is broken.          57s",
		" └─◐ c waits for approval-1          58s",
		" ✓ old over                          1s",
		" ◌ x                                 54s",
		" └─◌ y                               53s",
	}
	trim := func(list []string) (out []string) {
		for _, l := range list {
			out = append(out, strings.Join(strings.Fields(l), " "))
		}
		return out
	}
	if diff := cmp.Diff(trim(want), trim(lines)); diff != "" {
		t.Error(diff)
	}
}
