package workspacetools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

//go:embed shell.md
var shellText string

type shellArgs struct {
	Command string `json:"command" required:"true" doc:"The command, as for a shell."`
	Folder  string `json:"folder" doc:"The folder to run it in, relative to the workspace. Default: the workspace."`
	Seconds int    `json:"timeout_seconds" doc:"How long it may take, at most 1800. Default: 120."`
}

func shell(w *workspace.Workspace) tool.Tool {
	return tool.New(tool.Spec[shellArgs]{
		Name: "shell", Title: "Run a command", Description: shellText, Hints: tool.Hints{Destructive: true, OpenWorld: true},
		Commands: true,
		Defaults: shellArgs{Seconds: int(workspace.DefaultTime / time.Second)},
		// The rules are asked about the whole command, and where it runs.
		Action: func(args shellArgs) string { return policy.Command(args.Folder, args.Command) },
		Run: func(ctx context.Context, c tool.Call, args shellArgs) (tool.Result, error) {
			if err := args.check(); err != nil {
				return tool.Result{}, err
			}
			limit := time.Duration(args.Seconds) * time.Second
			out, err := w.Shell(ctx, workspace.Command{Script: args.Command, Folder: args.Folder, Limit: limit, Record: c.Commanded})
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showOutcome(out, limit, w.Sandbox.EntryByEntry()), Exit: exitOf(out)}, nil
		},
	})
}

func (args shellArgs) check() error {
	longest := int(workspace.MaxTime / time.Second)
	switch {
	case strings.TrimSpace(args.Command) == "" || strings.Contains(args.Command, "\x00"):
		return parley.Errorf(parley.Invalid, "The command is empty, or contains a NUL.")
	case args.Seconds < 1 || args.Seconds > longest:
		return parley.Errorf(parley.Invalid, "timeout_seconds is from 1 to %d.", longest)
	}
	return nil
}

// exitOf is the exit code of a command that has ended by itself.
func exitOf(o sandbox.Outcome) *int {
	if o.TimedOut {
		return nil
	}
	return &o.Code
}

// showOutcome begins with how the command ended: a model must not take a failure
// for a success because the output looks fine.
func showOutcome(o sandbox.Outcome, limit time.Duration, entryByEntry bool) string {
	text := fmt.Sprintf("exit code %d", o.Code)
	if o.TimedOut {
		text = fmt.Sprintf("ended after %s: the time was over, and everything that it had started was ended", limit)
	}
	if o.Exceeded != "" {
		text += "; it ran into the limit: " + o.Exceeded + " (workspace: limits: in parley.yaml)"
	}
	if out := strings.TrimRight(o.Text, "\n"); out != "" {
		text += "\n" + out
	}
	if entryByEntry && o.Code != 0 && strings.Contains(o.Text, "ermission denied") {
		text += "\n(The sandbox lets nothing new be made right in the workspace's top folder; write below it, or to $TMPDIR, or make the file with write_file first.)"
	}
	return text
}
