package parley_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name string
		ok   bool
	}{
		{"DataBot", true}, {"a", true}, {"Data Analyst", true}, {"data-bot_2.0", true}, {"Jürgen", true}, {"数据", true},
		{strings.Repeat("x", 64), true}, {strings.Repeat("é", 64), true},
		{"", false}, {strings.Repeat("x", 65), false}, {" DataBot", false}, {"DataBot ", false}, {"Data\nBot", false},
		{"Data\tBot", false}, {"Data|Bot", false}, {"[Boss]", false}, {"a/b", false}, {"@a", false}, {"#a", false}, {"a\x00", false},
		{"a\u200bb", false}, {"a:b", false}, {"\xff", false},
	} {
		if err := parley.CheckName(c.name); (err == nil) != c.ok {
			t.Errorf("%q: %v, want ok = %v", c.name, err, c.ok)
		} else if err != nil && parley.KindOf(err) != parley.Invalid {
			t.Errorf("%q: kind %s", c.name, parley.KindOf(err))
		}
	}
}

func TestNamesAreComparedIgnoringCase(t *testing.T) {
	if parley.FoldName("DataBot") != parley.FoldName(" dataBOT ") {
		t.Error("DataBot and dataBOT differ")
	}
	if parley.FoldName("Data Bot") == parley.FoldName("DataBot") {
		t.Error("Data Bot and DataBot are the same")
	}
}

func TestIDs(t *testing.T) {
	for _, c := range []struct {
		text string
		want parley.TaskID
	}{
		{"task-101", 101}, {" task-101 ", 101}, {"101", 101},
		{"", 0}, {"task-", 0}, {"task-0", 0}, {"task--1", 0}, {"msg-1", 0}, {"task-1x", 0}, {"task-99999999999999999999", 0}, {"1.5", 0}, {"+7", 0}, {"task-07", 0},
	} {
		got, err := parley.ParseTaskID(c.text)
		if got != c.want || (err == nil) != (c.want != 0) {
			t.Errorf("%q is %d, %v", c.text, got, err)
		}
	}
	if m, err := parley.ParseMessageID(parley.MessageID(7).String()); m != 7 || err != nil {
		t.Errorf("msg-7 is %d, %v", m, err)
	}
	if th, err := parley.ParseThreadID(parley.ThreadID(7).String()); th != 7 || err != nil {
		t.Errorf("thread-7 is %d, %v", th, err)
	}
}

func TestPatternsAndPriorities(t *testing.T) {
	for _, p := range []parley.Pattern{parley.Ask, parley.Delegate, parley.Notify} {
		if got, err := parley.ParsePattern(strings.ToUpper(string(p))); got != p || err != nil {
			t.Errorf("%s is %s, %v", p, got, err)
		}
	}
	if _, err := parley.ParsePattern("shout"); parley.Public(err) != `Unknown action "shout". Use 'ask', 'delegate' or 'notify'.` {
		t.Error(err)
	}
	for _, p := range []parley.Priority{parley.Low, parley.Normal, parley.High, parley.Urgent} {
		if got, err := parley.ParsePriority(p.String()); got != p || err != nil {
			t.Errorf("%s is %s, %v", p, got, err)
		}
	}
	if got, err := parley.ParsePriority(""); got != parley.Normal || err != nil {
		t.Errorf("no priority is %s, %v", got, err)
	}
	if _, err := parley.ParsePriority("asap"); parley.Public(err) != `Unknown priority "asap". Use 'low', 'normal', 'high' or 'urgent'.` {
		t.Error(err)
	}
}

func TestAnEndIsNotOpen(t *testing.T) {
	for s, open := range map[parley.State]bool{parley.Queued: true, parley.Running: true, parley.Waiting: true,
		parley.Completed: false, parley.TaskFailed: false, parley.Cancelled: false} {
		if s.Open() != open {
			t.Errorf("%s: open is %v", s, s.Open())
		}
	}
}

func TestStatusIsDerivedInOrder(t *testing.T) {
	const now = parley.Micros(1000)
	busy := parley.OpenTasks{Running: 1, Waiting: 1}
	for _, c := range []struct {
		agent parley.Agent
		open  parley.OpenTasks
		want  parley.Status
	}{
		{parley.Agent{Offline: true, SleepingUntil: now + 1}, busy, parley.StatusOffline},
		{parley.Agent{Removed: true}, busy, parley.StatusOffline},
		{parley.Agent{SleepingUntil: now + 1}, busy, parley.StatusSleeping},
		{parley.Agent{SleepingUntil: now}, busy, parley.StatusWorking},
		{parley.Agent{}, parley.OpenTasks{Running: 1, Waiting: 1, Held: 1}, parley.StatusWorking},
		{parley.Agent{}, parley.OpenTasks{Waiting: 2, Held: 1}, parley.StatusAwaitingApproval},
		{parley.Agent{}, parley.OpenTasks{Waiting: 1, Queued: 1}, parley.StatusAwaitingDelegation},
		{parley.Agent{}, parley.OpenTasks{Queued: 1}, parley.StatusIdle},
		{parley.Agent{}, parley.OpenTasks{}, parley.StatusIdle},
	} {
		if got := c.agent.StatusAt(now, c.open); got != c.want {
			t.Errorf("%+v with %+v is %s, want %s", c.agent, c.open, got, c.want)
		}
	}
}

func TestStatusesHaveReasons(t *testing.T) {
	const now = parley.Micros(1_000_000)
	for _, c := range []struct {
		agent parley.Agent
		open  parley.OpenTasks
		want  string
	}{
		{parley.Agent{Offline: true}, parley.OpenTasks{Running: 1}, "offline"},
		{parley.Agent{SleepingUntil: 3_600_000_000}, parley.OpenTasks{Running: 1}, "sleeping until 1970-01-01T01:00:00Z"},
		{parley.Agent{}, parley.OpenTasks{Running: 2, Waiting: 1, Children: 3}, "working (2 running)"},
		{parley.Agent{}, parley.OpenTasks{Waiting: 1, Children: 2}, "awaiting_delegation (2 open)"},
		{parley.Agent{}, parley.OpenTasks{Queued: 4}, "idle (4 queued)"},
		{parley.Agent{}, parley.OpenTasks{}, "idle"},
	} {
		if got := c.agent.StatusAt(now, c.open).Because(c.agent.ReasonAt(now, c.open)); got != c.want {
			t.Errorf("%+v with %+v is %q, want %q", c.agent, c.open, got, c.want)
		}
	}
}

func TestDeliveryStates(t *testing.T) {
	for want, d := range map[string]parley.Delivery{
		"accepted": {}, "delivered": {Delivered: 1}, "seen": {Delivered: 1, Seen: 2}, "answered": {Delivered: 1, Seen: 2, Answered: 3},
	} {
		if got := d.State(); got != want {
			t.Errorf("%+v is %s", d, got)
		}
	}
}

func TestWhoIsWaitedFor(t *testing.T) {
	const now = parley.Micros(1000)
	for _, c := range []struct {
		task            parley.Task
		awaited, pushed bool
	}{
		{parley.Task{Pattern: parley.Ask, Callback: parley.CallbackReply, WaitUntil: now + 1}, true, false},
		{parley.Task{Pattern: parley.Ask, Callback: parley.CallbackNone, WaitUntil: now + 1}, true, false},
		{parley.Task{Pattern: parley.Ask, Callback: parley.CallbackReply, WaitUntil: now}, false, false},
		{parley.Task{Pattern: parley.Ask, Callback: parley.CallbackLate, WaitUntil: now + 1}, true, true}, // at a door
		{parley.Task{Pattern: parley.Ask, Callback: parley.CallbackLate, WaitUntil: now}, false, true},
		{parley.Task{Pattern: parley.Ask, Callback: parley.CallbackResult, WaitUntil: now + 1}, false, true},
		{parley.Task{Pattern: parley.Delegate, Callback: parley.CallbackResult}, false, true},
		{parley.Task{Pattern: parley.Delegate}, false, false},
	} {
		if c.task.Awaited(now) != c.awaited || c.task.Pushed() != c.pushed {
			t.Errorf("%+v: awaited %v, pushed %v", c.task, c.task.Awaited(now), c.task.Pushed())
		}
	}
}

func TestErrorsShowOnlyWhatIsSafe(t *testing.T) {
	secret := errors.New("password=hunter2")
	e := parley.Errorf(parley.Internal, "It broke.").WithHint("Call %s.", "ann").WithCause(secret)
	wrapped := fmt.Errorf("reading: %w", e)
	if got := parley.Public(wrapped); got != "It broke. Call ann." {
		t.Errorf("public: %q", got)
	}
	if parley.KindOf(wrapped) != parley.Internal || !errors.Is(wrapped, secret) {
		t.Errorf("kind %s, cause kept: %v", parley.KindOf(wrapped), errors.Is(wrapped, secret))
	}
	if got := parley.Public(secret); strings.Contains(got, "hunter2") {
		t.Errorf("a foreign error leaks: %q", got)
	}
	if parley.KindOf(secret) != parley.Internal {
		t.Errorf("a foreign error is %s", parley.KindOf(secret))
	}
	base := parley.Errorf(parley.Denied, "No.")
	if _ = base.WithHint("Ask."); base.Hint != "" {
		t.Error("WithHint changed the original")
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"short", 10, "short"}, {"exactly ten", 11, "exactly ten"}, {"a bit too long", 5, "a bi…"},
		{"two\nlines\tand  spaces", 80, "two lines and spaces"}, {"äöüäöü", 4, "äöü…"}, {"", 5, ""},
		{"\xff\xffabc", 4, "\uFFFDa…"}, {strings.Repeat("ä ", 100), 4, "ä ä…"}, {strings.Repeat(" ", 100) + "x", 4, "…"},
	} {
		if got := parley.Clip(c.text, c.n); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestTimesAreMicroseconds(t *testing.T) {
	at := parley.Clock(func() time.Time { return time.Unix(1, 2500) }).Now()
	if at != 1_000_002 {
		t.Errorf("now is %d", at)
	}
	if got := at.Add(time.Second).Until(at); got != time.Second {
		t.Errorf("a second later is %s away", got)
	}
	if !at.Time().Equal(time.UnixMicro(1_000_002)) {
		t.Errorf("time is %s", at.Time())
	}
}

func TestDefaultLimits(t *testing.T) {
	want := parley.Limits{AskDepth: 3, DelegationDepth: 10, Rate: 10, MentionTurns: 30, Rounds: 10, Steps: 30, MessageBytes: 256 << 10, Turns: 8, Rescues: 3,
		AskTimeout: 2 * time.Minute, CallTimeout: 30 * time.Minute, DelegationDeadline: 168 * time.Hour, ApprovalExpiry: 24 * time.Hour, QuestionLifetime: 10 * time.Minute, Schedules: 20, ScheduleInterval: time.Minute}
	if got := parley.DefaultLimits(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
