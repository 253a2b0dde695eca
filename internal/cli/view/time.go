package view

import (
	"fmt"
	"time"
)

// Duration is a span of time in at most two units.
func Duration(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "0s"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return units(d, time.Minute, "m", time.Second, "s")
	case d < day:
		return units(d, time.Hour, "h", time.Minute, "m")
	default:
		return units(d, day, "d", time.Hour, "h")
	}
}

// Seconds is a span of time in whole seconds, for a running clock.
func Seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", max(0, d)/time.Second)
	}
	return Duration(d)
}

func units(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	text := fmt.Sprintf("%d%s", d/large, largeName)
	if rest := d % large / small; rest > 0 {
		text += fmt.Sprintf(" %d%s", rest, smallName)
	}
	return text
}

// Clock is a time of day, with the date if it is not today.
func (s Screen) Clock(t time.Time) string {
	t, now := t.In(s.zone()), s.Now.In(s.zone())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// When is a time of day and how far it is from now.
func (s Screen) When(t time.Time) string {
	if t.After(s.Now) {
		return fmt.Sprintf("%s (in %s)", s.Clock(t), Duration(t.Sub(s.Now)))
	}
	return fmt.Sprintf("%s (%s ago)", s.Clock(t), Duration(s.Now.Sub(t)))
}

func (s Screen) zone() *time.Location {
	if s.Zone == nil {
		return time.UTC
	}
	return s.Zone
}
