package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
)

func TestSchedule(t *testing.T) {
	team, found := load(t, teamDir(t, `-- parley.yaml --
model: scripted:script.yaml
people: [ada]
channels:
  - {name: ops, members: [a]}
-- agents/a.md --
---
schedule:
  - cron: 30  2 * *  mon-fri
    zone: Europe/Berlin
    message: |
      Sum up.
      Be brief.
  - name: often
    every: 6h
    message: Look.
    channel: "#Ops"
    owner: Ada
    budget: {tokens: 50k, time: 10m}
    missed: skip
  - {every: 1d, message: Look again., budget: "2.50"}
---
`))
	diff(t, "problems", []string(nil), found)
	diff(t, "warnings", []Problem(nil), team.Warnings)
	list := team.Agents[0].Schedule
	var timings []string
	for i := range list {
		timings = append(timings, list[i].Timing.String())
		list[i].Timing = (Schedule{}).Timing
	}
	diff(t, "timings", []string{"30 2 * * mon-fri Europe/Berlin", "every 6h", "every 1d"}, timings)
	diff(t, "entries", []Schedule{
		{Name: "30 2 * * mon-fri Europe/Berlin", Message: "Sum up.\nBe brief.", Missed: MissedOnce},
		{Name: "often", Message: "Look.", Channel: "Ops", Owner: "Ada", Budget: parley.Budget{Tokens: 50_000, Time: 10 * time.Minute}, Missed: MissedSkip},
		{Name: "every 1d", Message: "Look again.", Budget: parley.Budget{Money: 2_500_000}, Missed: MissedOnce},
	}, list)
}

// What cannot be kept is refused with its line, and the rest of the team starts.
func TestSchedulesThatCannotBeKept(t *testing.T) {
	const entry = "  - {every: 1h, message: Look."
	many := ""
	for i := range 21 {
		many += fmt.Sprintf("%s, name: e%d}\n", entry, i)
	}
	for _, c := range []struct{ name, schedule, want string }{
		{"nothing", "  - {message: Look.}", "3: schedule: Each entry of the schedule has either cron, like 30 8 * * mon-fri, or every, like 6h."},
		{"both", "  - {message: Look., every: 1h, cron: '@daily'}", "3: schedule: Each entry of the schedule has either"},
		{"no message", "  - {every: 1h}", "3: schedule: An entry of the schedule needs a message"},
		{"an empty message", "  - {every: 1h, message: ''}", "The message is empty"},
		{"a long message", "  - {every: 1h, message: " + strings.Repeat("x", 16<<10+1) + "}", "a schedule asks in at most 16KiB"},
		{"a cron that is never due", "  - {cron: 0 0 30 2 *, message: Look.}", `3: schedule: "0 0 30 2 *" is never due: there is no such day.`},
		{"a cron with seconds", "  - {cron: 0 0 0 1 1 *, message: Look.}", "is not a cron expression of five fields"},
		{"no cron", "  - {cron: often, message: Look.}", `"often" is not a cron expression of five fields.`},
		{"an unknown zone", "  - {cron: '@daily', zone: Europe/Berlinn, message: Look.}", `There is no time zone "Europe/Berlinn". Write a name like Europe/Berlin`},
		{"the machine's zone", "  - {cron: '@daily', zone: Local, message: Look.}", `There is no time zone "Local"`},
		{"a zone that is a path", "  - {cron: '@daily', zone: ../../etc/passwd, message: Look.}", "There is no time zone"},
		{"a zone without cron", "  - {every: 1h, zone: UTC, message: Look.}", "zone is for cron"},
		{"every nanosecond", "  - {every: 1ns, message: Look.}", "3: every: Expected a time with its unit from 1s to 366d"},
		{"every second", "  - {every: 1s, message: Look.}", `2: "every 1s" is due every 1s; the shortest interval is 1m (limits: schedule_interval).`},
		{"a negative time", "  - {every: -1h, message: Look.}", "Expected a time with its unit"},
		{"a huge time", "  - {every: 99999999h, message: Look.}", "Expected a time with its unit"},
		{"a time beyond all", "  - {every: 999999999999999999999h, message: Look.}", "Expected a time with its unit"},
		{"never", "  - {every: 0, message: Look.}", "Expected a time with its unit"},
		{"twice the same", entry + "}\n" + entry + "}", `4: schedule: Two entries of the schedule are called "every 1h". Give each a name of its own.`},
		{"too many", many, "2: The schedule has 21 entries; the limit is 20 (limits: schedules)."},
		{"an agent as owner", entry + ", owner: b}", `2: The owner of "every 1h" is the agent b.`},
		{"an unknown choice", entry + ", missed: twice}", `"twice" is not a choice here.`},
		{"an unknown key", entry + ", chanel: ops}", `Unknown key "chanel". Did you mean channel?`},
		{"a budget of nothing", entry + ", budget: {tokens: 0}}", "Expected a number of tokens"},
		{"a channel's name", entry + ", channel: 'a b'}", "contains a space"},
		{"a person", "kind", "2: A person has no schedule."},
	} {
		t.Run(c.name, func(t *testing.T) {
			front := "schedule:\n" + c.schedule
			if c.schedule == "kind" {
				front = "schedule: [{every: 1h, message: Look.}]\nkind: person"
			}
			team, found := load(t, teamDir(t, "-- parley.yaml --\nmodel: scripted:script.yaml\n-- agents/a.md --\n---\n"+front+"\n---\n-- agents/b.md --\n"))
			if len(found) != 1 || !strings.Contains(found[0], c.want) || !strings.HasPrefix(found[0], "agents/a.md:") {
				t.Errorf("found %q, want %q", found, c.want)
			}
			if len(team.Agents) != 1 || team.Agents[0].Name != "b" {
				t.Errorf("there are %d agents", len(team.Agents))
			}
		})
	}
}

// An owner or a channel may exist without being in the files; the people are told.
func TestStrangersOfASchedule(t *testing.T) {
	team, found := load(t, teamDir(t, `-- parley.yaml --
model: scripted:script.yaml
limits: {schedule_interval: 1s}
-- agents/a.md --
---
schedule: [{every: 1s, message: Look., owner: carol, channel: ops}]
---
`))
	diff(t, "problems", []string(nil), found)
	var warned []string
	for _, w := range team.Warnings {
		warned = append(warned, w.String())
	}
	diff(t, "warnings", []string{`agents/a.md:2: The owner "carol" is not in this team's files.`, `agents/a.md:2: The channel #ops is not in this team's files.`}, warned)
}
