package workspace

import (
	"context"
	"path/filepath"
	"time"

	"parley"
	"parley/internal/workspace/sandbox"
)

// How long a command may run.
const (
	DefaultTime = 120 * time.Second
	MaxTime     = 30 * time.Minute
)

// Shell runs a command in a folder of the workspace.
func (w *Workspace) Shell(ctx context.Context, script, folder string, limit time.Duration) (sandbox.Outcome, error) {
	if w.Sandbox == nil {
		return sandbox.Outcome{}, parley.Errorf(parley.Unavailable, "Commands cannot be run here: there is no sandbox.").
			WithHint("Work without shell.")
	}
	if folder == "" {
		folder = "."
	}
	p, err := w.find(folder)
	if err != nil {
		return sandbox.Outcome{}, err
	}
	defer p.close()
	if p.info == nil || !p.info.IsDir() {
		return sandbox.Outcome{}, parley.Errorf(parley.NotFound, "There is no folder %s.", show(folder)).WithHint("Look with glob.")
	}
	dir := filepath.Join(w.Sandbox.Workspace, filepath.FromSlash(p.path))
	return w.Sandbox.Run(ctx, sandbox.Command{Script: script, Dir: dir, Time: limit, ReadOnly: w.protected()})
}
