package app

import (
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/config"
	"parley/internal/mcpclient"
)

// CheckServerFiles warns of servers that are started from the workspace. Agents cannot
// write the program and the scripts that a server is started with, but they can write
// what those load.
func CheckServerFiles(team *config.Team) (warnings []config.Problem) {
	if !agentsWrite(team) {
		return nil
	}
	space, data := resolved(team.Workspace.Folder), resolved(team.Data)
	check := func(key, without string) func(file string, s mcpclient.Server) {
		return func(file string, s mcpclient.Server) {
			if why := writable(s, func(path string) bool { return inside(space, path) && !inside(data, path) }); why != "" {
				warnings = append(warnings, config.Problem{File: file, Message: key + ": " + s.Name + " " + strings.TrimSuffix(why, without)})
			}
		}
	}
	eachServer(team, check("mcp_servers", ""))
	eachNotifyCommand(team, check("notify", " Give it a folder outside with cwd."))
	return warnings
}

// agentsWrite reports whether an agent can change the workspace, with tools of its own
// or with those of a server.
func agentsWrite(team *config.Team) bool {
	return slices.ContainsFunc(team.Agents, func(a *config.Agent) bool {
		return a.Mode != "read" && (slices.Contains(a.Toolsets, workspaceSet) || len(a.MCPServers) > 0)
	})
}

// runners are programs that look for what they run in the folder that they are in.
var runners = []string{"npx", "npm", "pnpm", "yarn", "bunx", "bun", "deno", "uv", "uvx", "pipx", "python", "python3", "make", "just", "sh", "bash"}

// writable says how agents could change what a server does; empty if they cannot.
func writable(s mcpclient.Server, reachable func(string) bool) string {
	for _, file := range s.Files() {
		links, end := trace(file)
		switch {
		case slices.ContainsFunc(links, reachable):
			return "is started through a link in the workspace, " + file + ", which agents can replace. Name the file itself, outside of the workspace."
		case reachable(end):
			return "is started from " + file + " in the workspace. Agents cannot write this file, but what it loads. Keep it outside of the workspace."
		}
	}
	if name := filepath.Base(s.Command); slices.Contains(runners, name) && reachable(resolved(s.Dir)) {
		return "runs " + name + " in the workspace, which may load what agents write there. Give it a folder outside with cwd."
	}
	return ""
}

// warnings say which servers are not started because there is no sandbox for them.
func (b *serverBoxes) warnings(team *config.Team) (list []config.Problem) {
	for _, a := range team.Agents {
		for i, s := range b.servers(team, a) {
			p := config.Problem{File: a.File, Message: "mcp_servers: " + s.Name + " is not started: " + s.Refused + "."}
			if a.MCPServers[i].Shared {
				p.File = config.TeamFile
			}
			if s.Refused != "" && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}
