package app

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"parley"
	"parley/internal/change"
	"parley/internal/config"
	"parley/internal/hubfile"
	"parley/internal/retention"
	"parley/internal/rulebook"
	"parley/internal/workspace"
)

// servedTeam is a team that a hub serves: its files, the workspace of its agents, and
// what follows them. Nothing here is shared with another team.
type servedTeam struct {
	hub *Hub
	cfg ServeConfig
	// apart refuses files with which agents would reach another team; nil if there is
	// none.
	apart func(now *config.Team) error

	team   parley.Team
	person string
	files  *teamFiles
	rules  *rulebook.Service
	warned []config.Problem // settings without effect
	// workspace is nil until an agent works in one.
	workspace atomic.Pointer[workspace.Workspace]

	// memories are what its agents have written down.
	memories *memories

	// lock keeps other hubs from the data folder of a further team.
	lock *hubfile.Lock

	reload chan struct{}
	stop   context.CancelFunc
	ended  sync.WaitGroup
}

func newServedTeam(h *Hub, cfg ServeConfig) *servedTeam {
	return &servedTeam{hub: h, cfg: cfg, reload: make(chan struct{}, 1), stop: func() {}}
}

// join brings the team into the hub.
func (t *servedTeam) join(ctx context.Context) error {
	if err := t.openTools(ctx, t.cfg.Team); err != nil {
		return err
	}
	var err error
	if t.memories, err = openMemories(t.hub, t.cfg.Team); err != nil {
		return err
	}
	t.memories.take(t.cfg.Team.Agents)
	roster, person, problems, err := enlist(t.cfg)
	if err != nil {
		return err
	}
	roster.Toolsets, roster.Workspace = t.toolsets(), t.workspace.Load()
	if t.team, err = t.hub.Join(ctx, roster); err != nil {
		return err
	}
	t.hub.Changes.Serve(t.team.ID, t.filesAt)
	t.person = person
	t.files = newTeamFiles(t.hub, t.cfg, t.team, person, roster, problems)
	t.files.openTools, t.files.space, t.files.toolsets, t.files.memories = t.openTools, t.workspace.Load, t.toolsets, t.memories
	t.memories.service.Changed, t.memories.restored = t.files.remember, t.files.restored
	t.files.tellPeople(ctx, t.cfg.Team)
	t.files.bridges.set(t.cfg.Team)
	t.warned = slices.Concat(t.cfg.Team.Warnings, CheckTools(t.cfg.Team), CheckServerFiles(t.cfg.Team), t.cfg.boxes.warnings(t.cfg.Team))
	t.rules = rulebook.New(t.hub.Store, t.hub.Directory, t.hub.Access, t.team.ID, t.files, t.cfg.Log)
	t.rules.Decisions, t.rules.Grants = t.hub.Contacts, t.hub.Reading
	return nil
}

// follow watches the files, tells people what waits for them and removes what is old,
// until the team leaves or the context is done.
func (t *servedTeam) follow(ctx context.Context) {
	ctx, t.stop = context.WithCancel(ctx)
	t.ended.Go(func() { t.files.watch(ctx, t.cfg.LookEvery, t.reload) })
	t.ended.Go(func() { t.files.teller.Run(ctx) })
	t.ended.Go(func() { t.files.bridges.run(ctx) })
	if rule := t.retention(); !rule.None() {
		t.ended.Go(func() { t.hub.Sweeper(t.team.ID, rule).Run(ctx) })
	}
}

func (t *servedTeam) retention() retention.Rule {
	return retention.Rule{Messages: t.cfg.Team.KeepMessages, Events: t.cfg.Team.KeepEvents}
}

// readAgain makes the team's files be read at once.
func (t *servedTeam) readAgain() {
	select {
	case t.reload <- struct{}{}:
	default: // it is about to
	}
}

// unfollow ends what follow began.
func (t *servedTeam) unfollow() {
	t.stop()
	t.ended.Wait()
}

// openTools opens the workspace once an agent works there, and protects what the servers
// are started with before a new one starts. The workspace is that of the start, since
// changing its settings needs a restart.
func (t *servedTeam) openTools(ctx context.Context, now *config.Team) error {
	if t.apart != nil {
		if err := t.apart(placed(now, t.cfg.Team)); err != nil {
			return err
		}
	}
	if t.workspace.Load() == nil && UsesWorkspace(now) {
		space, err := openWorkspace(ctx, t.cfg.Team, t.cfg.Log)
		if err != nil {
			return err
		}
		t.workspace.Store(space)
	}
	if space := t.workspace.Load(); space != nil {
		space.Protect(serverFiles(placed(now, t.cfg.Team)))
	}
	return nil
}

// placed is a team as its files have it now, in the folders that the hub started with.
func placed(now, start *config.Team) *config.Team {
	team := *now
	team.Data, team.Store, team.Workspace, team.TLS = start.Data, start.Store, start.Workspace, start.TLS
	return &team
}

// toolsets are the tools of the team's own workspace and memories.
func (t *servedTeam) toolsets() toolsets {
	sets := toolsets{memorySet: t.memories.tools()}
	if space := t.workspace.Load(); space != nil {
		maps.Copy(sets, WorkspaceTools(space))
	}
	return sets
}

// filesAt finds the folder in which agents change files.
func (t *servedTeam) filesAt(place parley.ChangePlace, path string) change.Files {
	if space := t.workspace.Load(); space != nil && place == parley.InWorkspace {
		return space
	}
	if place == parley.InMemory {
		return t.memories.filesAt(path)
	}
	return nil
}

// shell names the sandbox for the commands of agents.
func (t *servedTeam) shell() string {
	space := t.workspace.Load()
	switch {
	case space == nil:
		return ""
	case space.Sandbox == nil:
		return "none"
	}
	return string(space.Sandbox.Kind)
}

// limitTo says how large a message the doors accept. It comes before anybody follows the
// files.
func (t *servedTeam) limitTo(bytes int) {
	if t.files.biggest > bytes {
		t.warned = append(t.warned, config.Problem{File: config.TeamFile,
			Message: "limits.message_bytes is larger than what the hub accepts over its doors; it takes effect when the hub is started again."})
	}
	t.files.biggest = bytes
}

func (t *servedTeam) close() (err error) {
	t.hub.Changes.Serve(t.team.ID, nil)
	if space := t.workspace.Load(); space != nil {
		err = space.Close()
	}
	if t.memories != nil {
		closing(&err, t.memories.close)
	}
	if t.lock != nil {
		closing(&err, t.lock.Release)
	}
	return err
}
