package config

import (
	"strings"
	"testing"
	"time"

	"parley"
)

func TestLimitsOverlay(t *testing.T) {
	team, found := load(t, teamDir(t, `
-- parley.yaml --
model: scripted:s
limits:
  ask_depth: 4
  delegation_depth: 20
  rate: 60
  steps: 100
  message_bytes: 1MiB
  turns: 2
  rescues: 5
  ask_timeout: 90s
  call_timeout: 1h
  delegation_deadline: 2d
  approval_expiry: 8h
-- agents/a.md --
---
limits:
  rate: 5
  message_bytes: 2048
  delegation_deadline: 168h
---
-- agents/b.md --
`))
	diff(t, "problems", []string(nil), found)
	base := parley.Limits{
		AskDepth: 4, DelegationDepth: 20, Rate: 60, Steps: 100, MessageBytes: 1 << 20, Turns: 2, Rescues: 5,
		AskTimeout: 90 * time.Second, CallTimeout: time.Hour, DelegationDeadline: 48 * time.Hour,
		ApprovalExpiry: 8 * time.Hour,
	}
	diff(t, "team", base, team.Limits)
	diff(t, "b", base, team.Agents[1].Limits)
	base.Rate, base.MessageBytes, base.DelegationDeadline = 5, 2048, 168*time.Hour
	diff(t, "a", base, team.Agents[0].Limits)
}

func TestLimitsOutOfRange(t *testing.T) {
	const number = "Expected a whole number from "
	const size = "Expected a size from 1KiB to 64MiB, like 256KiB or a number of bytes, not "
	for _, tc := range []struct{ text, want string }{
		{"ask_depth: 0", number + `1 to 20, not "0".`},
		{"delegation_depth: 101", number + `1 to 100, not "101".`},
		{"rate: -1", number + `1 to 100000, not "-1".`},
		{"steps: 1.5", number + `1 to 10000, not "1.5".`},
		{"turns: many", number + `1 to 1000, not "many".`},
		{"rescues: 99999999999999999999", number + `1 to 100, not "99999999999999999999".`},
		{"message_bytes: 10", size + `"10".`},
		{"message_bytes: 256KB", size + `"256KB".`},
		{"message_bytes: 2147483647MiB", size + `"2147483647MiB".`},
		{"message_bytes: KiB", size + `"KiB".`},
		{"ask_timeout: 120", `Expected a time with its unit from 1s to 1d, like 90s, 30m, 12h or 7d, not "120".`},
		{"ask_timeout: -5s", `Expected a time with its unit from 1s to 1d, like 90s, 30m, 12h or 7d, not "-5s".`},
		{"call_timeout: 8d", `Expected a time with its unit from 1s to 7d, like 90s, 30m, 12h or 7d, not "8d".`},
		{"delegation_deadline: 99999999d", `Expected a time with its unit from 1s to 365d, like 90s, 30m, 12h or 7d, not "99999999d".`},
	} {
		t.Run(tc.text, func(t *testing.T) {
			_, _, err := Load(teamDir(t, "-- parley.yaml --\nlimits:\n  "+tc.text+"\n"))
			if err == nil {
				t.Fatal("no error")
			}
			key, _, _ := strings.Cut(tc.text, ":")
			diff(t, "error", "parley.yaml:2: "+key+": "+tc.want, err.Error())
		})
	}
}

func TestParseSpan(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"7d": 7 * day, "1d12h": 36 * time.Hour, "1h30m": 90 * time.Minute, "0d5s": 5 * time.Second,
	} {
		if got, ok := parseSpan(s); !ok || got != want {
			t.Errorf("parseSpan(%q) = %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "d", "7", "7 d", "-1d", "1d-2h", "1dd", "1.5d", "day", "1d300000h"} {
		if got, ok := parseSpan(s); ok {
			t.Errorf("parseSpan(%q) = %v, want a refusal", s, got)
		}
	}
}

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int{"1024": 1024, "256KiB": 256 << 10, "1 MiB": 1 << 20} {
		if got, ok := parseSize(s); !ok || got != want {
			t.Errorf("parseSize(%q) = %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "KiB", "1K", "1GiB", "1.5MiB", "0x10"} {
		if got, ok := parseSize(s); ok {
			t.Errorf("parseSize(%q) = %v, want a refusal", s, got)
		}
	}
}
