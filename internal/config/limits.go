package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/yamlfile"
)

const day = 24 * time.Hour

// overlay is the limits that one file sets, and only those, in the order
// written.
type overlay []func(*parley.Limits)

// over returns base with the overlay's limits in place of its own.
func (o overlay) over(base parley.Limits) parley.Limits {
	for _, set := range o {
		set(&base)
	}
	return base
}

// limitKeys is the table of limits with their bounds. The upper bounds keep a
// typing mistake from switching a limit off.
func limitKeys(o *overlay) []yamlfile.Key {
	return []yamlfile.Key{
		{Name: "ask_depth", Read: o.count(1, 20, func(l *parley.Limits) *int { return &l.AskDepth })},
		{Name: "delegation_depth", Read: o.count(1, 100, func(l *parley.Limits) *int { return &l.DelegationDepth })},
		{Name: "rate", Read: o.count(1, 100_000, func(l *parley.Limits) *int { return &l.Rate })},
		{Name: "burst", Read: o.count(1, 1_000_000, func(l *parley.Limits) *int { return &l.Burst })},
		{Name: "mention_turns", Read: o.count(1, 10_000, func(l *parley.Limits) *int { return &l.MentionTurns })},
		{Name: "rounds", Read: o.count(1, 10_000, func(l *parley.Limits) *int { return &l.Rounds })},
		{Name: "steps", Read: o.count(1, 10_000, func(l *parley.Limits) *int { return &l.Steps })},
		{Name: "message_bytes", Read: o.size(1<<10, 64<<20, func(l *parley.Limits) *int { return &l.MessageBytes })},
		{Name: "turns", Read: o.count(1, 1000, func(l *parley.Limits) *int { return &l.Turns })},
		{Name: "rescues", Read: o.count(1, 100, func(l *parley.Limits) *int { return &l.Rescues })},
		{Name: "ask_timeout", Read: o.span(time.Second, day, func(l *parley.Limits) *time.Duration { return &l.AskTimeout })},
		{Name: "call_timeout", Read: o.span(time.Second, 7*day, func(l *parley.Limits) *time.Duration { return &l.CallTimeout })},
		{Name: "delegation_deadline", Read: o.span(time.Second, 365*day, func(l *parley.Limits) *time.Duration { return &l.DelegationDeadline })},
		{Name: "budget", Read: o.budget(func(l *parley.Limits) *parley.Budget { return &l.Budget }, budgetKeys)},
		{Name: "approval_expiry", Read: o.span(time.Second, 365*day, func(l *parley.Limits) *time.Duration { return &l.ApprovalExpiry })},
		{Name: "schedules", Read: o.count(1, 1000, func(l *parley.Limits) *int { return &l.Schedules })},
		{Name: "schedule_interval", Read: o.span(time.Second, 365*day, func(l *parley.Limits) *time.Duration { return &l.ScheduleInterval })},
		{Name: "nudge_after", Read: o.span(time.Second, 365*day, func(l *parley.Limits) *time.Duration { return &l.NudgeAfter })},
		{Name: "question_lifetime", Read: o.span(time.Second, day, func(l *parley.Limits) *time.Duration { return &l.QuestionLifetime })},
	}
}

// limitsInto accepts a mapping of the limits in a table.
func limitsInto(dst *overlay, keys func(*overlay) []yamlfile.Key) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		_, found := v.Fields(keys(dst))
		return found
	}
}

func (o *overlay) count(lowest, highest int, field func(*parley.Limits) *int) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		n, found := v.Integer(lowest, highest)
		if found == nil {
			*o = append(*o, func(l *parley.Limits) { *field(l) = n })
		}
		return found
	}
}

func (o *overlay) size(lowest, highest int, field func(*parley.Limits) *int) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		var n int
		found := sizeInto(&n, lowest, highest)(v)
		if found == nil {
			*o = append(*o, func(l *parley.Limits) { *field(l) = n })
		}
		return found
	}
}

// sizeInto accepts a number of bytes, with or without its unit, within bounds.
func sizeInto(dst *int, lowest, highest int) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		n, ok := parseSize(s)
		if !ok || n < lowest || n > highest {
			return v.Wrong("Expected a size from %s to %s, like %s or a number of bytes, not %q.",
				formatSize(lowest), formatSize(highest), formatSize(max(256<<10, 2*lowest)), s)
		}
		*dst = n
		return nil
	}
}

func (o *overlay) span(lowest, highest time.Duration, field func(*parley.Limits) *time.Duration) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		var d time.Duration
		found := spanInto(&d, lowest, highest)(v)
		if found == nil {
			*o = append(*o, func(l *parley.Limits) { *field(l) = d })
		}
		return found
	}
}

// parseSize reads 262144, 256KiB, 1MiB or 2GiB.
func parseSize(s string) (int, bool) {
	unit := 1
	switch {
	case strings.HasSuffix(s, "GiB"):
		unit = 1 << 30
	case strings.HasSuffix(s, "MiB"):
		unit = 1 << 20
	case strings.HasSuffix(s, "KiB"):
		unit = 1 << 10
	}
	if unit > 1 {
		s = strings.TrimSpace(s[:len(s)-len("KiB")])
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0, false
	}
	// 32 bits times a gibibyte fit in 64; the caller's bounds do the rest.
	total := n * int64(unit)
	return int(total), int64(int(total)) == total
}

func formatSize(n int) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%dGiB", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%dKiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
