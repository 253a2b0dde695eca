package app

import (
	"time"

	"parley"
	"parley/internal/config"
	"parley/internal/contact"
	"parley/internal/schedule"
)

// scheduleFiles is what a roster says about what happens at given times.
func scheduleFiles(team parley.TeamID, r Roster, stored []parley.Agent) schedule.Files {
	f := schedule.Files{Quiet: map[parley.AgentID]time.Duration{}}
	for i, m := range r.Members {
		id := stored[i].ID
		f.Agents = append(f.Agents, id)
		if m.Limits.NudgeAfter > 0 {
			f.Quiet[id] = m.Limits.NudgeAfter
		}
		for _, s := range m.Schedule {
			f.Entries = append(f.Entries, contact.Scheduled{Team: team, Agent: id, Entry: s.Name, Timing: s.Timing, Message: s.Message,
				Channel: s.Channel, Budget: s.Budget, Owner: s.Owner, Skip: s.Missed == config.MissedSkip})
		}
	}
	return f
}
