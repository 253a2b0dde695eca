package parley

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Schedule is how far one entry of an agent's schedule has come. What it asks for is in the
// agent's file.
type Schedule struct {
	Team  TeamID
	Agent AgentID
	Entry string // its name, unique for the agent
	// Timing is when it is due, as its text. If the file says something else by now, Next
	// is of no use any more.
	Timing string
	Next   Micros // the next time that work has to be made for
	Last   Micros // the last due time that work was made for; 0 if none was
	Task   TaskID // that work
	Missed int    // due times that no work was made for
	// Problem is why none was made for the last due time; empty if it was.
	Problem string
}

// ScheduleKey is the key under which work is made for a due time.
func ScheduleKey(agent AgentID, entry string, due Micros) string {
	return fmt.Sprintf("%s%d/%s/%d", ScheduleKeyPrefix, agent, entry, due)
}

// ScheduleKeyPrefix begins the keys of scheduled work, which are the hub's own.
const ScheduleKeyPrefix = "schedule/"

// ScheduledText is what an agent reads as the context of scheduled work.
func ScheduledText(entry string, due time.Time) string {
	return fmt.Sprintf("This is scheduled work (%s), due %s. Nobody waits at this moment.", entry, due.Format("2006-01-02 15:04 MST"))
}

// ScheduledPost is the post that asks for scheduled work in a channel. It says that nobody
// has typed it.
func ScheduledPost(agent, entry, message string) string {
	return fmt.Sprintf("@%s (scheduled, %s) %s", agent, entry, message)
}

// Reminder is what somebody wants to be told if a task is still open at some time. There is
// one for each task and participant.
type Reminder struct {
	Task      TaskID
	Agent     AgentID // who is told
	Team      TeamID
	Due       Micros
	CreatedAt Micros
}

// Reminders are set for at least and at most this long.
const (
	ShortestReminder = time.Second
	LongestReminder  = 366 * 24 * time.Hour
)

// CheckReminder refuses a time after which nobody can be reminded.
func CheckReminder(after time.Duration) error {
	if after < ShortestReminder || after > LongestReminder {
		return Errorf(Invalid, "A reminder comes after 1s at the earliest and 366d at the latest.").WithHint("Write a time with its unit, like 30m, 2h or 1d.")
	}
	return nil
}

// ReminderText tells somebody of a task that is still open.
func ReminderText(task TaskID, body string) string {
	return fmt.Sprintf("[Reminder | %s]\n\n%s", task, Quote(body))
}

// OpenTaskText is the body of a reminder: what is the matter with a task, and what it waits
// for.
func OpenTaskText(t Task, agent, what string, now Micros) string {
	state := t.WaitText(now)
	if state == "" {
		state = t.State.String()
	}
	return fmt.Sprintf("%s of %s %s (%s): %s", t.ID, agent, what, state, Clip(t.Title, titleRunes))
}

const (
	titleRunes = 80
	day        = 24 * time.Hour
)

// SpanText writes a time without its empty parts, as ParseSpan reads it: 6h and not 6h0m0s,
// and whole days as days.
func SpanText(d time.Duration) string {
	if d >= day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if n := len(text) - len(zero); n > 0 && text[n:] == zero {
			text = text[:n+1]
		}
	}
	return text
}

// ParseSpan reads what time.ParseDuration does, and days before it: 7d, 1d12h.
func ParseSpan(s string) (time.Duration, bool) {
	days, rest, found := strings.Cut(s, "d")
	if !found {
		d, err := time.ParseDuration(s)
		return d, err == nil && s != "0"
	}
	// 16 bits of days are far from the end of a Duration.
	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil {
		return 0, false
	}
	if rest == "" {
		return time.Duration(n) * day, true
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || d > day {
		return 0, false
	}
	return time.Duration(n)*day + d, true
}
