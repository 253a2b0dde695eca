package workspacetools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/tool"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

//go:embed shell.md
var shellText string

var shellSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"command": {"type": "string", "description": "The command, as for a shell."},
		"folder": {"type": "string", "description": "The folder to run it in, relative to the workspace. Default: the workspace."},
		"timeout_seconds": {"type": "integer", "description": "How long it may take, at most 1800. Default: 120."}
	},
	"required": ["command"]
}`)

func shell(w *workspace.Workspace) tool.Tool {
	return tool.Tool{
		Tool:   model.Tool{Name: "shell", Description: shellText, Schema: shellSchema},
		Action: shellAction,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			args, err := shellArgs(c.Args)
			if err != nil {
				return tool.Result{}, err
			}
			limit := time.Duration(args.Seconds) * time.Second
			out, err := w.Shell(ctx, args.Command, args.Folder, limit)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.Result{Text: showOutcome(out, limit, w.Sandbox.EntryByEntry())}, nil
		},
	}
}

type shellCall struct {
	Command string `json:"command"`
	Folder  string `json:"folder"`
	Seconds int    `json:"timeout_seconds"`
}

// shellAction names the whole command for the rules.
func shellAction(raw json.RawMessage) string {
	var args shellCall
	_ = tool.Decode(raw, &args) // what does not fit is refused when the tool reads it
	return policy.Action(policy.Shell, args.Command)
}

func shellArgs(raw json.RawMessage) (shellCall, error) {
	args := shellCall{Seconds: int(workspace.DefaultTime / time.Second)}
	if err := tool.Decode(raw, &args); err != nil {
		return args, err
	}
	longest := int(workspace.MaxTime / time.Second)
	switch {
	case strings.TrimSpace(args.Command) == "" || strings.Contains(args.Command, "\x00"):
		return args, parley.Errorf(parley.Invalid, "The command is empty, or contains a NUL.")
	case args.Seconds < 1 || args.Seconds > longest:
		return args, parley.Errorf(parley.Invalid, "timeout_seconds is from 1 to %d.", longest)
	}
	return args, nil
}

// showOutcome begins with how the command ended: a model must not take a failure
// for a success because the output looks fine.
func showOutcome(o sandbox.Outcome, limit time.Duration, entryByEntry bool) string {
	text := fmt.Sprintf("exit code %d", o.Code)
	if o.TimedOut {
		text = fmt.Sprintf("ended after %s: the time was over, and everything that it had started was ended", limit)
	}
	if out := strings.TrimRight(o.Text, "\n"); out != "" {
		text += "\n" + out
	}
	if entryByEntry && o.Code != 0 && strings.Contains(o.Text, "ermission denied") {
		text += "\n(The sandbox lets nothing new be made right in the workspace's top folder; write below it, or to $TMPDIR, or make the file with write_file first.)"
	}
	return text
}
