package cli

import (
	"context"

	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/hubfile"
)

// further checks a team that the hub of another one serves. The data folder and the
// database are the hub's, and are checked with its own team.
func (e *examination) further(ctx context.Context, p place) {
	e.ok("served by", "the hub on %s, as %s", p.data, p.team)
	own, _, err := config.Load(p.hubDir)
	if err != nil {
		e.failed("hub", err)
		return
	}
	own.MoveData(p.data)
	e.team = app.Adopt(e.team, p.team, own)
	e.servers(ctx)
	ignored, _ := config.HubSettings(e.team.Dir)
	for _, w := range ignored {
		e.note("file", w.String(), "")
	}
	if err := app.CheckAdopted(e.team, own); err != nil {
		e.failed("apart", err)
	}
	if err := app.CheckOverlap(e.team, own); err != nil {
		e.failed("apart", err)
	}
	e.workspace()
	if !hubfile.Held(p.data) {
		e.note("hub", "No hub is running.", "Start it with: "+e.startCommand(p))
		e.shell(ctx)
		return
	}
	e.hub(ctx, p)
}

// teams shows what is wrong with the other teams of the hub.
func (e *examination) teams(ctx context.Context, p place) {
	list, err := e.listTeams(ctx, p)
	if err != nil {
		return // the check of the hub has said why
	}
	for _, t := range list.Teams {
		switch {
		case t.Own:
		case !t.Served:
			e.wrong("team "+t.Name, t.Folder+" is not served: "+t.Problems[0], "Correct it. The hub tries again by itself.")
		default:
			e.ok("team "+t.Name, "%s, agents: %d, mistakes: %d", t.Folder, len(t.Agents), len(t.Problems))
		}
	}
}
