package cli

import (
	"context"
	"os"

	"parley"
	"parley/internal/app"
	"parley/internal/workspace/sandbox"
)

// apart checks that agents cannot reach the hub's own files.
func (e *examination) apart() {
	if err := app.CheckApart(e.team); err != nil {
		e.failed("data", err)
	}
}

// workspace checks the folder that agents work in. A team whose agents do not work on
// files has none.
func (e *examination) workspace() {
	if !app.UsesWorkspace(e.team) {
		return
	}
	folder := e.team.Workspace.Folder
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		e.wrong("workspace", folder+" is not a folder.", "Make it, or name another one as workspace in parley.yaml.")
		return
	}
	if err := tryWriting(folder); err != nil {
		e.wrong("workspace", folder+" cannot be written, so agents can only read there: "+err.Error()+".", "Give the user who runs the hub write permission, or name another folder as workspace in parley.yaml.")
		return
	}
	e.ok("workspace", "%s", folder)
}

// usedShell says in which sandbox the running hub has commands run: another user's
// hub, or one that a service started, may have another one than this program finds.
func (e *examination) usedShell(kind string) {
	switch kind {
	case "":
		return
	case "none":
		e.note("shell", "The running hub found no sandbox, so its agents have no shell.", "Install bubblewrap and start the hub again.")
	case string(sandbox.Unsandboxed):
		e.note("shell", "Agents run commands without a sandbox, because parley.yaml says so. They can do whatever the hub can.", "Install bubblewrap.")
	default:
		e.ok("shell", "the running hub's agents run commands in a sandbox: %s", kind)
	}
}

// shell finds the sandbox that a hub would use if it were started now.
func (e *examination) shell(ctx context.Context) {
	if !app.UsesWorkspace(e.team) {
		return
	}
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
