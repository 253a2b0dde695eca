package cli

import (
	"context"
	"os"

	"parley"
	"parley/internal/app"
	"parley/internal/workspace/sandbox"
)

// workspace checks the folder that agents work in and the sandbox for their
// commands. A team whose agents do not work on files has neither.
func (e *examination) workspace(ctx context.Context) {
	if !app.UsesWorkspace(e.team) {
		return
	}
	folder := e.team.Workspace.Folder
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		e.wrong("workspace", folder+" is not a folder.", "Make it, or name another one as workspace in parley.yaml.")
		return
	}
	e.ok("workspace", "%s", folder)
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	box, err := app.FindSandbox(ctx, e.team)
	switch {
	case err != nil && parley.KindOf(err) == parley.Unavailable:
		e.note("shell", "Agents have no shell: neither bubblewrap nor Landlock works here.",
			"Install bubblewrap, or use Linux 6.12 or newer with Landlock. unsandboxed: true under workspace in parley.yaml runs commands without a sandbox.")
	case err != nil:
		e.failed("shell", err)
	case box.Kind == sandbox.Unsandboxed:
		e.note("shell", "Agents run commands without a sandbox, because parley.yaml says so. They can do whatever you can.", "Install bubblewrap.")
	case box.EntryByEntry():
		e.note("shell", "Agents run commands in a Landlock sandbox. They cannot make new files directly in the workspace's top folder.", "Install bubblewrap; with it they can.")
	default:
		e.ok("shell", "agents run commands in a sandbox: %s, %s", box.Kind, network(box.Network))
	}
}

func network(on bool) string {
	if on {
		return "with the network"
	}
	return "without the network"
}
