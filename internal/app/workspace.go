package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"parley"
	"parley/internal/config"
	"parley/internal/tool"
	"parley/internal/tool/workspacetools"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

// Toolsets of the workspace. Files name the first. The others replace it for an agent in
// read mode and for one that may write the shared files.
const (
	workspaceSet        = "workspace"
	workspaceReadingSet = "workspace/reading"
	workspaceSharedSet  = "workspace/shared"
)

// ownSets returns a member's toolsets, with the variant of the workspace that it gets.
func ownSets(m Member) []string {
	at := slices.Index(m.Toolsets, workspaceSet)
	if at < 0 {
		return m.Toolsets
	}
	sets := slices.Clone(m.Toolsets)
	switch {
	case m.Rules != nil && m.Rules.ReadOnly:
		sets[at] = workspaceReadingSet
	case m.KeepsShared:
		sets[at] = workspaceSharedSet
	}
	return sets
}

// WorkspaceTools are the toolsets of a workspace, for HubConfig.Toolsets.
func WorkspaceTools(w *workspace.Workspace) map[string][]tool.Tool {
	return map[string][]tool.Tool{
		workspaceSet:        workspacetools.New(w, workspace.Access{}),
		workspaceSharedSet:  workspacetools.New(w, workspace.Access{Shared: true}),
		workspaceReadingSet: workspacetools.Reading(w),
	}
}

// UsesWorkspace reports whether any agent of the files has the toolset.
func UsesWorkspace(team *config.Team) bool {
	return slices.ContainsFunc(team.Agents, func(a *config.Agent) bool { return slices.Contains(a.Toolsets, workspaceSet) })
}

// openWorkspace opens the workspace of a team. If there is no sandbox, there is no
// shell, and the log says why.
func openWorkspace(ctx context.Context, team *config.Team, log *slog.Logger) (*workspace.Workspace, error) {
	cfg := workspaceConfig(team)
	space, err := workspace.Open(cfg)
	if err != nil {
		return nil, err
	}
	box, err := sandbox.Find(ctx, sandboxConfig(team, cfg, filepath.Join(team.Data, "shell")))
	if err != nil {
		log.Warn("agents have no shell", "reason", parley.Public(err), "error", errors.Unwrap(err))
	} else {
		space.Sandbox = box
		log.Info("agents have a shell", "sandbox", box.Kind)
	}
	return space, nil
}

func workspaceConfig(team *config.Team) workspace.Config {
	cfg := workspace.Config{Folder: team.Workspace.Folder, Team: team.Dir, Hidden: append([]string{team.Data}, team.Workspace.Hidden...)}
	if path := team.Store.Path; path != "" && !inside(team.Data, path) {
		for _, end := range []string{"", "-journal", "-wal", "-shm", "-hub"} {
			cfg.Hidden = append(cfg.Hidden, path+end)
		}
	}
	if key := team.TLS.Key; key != "" {
		cfg.Hidden = append(cfg.Hidden, key)
	}
	return cfg
}

func sandboxConfig(team *config.Team, cfg workspace.Config, scratch string) sandbox.Config {
	readOnly, hidden := workspace.Confine(cfg)
	w := team.Workspace
	return sandbox.Config{Workspace: w.Folder, ReadOnly: readOnly, Hidden: hidden, Scratch: scratch,
		Readable: w.Readable, Network: w.Network, Environment: w.Environment, Unsandboxed: w.Unsandboxed, Limits: commandLimits(w.Limits)}
}

// commandLimits are the default limits with those of the files in their place.
func commandLimits(l config.CommandLimits) sandbox.Limits {
	limits := sandbox.DefaultLimits()
	if l.Memory != nil {
		limits.Memory = *l.Memory
	}
	if l.FileSize != nil {
		limits.FileSize = *l.FileSize
	}
	if l.Processes != nil {
		limits.Processes = int(*l.Processes)
	}
	if l.OpenFiles != nil {
		limits.OpenFiles = int(*l.OpenFiles)
	}
	return limits
}

// FindSandbox finds the sandbox for the commands of agents, without leaving anything in
// the team's folders.
func FindSandbox(ctx context.Context, team *config.Team) (*sandbox.Sandbox, error) {
	scratch, err := os.MkdirTemp("", "parley-doctor")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	return sandbox.Find(ctx, sandboxConfig(team, workspaceConfig(team), scratch))
}
