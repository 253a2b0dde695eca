package workspace

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"parley"
	"parley/internal/workspace/sandbox"
)

// How long a command may run.
const (
	DefaultTime = 120 * time.Second
	MaxTime     = 30 * time.Minute
)

// Command is a command of an agent.
type Command struct {
	Script string
	Folder string // relative to the workspace; empty for the workspace itself
	Limit  time.Duration
	// Record stores what the command changed, even if it was cancelled; nil if nobody wants
	// to know. An empty list says that it changed nothing.
	Record func(context.Context, []parley.Change) error
}

// Shell runs a command in a folder of the workspace.
func (w *Workspace) Shell(ctx context.Context, c Command) (out sandbox.Outcome, err error) {
	if w.Sandbox == nil {
		return out, parley.Errorf(parley.Unavailable, "Commands cannot be run here: there is no sandbox.").
			WithHint("Work without shell.")
	}
	folder := cmp.Or(c.Folder, ".")
	p, err := w.find(folder)
	if err != nil {
		return out, err
	}
	defer p.close()
	if p.info == nil || !p.info.IsDir() {
		return out, parley.Errorf(parley.NotFound, "There is no folder %s.", show(folder)).WithHint("Look with glob.")
	}
	run := sandbox.Command{Script: c.Script, Dir: filepath.Join(w.Sandbox.Workspace, filepath.FromSlash(p.path)), Time: c.Limit,
		ReadOnly: slices.Concat(w.protected(), guidePaths(w.Folder))}
	defer w.cover()()
	if c.Record == nil {
		return w.Sandbox.Run(ctx, run)
	}
	before := w.list(ctx)
	out, err = w.Sandbox.Run(ctx, run)
	return out, errors.Join(err, c.Record(context.WithoutCancel(ctx), w.changesSince(ctx, before)))
}
