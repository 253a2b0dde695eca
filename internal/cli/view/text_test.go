package view_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/api"
	"parley/internal/cli/view"
)

func TestAgents(t *testing.T) {
	agents := []api.Agent{
		{Name: "CoordinatorBot", Kind: "native", Status: "awaiting_delegation", Reason: "2 open", Waiting: 1, Description: "Plans a report, hands out the work and puts the results together."},
		{Name: "DataBot", Kind: "native", Status: "idle", Description: "Knows the figures."},
		{Name: "NightBot", Kind: "native", Status: "sleeping", SleepingUntil: ptr(at(3600)), Queued: 3},
		{Name: "データ係", Kind: "client", Status: "offline", Reason: "not in the files", Description: "Joins from\nelsewhere."},
		{Name: "ada", Kind: "person", Status: "idle"},
	}
	for name, screen := range screens() {
		t.Run(name, func(t *testing.T) {
			got := screen.Agents(agents)
			golden(t, "agents-"+name, got)
			if screen.Width > 0 && !screen.Color {
				fits(t, screen, got)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	messages := []api.Message{
		{ID: "msg-1", Thread: "thread-1", Author: "ada", Kind: "delegate", Priority: "high", Task: "task-101", At: at(0),
			Context: "We mean the fiscal year.", Body: "Prepare the report on the third quarter, with figures, a summary and a chart."},
		{ID: "msg-2", Thread: "thread-1", Author: "CoordinatorBot", Kind: "reply", Task: "task-101", At: at(1), Body: "- one\n    - two\n\nthree"},
		{ID: "msg-3", Thread: "thread-1", Author: "ChartBot", Kind: "delegation_failed", Task: "task-102", At: at(2), Body: "Rate limit\x1b[2J exceeded."},
		{ID: "msg-4", Thread: "thread-1", Author: "DataBot", Kind: "notification", At: at(-86400), Body: "The beginning", Whole: "The beginning and the end."},
	}
	inbox := []api.InboxItem{{Message: messages[0], Asks: true}, {Message: messages[3]}}
	record := api.MessageRecord{Message: messages[0], Deliveries: []api.Delivery{
		{Recipient: "CoordinatorBot", State: "answered", Accepted: at(0), Delivered: ptr(at(0.1)), Seen: ptr(at(1)), Answered: ptr(at(50))},
		{Recipient: "NightBot", State: "accepted", Accepted: at(0)},
	}}
	for name, screen := range screens() {
		t.Run(name, func(t *testing.T) {
			got := screen.Conversation(messages, "")
			golden(t, "conversation-"+name, got)
			if screen.Width > 0 && !screen.Color {
				fits(t, screen, got)
			}
			golden(t, "inbox-"+name, screen.Inbox(inbox, func(item api.InboxItem) []string { return []string{"parley reply " + item.Task + ` "..."`} }))
			golden(t, "record-"+name, screen.Record(record))
		})
	}
}

func TestTask(t *testing.T) {
	ended := task("task-104", "CoordinatorBot", "ChartBot", "ask", "Draw", "failed", 0, 4)
	ended.Parent, ended.RetryOf, ended.Error, ended.EndedBy = "task-103", "task-102", "Rate limit exceeded.", "ada"
	ended.ResultID, ended.Result = "msg-9", "Half of it is drawn."
	ended.Started, ended.Rescues = ptr(at(1)), 2
	open := task("task-105", "ada", "NightBot", "delegate", "Archive", "queued", 0, 0)
	open.Due, open.WaitUntil, open.Open, open.Root = ptr(at(3600)), ptr(at(120)), 2, "task-105"
	request := api.Message{Body: "Draw the chart.", Context: "With colours."}
	for _, name := range []string{"usual", "narrow"} {
		golden(t, "task-ended-"+name, screens()[name].Task(ended, request))
		golden(t, "task-open-"+name, screens()[name].Task(open, api.Message{Body: "Archive."}))
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:                             "0s",
		0:                                        "0ms",
		999 * time.Millisecond:                   "999ms",
		1999 * time.Millisecond:                  "1.9s",
		59999 * time.Millisecond:                 "59s",
		time.Minute:                              "1m",
		61 * time.Second:                         "1m 1s",
		2*time.Hour + 5*time.Minute:              "2h 5m",
		49 * time.Hour:                           "2d 1h",
		7*24*time.Hour + 59*time.Minute:          "7d",
		9*time.Second + 999*time.Millisecond + 1: "9.9s",
	} {
		if got := view.Duration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want []string
	}{
		{"one two three", 0, []string{"one two three"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"  one two three", 9, []string{"  one two", "  three"}},
		{"one\n\ntwo\n", 10, []string{"one", "", "two"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"ab abcdefghij", 4, []string{"ab", "abcd", "efgh", "ij"}},
		{"データ係です", 5, []string{"デー", "タ係", "です"}},
		{"界", 1, []string{"界"}},
		{"\tx", 20, []string{"    x"}},
	} {
		if diff := cmp.Diff(c.want, view.Wrap(c.text, c.n)); diff != "" {
			t.Errorf("%q in %d:\n%s", c.text, c.n, diff)
		}
	}
}

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "Grüße": 5, "Gru\u0308ße": 5, "世界": 4, "✓": 1, "🙂": 2, "a\u200bb": 2} {
		if got := view.Columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

// A text of an agent must not be able to pose as something else.
func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain\n\ttext":          "plain\n\ttext",
		"dos\r\nlines":           "dos\nlines",
		"over\rwritten":          "over\uFFFDwritten",
		"\x1b[31mred":            "\uFFFD[31mred",
		"\u009b31mred":           "\uFFFD31mred",
		"\u202egnp.exe":          "\uFFFDgnp.exe",
		"bell\a, delete\u007f":   "bell\uFFFD, delete\uFFFD",
		"\u2066isolated\u2069 x": "\uFFFDisolated\uFFFD x",
	} {
		if got := view.Clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 bytes", 1023: "1023 bytes", 1536: "1.5 KiB", 1 << 40: "1.0 TiB", 1 << 60: "1048576.0 TiB"} {
		if got := view.Bytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
