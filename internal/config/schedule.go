package config

import (
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/timing"
	"parley/internal/yamlfile"
)

// Schedule is one entry of an agent's schedule: what it is asked to do, and when.
type Schedule struct {
	// Name tells the entries of an agent apart; by default it is the timing's text.
	Name    string
	Timing  timing.Timing
	Message string
	// Channel is where the work is asked for and answered, without its #; empty is the dm
	// with the owner.
	Channel string
	// Budget is that of each run, in place of what the agent's limits say.
	Budget parley.Budget
	// Owner is the person who asks for it; empty is the one that the command line acts as.
	Owner string
	// Missed is once or skip: what happens to due times that nobody was there for.
	Missed string
}

// Equal reports whether two entries ask for the same at the same times.
func (s Schedule) Equal(o Schedule) bool {
	same := s.Timing.Equal(o.Timing)
	s.Timing, o.Timing = timing.Timing{}, timing.Timing{} // these hold zones, which are not compared
	return same && s == o
}

// What happens to missed due times.
const (
	MissedOnce = "once"
	MissedSkip = "skip"
)

// maxScheduled bounds what a schedule asks for: it is written in a file with 64 KiB of YAML.
const maxScheduled = 16 << 10

func schedulesInto(dst *[]Schedule) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		items, found := v.Items()
		var list []Schedule
		for _, item := range items {
			s, wrongs := readSchedule(item)
			for _, other := range list {
				if wrongs == nil && parley.FoldName(other.Name) == parley.FoldName(s.Name) {
					wrongs = item.Wrong("Two entries of the schedule are called %q. Give each a name of its own.", s.Name)
				}
			}
			found = append(found, wrongs...)
			list = append(list, s)
		}
		if found == nil {
			*dst = list
		}
		return found
	}
}

// readSchedule reads one entry.
func readSchedule(v yamlfile.Value) (Schedule, []yamlfile.Mistake) {
	s := Schedule{Missed: MissedOnce}
	var cron, zone string
	var every time.Duration
	fields, found := v.Fields([]yamlfile.Key{
		{Name: "name", Read: nameInto(&s.Name)},
		{Name: "cron", Read: textInto(&cron), Explicit: true},
		{Name: "zone", Read: zoneInto(&zone), Explicit: true},
		{Name: "every", Read: spanInto(&every, time.Second, timing.LongestInterval), Explicit: true},
		{Name: "message", Read: scheduledInto(&s.Message)},
		{Name: "channel", Read: channelNameInto(&s.Channel)},
		{Name: "budget", Read: runBudgetInto(&s.Budget)},
		{Name: "owner", Read: nameInto(&s.Owner)},
		{Name: "missed", Read: yamlfile.Choice(&s.Missed, MissedOnce, MissedSkip)},
	})
	if found != nil {
		return s, found
	}
	switch {
	case fields.Has("cron") == fields.Has("every"):
		return s, v.Wrong("Each entry of the schedule has either cron, like 30 8 * * mon-fri, or every, like 6h.")
	case fields.Has("zone") && !fields.Has("cron"):
		return s, v.Wrong("zone is for cron: an interval is the same everywhere.")
	case s.Message == "":
		return s, v.Wrong("An entry of the schedule needs a message: what the agent is asked to do.")
	}
	var err error
	if s.Timing, err = readTiming(cron, zone, every); err != nil {
		return s, v.Wrong("%s", parley.Public(err))
	}
	if s.Name == "" {
		s.Name = s.Timing.String()
	}
	return s, nil
}

func readTiming(cron, zone string, every time.Duration) (timing.Timing, error) {
	if every > 0 {
		return timing.Every(every)
	}
	return timing.Cron(cron, zone)
}

// scheduledInto accepts what an agent is asked to do.
func scheduledInto(dst *string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		s, found := v.Trimmed()
		switch {
		case found != nil:
			return found
		case s == "":
			return v.Wrong("The message is empty.")
		case len(s) > maxScheduled:
			return v.Wrong("The message has %d bytes; a schedule asks in at most %s. Put the rest into the agent's instructions.", len(s), formatSize(maxScheduled))
		}
		if err := parley.CheckText(s); err != nil {
			return v.Wrong("%s", parley.Public(err))
		}
		*dst = s
		return nil
	}
}

// runBudgetInto accepts bounds as in limits, or in one text as on the command line.
func runBudgetInto(dst *parley.Budget) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		if _, found := v.Trimmed(); found == nil {
			return parsedInto(dst, parley.ParseBudget)(v)
		}
		var b parley.Budget
		_, found := v.Fields(budgetKeys(&b))
		if found == nil {
			*dst = b
		}
		return found
	}
}

// scheduled refuses agents whose schedules nobody could keep: too many entries, entries
// that follow each other too fast, or an owner who is an agent.
func scheduled(t *Team, drafts []*draft) (passed []*draft, found []Problem) {
	if !slices.ContainsFunc(drafts, func(d *draft) bool { return len(d.agent.Schedule) > 0 }) {
		return drafts, nil
	}
	kinds := map[string]parley.AgentKind{}
	for _, d := range drafts {
		kinds[parley.FoldName(d.agent.Name)] = d.agent.Kind
	}
	for _, d := range drafts {
		if why := d.checkSchedule(t, kinds); why != "" && d.kept == nil {
			found = append(found, d.at("schedule", "%s", why))
			continue
		}
		passed = append(passed, d)
	}
	return passed, found
}

// checkSchedule says what is wrong with an agent's schedule; empty if nothing is.
func (d *draft) checkSchedule(t *Team, kinds map[string]parley.AgentKind) string {
	list := d.agent.Schedule
	if len(list) == 0 {
		return ""
	}
	limits := d.has().limits.over(t.Limits)
	switch {
	case d.agent.Kind == parley.Person:
		return "A person has no schedule. Give it to an agent whose owner the person is."
	case len(list) > limits.Schedules:
		return fmt.Sprintf("The schedule has %d entries; the limit is %d (limits: schedules).", len(list), limits.Schedules)
	}
	for _, s := range list {
		if gap := s.Timing.Shortest(); gap < limits.ScheduleInterval {
			return fmt.Sprintf("%q is due every %s; the shortest interval is %s (limits: schedule_interval).", s.Name, parley.SpanText(gap), parley.SpanText(limits.ScheduleInterval))
		}
		if kind := kinds[parley.FoldName(s.Owner)]; s.Owner != "" && kind != "" && kind != parley.Person {
			return fmt.Sprintf("The owner of %q is the agent %s. An owner is a person, who is asked and told.", s.Name, s.Owner)
		}
	}
	return ""
}

// scheduleStrangers warns of owners and channels that are in no file. They may exist all the same:
// the person who starts the hub, and channels that somebody made while it ran.
func (d *draft) scheduleStrangers(t *Team, known map[string]bool) (found []Problem) {
	for _, s := range d.agent.Schedule {
		if s.Owner != "" && !known[parley.FoldName(s.Owner)] {
			found = append(found, d.at("schedule", "The owner %q is not in this team's files.", s.Owner))
		}
		named := s.Channel == ""
		for _, c := range t.Channels {
			named = named || parley.FoldName(c.Name) == parley.FoldName(s.Channel)
		}
		if !named {
			found = append(found, d.at("schedule", "The channel #%s is not in this team's files.", s.Channel))
		}
	}
	return found
}
