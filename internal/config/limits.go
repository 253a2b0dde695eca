package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley"
)

const day = 24 * time.Hour

// overlay is the limits that one file sets: only those, in the order written.
type overlay []func(*parley.Limits)

// over returns base with the overlay's limits in place of its own.
func (o overlay) over(base parley.Limits) parley.Limits {
	for _, set := range o {
		set(&base)
	}
	return base
}

// limitKeys is the table of limits with their bounds. The upper ones keep a
// slip of the finger from switching a limit off.
func limitKeys(o *overlay) []key {
	return []key{
		{name: "ask_depth", read: o.count(1, 20, func(l *parley.Limits) *int { return &l.AskDepth })},
		{name: "delegation_depth", read: o.count(1, 100, func(l *parley.Limits) *int { return &l.DelegationDepth })},
		{name: "rate", read: o.count(1, 100_000, func(l *parley.Limits) *int { return &l.Rate })},
		{name: "steps", read: o.count(1, 10_000, func(l *parley.Limits) *int { return &l.Steps })},
		{name: "message_bytes", read: o.size(1<<10, 64<<20, func(l *parley.Limits) *int { return &l.MessageBytes })},
		{name: "turns", read: o.count(1, 1000, func(l *parley.Limits) *int { return &l.Turns })},
		{name: "rescues", read: o.count(1, 100, func(l *parley.Limits) *int { return &l.Rescues })},
		{name: "ask_timeout", read: o.span(time.Second, day, func(l *parley.Limits) *time.Duration { return &l.AskTimeout })},
		{name: "call_timeout", read: o.span(time.Second, 7*day, func(l *parley.Limits) *time.Duration { return &l.CallTimeout })},
		{name: "delegation_deadline", read: o.span(time.Second, 365*day, func(l *parley.Limits) *time.Duration { return &l.DelegationDeadline })},
		{name: "budget", read: o.budget(func(l *parley.Limits) *parley.Budget { return &l.Budget }, budgetKeys)},
		{name: "approval_expiry", read: o.span(time.Second, 365*day, func(l *parley.Limits) *time.Duration { return &l.ApprovalExpiry })},
		{name: "question_lifetime", read: o.span(time.Second, day, func(l *parley.Limits) *time.Duration { return &l.QuestionLifetime })},
	}
}

func (o *overlay) count(lowest, highest int, field func(*parley.Limits) *int) func(value) []mistake {
	return func(v value) []mistake {
		n, found := v.integer(lowest, highest)
		if found == nil {
			*o = append(*o, func(l *parley.Limits) { *field(l) = n })
		}
		return found
	}
}

func (o *overlay) size(lowest, highest int, field func(*parley.Limits) *int) func(value) []mistake {
	return func(v value) []mistake {
		s, found := v.text()
		if found != nil {
			return found
		}
		n, ok := parseSize(s)
		if !ok || n < lowest || n > highest {
			return v.wrong("Expected a size from %s to %s, like 256KiB or a number of bytes, not %q.",
				formatSize(lowest), formatSize(highest), s)
		}
		*o = append(*o, func(l *parley.Limits) { *field(l) = n })
		return nil
	}
}

func (o *overlay) span(lowest, highest time.Duration, field func(*parley.Limits) *time.Duration) func(value) []mistake {
	return func(v value) []mistake {
		d, found := v.span(lowest, highest)
		if found == nil {
			*o = append(*o, func(l *parley.Limits) { *field(l) = d })
		}
		return found
	}
}

// parseSize reads 262144, 256KiB or 1MiB.
func parseSize(s string) (int, bool) {
	unit := 1
	switch {
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
	// 32 bits times a mebibyte fit in 64; the caller's bounds do the rest.
	total := n * int64(unit)
	return int(total), int64(int(total)) == total
}

func formatSize(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%dKiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// parseSpan reads what time.ParseDuration does, and days before it: 7d, 1d12h.
func parseSpan(s string) (time.Duration, bool) {
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

func formatSpan(d time.Duration) string {
	if d >= day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return d.String()
}
