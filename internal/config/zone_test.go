package config

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/bubbletest"
)

// Schedules and summaries have the same key for a time zone, with the same rule.
func TestOneRuleForTimeZones(t *testing.T) {
	read := func(zone string) (team *Team, schedule, bridge error) {
		_, schedule = ReadRules("a.md", []byte("---\nschedule:\n  - {cron: '@daily', message: Look., zone: "+zone+"}\n---\n"))
		team, bridge = loadNotify(t, "bridges: {telegram: {summary: '18:00', zone: "+zone+"}}")
		return team, schedule, bridge
	}
	for _, zone := range []string{"Europe/Berlinn", "Local", "../../etc/passwd"} {
		_, schedule, bridge := read(zone)
		for _, err := range []error{schedule, bridge} {
			if want := "zone: There is no time zone \"" + zone + "\". Write a name like Europe/Berlin, America/New_York or UTC."; !strings.Contains(parley.Public(err), want) {
				t.Errorf("got %v\nwant %s", err, want)
			}
		}
	}
	team, schedule, bridge := read("Asia/Kathmandu")
	if schedule != nil || bridge != nil || team.Bridges[0].Zone != "Asia/Kathmandu" {
		t.Errorf("%v, %v, %+v", schedule, bridge, team.Bridges)
	}
}

// A zone that is read in summer is the one that was read in winter.
func TestAScheduleIsTheSameAfterAClockChange(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		const text = "---\nschedule:\n  - {cron: '@daily', zone: Europe/Berlin, message: Look.}\n---\n"
		read := func(text string) *Agent {
			a, err := ReadRules("a.md", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		winter := read(text)
		<-time.After(180 * 24 * time.Hour)
		diff(t, "changed", []string(nil), winter.Differs(read(text)))
		for _, change := range [][2]string{{"@daily", "@weekly"}, {"Look", "Listen"}, {"Berlin", "Paris"}, {"message", "missed: skip, message"}} {
			diff(t, change[1], []string{"schedule"}, winter.Differs(read(strings.Replace(text, change[0], change[1], 1))))
		}
	})
}
