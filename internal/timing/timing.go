// Package timing says when something is due again: at the times of a cron expression in a
// time zone, or every so often. It is pure: it looks at no clock and stores nothing.
//
// A clock change moves no due time twice. A time that the change leaves out is due at the
// next instant that exists, and a time that comes twice is due the first time only.
package timing

import (
	"time"

	"parley"
)

// Timing is when something is due. The zero value is never due.
type Timing struct {
	cron  *cron
	every time.Duration
}

// LongestInterval is the longest time between two due times that Every accepts.
const LongestInterval = 366 * 24 * time.Hour

// Every is due again and again after the same time.
func Every(d time.Duration) (Timing, error) {
	if d < time.Second || d > LongestInterval {
		return Timing{}, parley.Errorf(parley.Invalid, "Expected a time with its unit from 1s to 366d, like 30m, 12h or 7d.")
	}
	return Timing{every: d.Truncate(time.Microsecond)}, nil
}

// Zero reports whether it is never due.
func (t Timing) Zero() bool { return t.cron == nil && t.every == 0 }

// String is the timing as people read it. Two timings with the same text are the same.
func (t Timing) String() string {
	switch {
	case t.cron != nil:
		return t.cron.text + " " + t.cron.zone.String()
	case t.every > 0:
		return "every " + parley.SpanText(t.every)
	}
	return ""
}

// Equal reports whether both are always due at the same times.
func (t Timing) Equal(o Timing) bool { return t.String() == o.String() }

// Zone is where the times of day are meant; UTC if there are none.
func (t Timing) Zone() *time.Location {
	if t.cron == nil {
		return time.UTC
	}
	return t.cron.zone
}

// First is the first due time after now.
func (t Timing) First(now time.Time) time.Time {
	if t.cron != nil {
		return t.cron.after(now)
	}
	return now.Add(t.every)
}

// Next is the first due time after now, where due was one before it. An interval is counted
// from there, so that being late once shifts nothing.
func (t Timing) Next(due, now time.Time) time.Time {
	if now.Before(due) {
		now = due
	}
	if t.cron != nil {
		return t.cron.after(now)
	}
	return due.Add((now.Sub(due)/t.every + 1) * t.every)
}

// Last is the last due time up to now of a Timing that has times of the day.
func (t Timing) Last(now time.Time) time.Time { return t.cron.before(now) }

// mostPassed bounds the counting of due times that have passed.
const mostPassed = 10_000

// Passed is the last due time up to now, where due is the first of them, and how many
// there are, at most ten thousand of them counted.
func (t Timing) Passed(due, now time.Time) (last time.Time, n int) {
	if t.cron == nil {
		count := now.Sub(due) / t.every
		return due.Add(count * t.every), int(min(count+1, mostPassed))
	}
	last, n = due, 1
	for next := t.cron.after(due); !next.After(now); next = t.cron.after(next) {
		last = next
		if n++; n > mostPassed {
			return t.cron.before(now), mostPassed
		}
	}
	return last, n
}

// Shortest is the shortest time between two due times, leaving clock changes aside.
func (t Timing) Shortest() time.Duration {
	if t.cron == nil {
		return t.every
	}
	return t.cron.shortest()
}
