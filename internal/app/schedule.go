package app

import (
	"time"

	"parley"
	"parley/internal/config"
	"parley/internal/contact"
	"parley/internal/schedule"
)

// scheduleFiles is what a roster says about what happens at given times.
func scheduleFiles(team parley.TeamID, r Roster, ids []parley.AgentID) schedule.Files {
	f := schedule.Files{Quiet: map[parley.AgentID]time.Duration{}}
	for i, id := range ids {
		member := r.seat(i)
		f.Agents = append(f.Agents, id)
		if member.limits.NudgeAfter > 0 {
			f.Quiet[id] = member.limits.NudgeAfter
		}
		for _, s := range member.schedule {
			f.Entries = append(f.Entries, contact.Scheduled{Team: team, Agent: id, Entry: s.Name, Timing: s.Timing, Message: s.Message,
				Channel: s.Channel, Budget: s.Budget, Owner: s.Owner, Skip: s.Missed == config.MissedSkip})
		}
	}
	return f
}
