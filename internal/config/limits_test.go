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
  burst: 90
  mention_turns: 7
  rounds: 8
  steps: 100
  message_bytes: 1MiB
  turns: 2
  rescues: 5
  ask_timeout: 90s
  call_timeout: 1h
  delegation_deadline: 2d
  approval_expiry: 8h
  question_lifetime: 30m
  schedules: 3
  schedule_interval: 10m
  nudge_after: 2h
  budget: {tokens: 200k, money: 2.50, tasks: 50, time: 2h}
  daily: {tokens: 2M, money: 10}
-- agents/a.md --
---
limits:
  rate: 5
  message_bytes: 2048
  delegation_deadline: 168h
  budget: {tokens: 5000}
---
-- agents/b.md --
`))
	diff(t, "problems", []string(nil), found)
	base := parley.Limits{
		AskDepth: 4, DelegationDepth: 20, Rate: 60, Burst: 90, MentionTurns: 7, Rounds: 8, Steps: 100, MessageBytes: 1 << 20, Turns: 2, Rescues: 5,
		AskTimeout: 90 * time.Second, CallTimeout: time.Hour, DelegationDeadline: 48 * time.Hour,
		ApprovalExpiry: 8 * time.Hour, QuestionLifetime: 30 * time.Minute, Schedules: 3, ScheduleInterval: 10 * time.Minute, NudgeAfter: 2 * time.Hour,
		Budget: parley.Budget{Tokens: 200_000, Money: 2_500_000, Tasks: 50, Time: 2 * time.Hour},
		Daily:  parley.Budget{Tokens: 2_000_000, Money: 10 * parley.Dollar},
	}
	diff(t, "team", base, team.Limits)
	diff(t, "b", base, *team.Agents[1].Limits)
	base.Budget.Tokens = 5000 // the rest is the team's
	base.Rate, base.MessageBytes, base.DelegationDeadline = 5, 2048, 168*time.Hour
	diff(t, "a", base, *team.Agents[0].Limits)
}

func TestLimitsOutOfRange(t *testing.T) {
	const number = "Expected a whole number from "
	const size = "Expected a size from 1KiB to 64MiB, like 256KiB or a number of bytes, not "
	for _, tc := range []struct{ text, want string }{
		{"ask_depth: 0", number + `1 to 20, not "0".`},
		{"delegation_depth: 101", number + `1 to 100, not "101".`},
		{"rate: -1", number + `1 to 100000, not "-1".`},
		{"burst: 0", number + `1 to 1000000, not "0".`},
		{"mention_turns: 0", number + `1 to 10000, not "0".`},
		{"rounds: 0", number + `1 to 10000, not "0".`},
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

func TestBudgetsOutOfRange(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"budget: {tokens: 0}", `tokens: Expected a number of tokens, like 50000, 200k or 2M, not "0".`},
		{"budget: {tokens: 1.5k}", `tokens: Expected a number of tokens, like 50000, 200k or 2M, not "1.5k".`},
		{"budget: {money: -1}", `money: Expected an amount of US dollars, like 2.50, not "-1".`},
		{"budget: {money: 0.0000001}", `money: Expected an amount of US dollars, like 2.50, not "0.0000001".`},
		{"budget: {tasks: 0}", `tasks: Expected a whole number from 1 to 1000000, not "0".`},
		{"budget: {time: 5}", `time: Expected a time with its unit from 1s to 365d, like 90s, 30m, 12h or 7d, not "5".`},
		{"budget: {euros: 5}", `Unknown key "euros". Known are tokens, money, tasks, time.`},
		{"budget: 5", `budget: Expected keys and values, like name: text.`},
		{"daily: {tasks: 5}", `Unknown key "tasks". Known are tokens, money.`},
	} {
		t.Run(tc.text, func(t *testing.T) {
			_, _, err := Load(teamDir(t, "-- parley.yaml --\nlimits:\n  "+tc.text+"\n"))
			if err == nil {
				t.Fatal("no error")
			}
			diff(t, "error", "parley.yaml:2: "+tc.want, err.Error())
		})
	}
}

// A cap of the day is the team's alone.
func TestAnAgentHasNoDay(t *testing.T) {
	_, found := load(t, teamDir(t, "-- parley.yaml --\nmodel: scripted:s\n-- agents/a.md --\n---\nlimits: {daily: {tokens: 5}}\n---\n"))
	if len(found) != 1 || !strings.Contains(found[0], `Unknown key "daily".`) {
		t.Errorf("%v", found)
	}
}

func TestParseSpan(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"7d": 7 * day, "1d12h": 36 * time.Hour, "1h30m": 90 * time.Minute, "0d5s": 5 * time.Second,
	} {
		if got, ok := parley.ParseSpan(s); !ok || got != want {
			t.Errorf("parseSpan(%q) = %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "d", "7", "7 d", "-1d", "1d-2h", "1dd", "1.5d", "day", "1d300000h"} {
		if got, ok := parley.ParseSpan(s); ok {
			t.Errorf("parseSpan(%q) = %v, want a refusal", s, got)
		}
	}
}

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int{"1024": 1024, "256KiB": 256 << 10, "1 MiB": 1 << 20, "2GiB": 2 << 30} {
		if got, ok := parseSize(s); !ok || got != want {
			t.Errorf("parseSize(%q) = %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "KiB", "1K", "1TiB", "1.5MiB", "0x10"} {
		if got, ok := parseSize(s); ok {
			t.Errorf("parseSize(%q) = %v, want a refusal", s, got)
		}
	}
}
