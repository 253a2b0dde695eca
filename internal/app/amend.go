package app

import (
	"context"
	"errors"
	"maps"
	"slices"

	"parley"
	"parley/internal/config"
	"parley/internal/rulebook"
	"parley/internal/store"
)

// amendment is a change of the files that concerns only some agents, each of which stays
// who it is. In a large team it is applied without looking at all the others.
type amendment struct {
	read    *config.Team
	agents  []*config.Agent // all of the team
	changed []int           // where they differ from what is in force
	there   map[string]bool // the memories that the data folder has
}

// mostAmended bounds how many agents are changed one by one.
const mostAmended = 500

// amendment finds out whether the files, as they were just read, are an amendment to what
// is in force. If not, the team is taken over as a whole. all says that all were read.
func (f *teamFiles) amendment(read *config.Team, problems []config.Problem, all bool) (a amendment, ok bool) {
	if !f.whole || len(problems) > 0 || !read.SameSettings(f.applied) || len(read.Agents) != len(f.held.Agents) || !f.cfg.models.current() {
		return a, false
	}
	a = amendment{read: read, agents: read.Agents, there: remembering(f.cfg.Team)}
	var remember map[string]bool
	if all { // the memories in the data folder may be others too, or gone
		remember = maps.Clone(a.there)
		maps.Copy(remember, f.recalled)
	}
	for i, now := range a.agents {
		if before := f.held.Agents[i]; before != now || hasMemory(remember, now) {
			if !f.stays(before, now) || len(a.changed) == mostAmended {
				return a, false
			}
			a.changed = append(a.changed, i)
		}
	}
	for _, i := range a.changed {
		if f.cfg.usable(a.agents[i]) != nil {
			return a, false
		}
	}
	return a, true
}

// stays reports whether an agent is the same as before to all others, to its schedule and
// to what runs beside the hub.
func (f *teamFiles) stays(before, now *config.Agent) bool {
	works := func(a *config.Agent) bool { return slices.Contains(a.Toolsets, workspaceSet) }
	return before.File == now.File && before.Name == now.Name && before.Kind == now.Kind && before.Manager == now.Manager &&
		before.Model == now.Model && before.Mistake == "" && now.Mistake == "" && works(before) == works(now) &&
		len(before.Schedule)+len(now.Schedule)+len(before.MCPServers)+len(now.MCPServers) == 0 &&
		before.Limits.NudgeAfter == now.Limits.NudgeAfter && now.Limits.MessageBytes <= f.biggest
}

// amend applies an amendment.
func (f *teamFiles) amend(ctx context.Context, by parley.AgentID, a amendment) (rulebook.Change, error) {
	change := rulebook.Change{Restart: f.restart}
	for _, i := range a.changed {
		if keys := f.held.Agents[i].Differs(a.agents[i]); keys != nil {
			change.Changed = append(change.Changed, rulebook.Changed{Agent: a.agents[i].Name, Keys: keys})
		}
	}
	for _, p := range FoldProblems(f.problems) {
		change.Problems = append(change.Problems, p.String())
	}
	cfg := f.cfg
	cfg.Team = placed(a.read, f.cfg.Team)
	roster := Roster{Team: f.team.Name, Home: homeOf(f.cfg.Team.Dir), By: by, Changes: f.details(change),
		Toolsets: f.toolsets(), Workspace: f.space(), member: cfg.member}
	for _, i := range a.changed {
		roster.filed = append(roster.filed, remembered(f.cfg.Team, a.there, a.agents[i]))
	}
	if err := f.hub.amend(ctx, f.team, roster); err != nil {
		return change, err
	}
	f.tell(ctx, change, f.problems, by)
	for _, i := range a.changed {
		if file := dataMemory(a.agents[i].Name); a.there[file] {
			f.recalled[file] = true
		} else {
			delete(f.recalled, file)
		}
	}
	held := *f.held
	held.Agents, held.Warnings = a.agents, a.read.Warnings
	f.held, f.applied = &held, a.read
	return change, nil
}

// amend takes over members of a team that stay who they are: the same name, kind and
// manager. Nobody else is concerned.
func (h *Hub) amend(ctx context.Context, team parley.Team, r Roster) error {
	h.joining.Lock()
	defer h.joining.Unlock()
	known := map[string]parley.Agent{}
	err := h.Store.View(ctx, func(tx *store.Tx) error {
		clear(known)
		for i := range r.count() {
			name := r.seat(i).name
			a, err := tx.AgentByName(team.ID, name)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			known[parley.FoldName(name)] = a
		}
		return nil
	})
	if err != nil {
		return err
	}
	ids := make([]parley.AgentID, r.count())
	if err := h.saveMembers(ctx, team, r, known, ids); err != nil {
		return err
	}
	h.agents.amend(team.ID, ids, r)
	return nil
}
