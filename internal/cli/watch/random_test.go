package watch

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/api"
)

// nasty are texts as an agent might write them to leave its cell.
var nasty = []string{"", "plain", "two\nlines", "\x1b[2Jgone", "\x1b]0;title\x07", "tab\there", "\r\nback", "\u202eright to left\u2066",
	"漢字漢字漢字漢字", "👩‍👩‍👧‍👦 family ☺️", "e\u0301\u0301\u0301\u0301\u0301", "\u200b\u200e\u061c", strings.Repeat("long ", 400), strings.Repeat("x", 5000),
	"\x00\x9b31m", "a\u2028b\u2029c\u0085d", "\xff\xfe broken", "`|+- $(rm)", "🇩🇪🇩🇪", "1. one\n\n1. two\n2. three"}

func drawText(t *rapid.T, label string) string {
	return rapid.OneOf(rapid.SampledFrom(nasty), rapid.String()).Draw(t, label)
}

var (
	states   = []string{"queued", "running", "waiting", "completed", "failed", "cancelled", "odd"}
	statuses = []string{"idle", "working", "awaiting_approval", "awaiting_delegation", "offline", "sleeping", "odd"}
	keyNames = []string{"a", "d", "A", "s", "r", "1", "2", "9", "w", "q", "?", "tab", "shift+tab", "enter", "esc", "up", "down", "pgup", "pgdown", "home", "end", "g", "G",
		"@", "#", "i", "backspace", "delete", "left", "right", "ctrl+a", "ctrl+e", "ctrl+u", "ctrl+k", "ctrl+w", "space", "j", "k", "x", "ctrl+z"}
	noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
)

func drawTime(t *rapid.T) time.Time {
	return noon.Add(time.Duration(rapid.IntRange(-100000, 100000).Draw(t, "seconds")) * time.Second)
}

func drawTask(t *rapid.T) api.Task {
	id := func(label string) string { return fmt.Sprintf("task-%d", rapid.IntRange(0, 9).Draw(t, label)) }
	task := api.Task{ID: id("id"), Parent: id("parent"), Agent: drawText(t, "agent"), Requester: drawText(t, "requester"), Title: drawText(t, "title"),
		State: rapid.SampledFrom(states).Draw(t, "state"), Error: drawText(t, "error"), WaitsFor: drawText(t, "waits"), Created: drawTime(t)}
	if rapid.Bool().Draw(t, "ended") {
		at := drawTime(t)
		task.Ended = &at
	}
	return task
}

func drawSnapshot(t *rapid.T) Snapshot {
	s := Snapshot{Team: drawText(t, "team"), You: "ada", At: drawTime(t), Paused: rapid.Bool().Draw(t, "paused"), Known: rapid.Bool().Draw(t, "known")}
	s.Today = api.Spending{Money: rapid.Float64Range(0, 1e6).Draw(t, "money"), Input: rapid.Int64Range(0, 1e12).Draw(t, "tokens")}
	for range rapid.IntRange(0, 5).Draw(t, "agents") {
		a := api.Agent{Name: drawText(t, "name"), Kind: rapid.SampledFrom([]string{"native", "person"}).Draw(t, "kind"), Description: drawText(t, "about"),
			Status: rapid.SampledFrom(statuses).Draw(t, "status"), Reason: drawText(t, "reason"), Queued: rapid.IntRange(0, 3).Draw(t, "queued")}
		if rapid.Bool().Draw(t, "sleeps") {
			until := drawTime(t)
			a.SleepingUntil = &until
		}
		s.Agents = append(s.Agents, a)
	}
	for range rapid.IntRange(0, 5).Draw(t, "tasks") {
		s.Tasks = append(s.Tasks, drawTask(t))
	}
	for range rapid.IntRange(0, 4).Draw(t, "approvals") {
		a := api.Approval{ID: fmt.Sprintf("approval-%d", rapid.IntRange(1, 4).Draw(t, "approval")), Agent: drawText(t, "who"), Wants: drawText(t, "wants"),
			Left: rapid.IntRange(0, 2).Draw(t, "left"), Why: drawText(t, "why"), Expires: drawTime(t), NotAlways: drawText(t, "not")}
		if rapid.Bool().Draw(t, "always") {
			a.Always = &api.AlwaysRule{Key: "profile", Value: drawText(t, "value")}
		}
		s.Approvals = append(s.Approvals, a)
	}
	for range rapid.IntRange(0, 3).Draw(t, "questions") {
		s.Questions = append(s.Questions, Question{Task: drawTask(t), Text: drawText(t, "text")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "channels") {
		s.Channels = append(s.Channels, api.Channel{Name: drawText(t, "channel")})
	}
	return s
}

func drawEvent(t *rapid.T) Event {
	switch rapid.IntRange(0, 12).Draw(t, "event") {
	case 0, 1:
		return drawSnapshot(t)
	case 2:
		return Said{Event: api.Event{Cursor: drawText(t, "cursor"), At: drawTime(t), Actor: drawText(t, "actor"), Target: drawText(t, "target"),
			Kind: rapid.SampledFrom([]string{"task.opened", "message.accepted", "task.completed", "task.failed", "task.waiting", "approval.requested", "agent.status", "odd"}).Draw(t, "kind"),
			Task: "task-1", Detail: drawText(t, "detail")}, Text: drawText(t, "text")}
	case 3:
		return Stepped{api.Step{ID: drawText(t, "id"), Task: "task-1", Agent: drawText(t, "agent"), At: drawTime(t), Line: drawText(t, "line"), Text: drawText(t, "text"),
			Kind: rapid.SampledFrom([]string{"begin", "reply", "call", "result", "told", "end", "odd"}).Draw(t, "kind"), Failed: rapid.Bool().Draw(t, "failed")}}
	case 4:
		return rapid.SampledFrom([]Event{Missed{N: 7}, Lost{Why: "\x1b[31mgone"}, Back{}, Tick{Now: noon}, nil, 7}).Draw(t, "small")
	case 5:
		return Size{W: rapid.IntRange(-1, 300).Draw(t, "w"), H: rapid.IntRange(-1, 100).Draw(t, "h")}
	case 6:
		return Done{Action: rapid.SampledFrom([]Action{Approve{ID: "approval-1"}, Deny{ID: "approval-2"}, Always{ID: "approval-3"}, Answer{Task: "task-1"}, Decline{Task: "task-2"},
			Delegate{Line: "@x y"}, Post{Line: "#x\x1b y"}}).Draw(t, "action"), Text: drawText(t, "done"), Err: rapid.SampledFrom([]error{nil, errors.New("no\x1b[2J\nway")}).Draw(t, "err")}
	case 7:
		return Opened{Title: drawText(t, "title"), Text: drawText(t, "whole")}
	case 8:
		return Paste{Text: drawText(t, "pasted")}
	}
	name := rapid.SampledFrom(keyNames).Draw(t, "key")
	if len(name) == 1 {
		return Key{Name: name, Text: name}
	}
	return Key{Name: name, Text: rapid.SampledFrom([]string{"", "漢", "ü"}).Draw(t, "typed")}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// checkFrame says what is wrong with a screen.
func checkFrame(f Frame, w, h int) error {
	if len(f.Rows) != h {
		return fmt.Errorf("%d rows of %d", len(f.Rows), h)
	}
	for i, row := range f.Rows {
		if n := ansi.StringWidth(row); n > w {
			return fmt.Errorf("row %d has %d columns of %d: %q", i, n, w, row)
		}
		bare := sgr.ReplaceAllString(row, "")
		if at := strings.IndexFunc(bare, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
		}); at >= 0 {
			return fmt.Errorf("row %d has %q at %d", i, bare[at:], at)
		}
	}
	if f.X >= 0 && (f.X >= w || f.Y >= h) {
		return fmt.Errorf("the cursor is at %d,%d of %d,%d", f.X, f.Y, w, h)
	}
	return nil
}

// Whatever happens in whatever order, on a screen of whatever size: every row is
// within the width, nothing that somebody wrote leaves its cell, and nothing panics.
func TestAnyEventsOnAnyScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(noon, time.UTC, rapid.Bool().Draw(t, "colour"), rapid.Bool().Draw(t, "ascii"))
		for range rapid.IntRange(1, 8).Draw(t, "events") {
			s, _ = Update(s, drawEvent(t))
			w, h := rapid.IntRange(1, 300).Draw(t, "width"), rapid.IntRange(1, 100).Draw(t, "height")
			if rapid.Bool().Draw(t, "small") {
				w, h = 1+w%20, 1+h%12
			}
			if err := checkFrame(Render(s, w, h), w, h); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzText looks for a text that leaves its cell, wherever it stands.
func FuzzText(f *testing.F) {
	for _, text := range nasty {
		f.Add(text, 80, 24)
	}
	f.Fuzz(func(t *testing.T, text string, w, h int) {
		w, h = 1+abs(w)%300, 1+abs(h)%100
		s := New(noon, time.UTC, true, false)
		for _, e := range []Event{
			Snapshot{Team: text, You: "ada", At: noon, Agents: []api.Agent{{Name: text, Status: text, Reason: text}}, Tasks: []api.Task{{ID: "task-1", Agent: text, Title: text, Created: noon}},
				Approvals: []api.Approval{{ID: "approval-1", Agent: text, Wants: text, Why: text, NotAlways: text, Expires: noon}},
				Questions: []Question{{Task: api.Task{ID: "task-2", Requester: text}, Text: text}}, Channels: []api.Channel{{Name: text}}},
			Said{Event: api.Event{Cursor: "1", Kind: "task.opened", Actor: text, Target: text, Detail: text}, Text: text},
			Stepped{api.Step{ID: "1", Kind: "reply", Agent: text, Line: text, Text: text}},
			Key{Name: "@", Text: "@"}, Paste{Text: text}, Key{Name: "tab"}, Key{Name: "esc"}, Key{Name: "w"}, Key{Name: "down"},
			Opened{Title: text, Text: text},
		} {
			s, _ = Update(s, e)
			if err := checkFrame(Render(s, w, h), w, h); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }
