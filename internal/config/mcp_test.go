package config

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestServersOfAnAgent(t *testing.T) {
	dir := teamDir(t, `
-- parley.yaml --
model: scripted:s
mcp_servers:
  tracker: {type: http, url: "https://example.com/${TEAM}", headers: {Authorization: "Bearer ${TRACKER_TOKEN}"}, trust: read, timeout: 30s}
  unused: {command: x}
-- agents/listed.md --
---
mcp_servers: [tracker]
---
-- agents/mapped.md --
---
mcp_servers:
  tracker:
  files:
    command: npx
    args: [-y, server-filesystem, 7]
    env: {TOKEN: "${FILES_TOKEN}", DEBUG: 1}
    cwd: sub
    sandbox: off
---
-- agents/none.md --
---
mcp_servers: []
---
`)
	team, found := load(t, dir)
	diff(t, "problems", []string(nil), found)
	diff(t, "warnings", []string(nil), texts(team.Warnings))
	tracker := MCPServer{Name: "tracker", Shared: true, URL: "https://example.com/${TEAM}",
		Headers: map[string]string{"Authorization": "Bearer ${TRACKER_TOKEN}"}, TrustReads: true, Timeout: 30 * time.Second}
	files := MCPServer{Name: "files", Command: "npx", Args: []string{"-y", "server-filesystem", "7"},
		Env: map[string]string{"TOKEN": "${FILES_TOKEN}", "DEBUG": "1"}, Dir: filepath.Join(team.Dir, "sub"), Unsandboxed: true}
	diff(t, "listed", []MCPServer{tracker}, team.Agents[0].MCPServers)
	diff(t, "mapped", []MCPServer{tracker, files}, team.Agents[1].MCPServers)
	diff(t, "none", []MCPServer(nil), team.Agents[2].MCPServers)
}

func TestMistakesInServers(t *testing.T) {
	for text, want := range map[string]string{
		"mcp_servers: 7":                                              `:2: mcp_servers: Expected names and what they mean, like name: {command: program}.`,
		"mcp_servers: {a b: {command: x}}":                            `:2: a b: A server's name has 1 to 32 letters, digits, - and _.`,
		"mcp_servers: {a: {}}":                                        `:2: a: A server has either a command or a url.`,
		"mcp_servers: {a: {command: x, url: y}}":                      `:2: a: A server has either a command or a url.`,
		"mcp_servers: {a: {command: x, type: http}}":                  `:2: a: The type http does not fit: stdio is for a command, http for a url.`,
		"mcp_servers: {a: {command: x, type: sse}}":                   `:2: type: "sse" is not a choice here. Known are stdio, http.`,
		"mcp_servers: {a: {command: x, headers: {a: b}}}":             `:2: a: A server with a command has no headers.`,
		"mcp_servers:\n  a:\n    url: http://x\n    env:\n      b: c": `:5: a: A server with a url has no env.`,
		"mcp_servers: {a: {command: x, comand: y}}":                   `:2: Unknown key "comand". Did you mean command?`,
		"mcp_servers: {a: {url: http://x, sandbox: off}}":             `:2: a: A server with a url has no sandbox.`,
		"mcp_servers: {a: {command: x, sandbox: none}}":               `:2: sandbox: "none" is not a choice here. Did you mean on?`,
		"mcp_servers: [shred]":                                        `:2: There is no server "shred" in parley.yaml. Did you mean shared?`,
		"mcp_servers: {shared: , other: }":                            `:2: There is no server "other" in parley.yaml. Known are shared.`,
		"mcp_servers: {a: {command: x, timeout: 5}}":                  `:2: timeout: Expected a time with its unit from 1s to 1d, like 90s, 30m, 12h or 7d, not "5".`,
	} {
		team, found := load(t, teamDir(t, "-- parley.yaml --\nmodel: scripted:s\nmcp_servers: {shared: {command: x}}\n-- agents/x.md --\n---\n"+text+"\n---\n"))
		diff(t, text, []string{"agents/x.md" + want}, found)
		diff(t, "agents", []string(nil), names(team))
	}
}

// A secret in a file gets a warning, which does not repeat it.
func TestLiteralSecretsAreWarnedOf(t *testing.T) {
	team, found := load(t, teamDir(t, `
-- parley.yaml --
model: scripted:s
mcp_servers:
  shared:
    command: x
    env: {OTHER: sk-ant-123, LANG: C}
-- agents/x.md --
---
mcp_servers:
  a:
    url: https://example.com
    headers:
      Authorization: Bearer abc
      X-Api-Key: "${KEY}"
      X-Team: blue
---
`))
	diff(t, "problems", []string(nil), found)
	const advice = "This looks like a secret, and files are copied and shared. Put it into the hub's environment and write ${NAME} here."
	diff(t, "warnings", []string{"parley.yaml:5: OTHER: " + advice, "agents/x.md:6: Authorization: " + advice}, texts(team.Warnings))
	for _, w := range team.Warnings {
		if strings.Contains(w.Message, "abc") || strings.Contains(w.Message, "sk-ant") {
			t.Errorf("%s repeats it", w)
		}
	}
}

// An empty name is no tool, of nobody; reading it must not end the hub.
func TestAnEmptyToolName(t *testing.T) {
	for text, foreign := range map[string]bool{
		`tools: [""]`:                false,
		`tools: ["", Read]`:          false,
		`tools: [Read, " ", "Bash"]`: false,
		`tools: ", Read, "`:          true, // between commas there is no name at all
	} {
		team, found := load(t, teamDir(t, "-- parley.yaml --\nmodel: scripted:s\n-- agents/x.md --\n---\n"+text+"\n---\n"))
		diff(t, "problems", []string(nil), found)
		diff(t, text, foreign, team.Agents[0].ForeignTools())
	}
}

func TestToolsAreCalledByTheirNamesHere(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                    nil,
		"tools:":                              nil,
		"tools: []":                           {},
		"tools: Read, Grep, Glob, Bash, Edit": {"read_file", "grep", "glob", "shell", "replace_block"},
		"tools: [Write, Task, contact_agent]": {"write_file", "call_agent", "contact_agent"},
		"tools: Bash(git *), WebSearch":       {"shell", "WebSearch"},
		"tools: mcp__git__log, mcp__files":    {"git__log", "files__*"},
		"tools: [git__log, git__*, sleep]":    {"git__log", "git__*", "sleep"},
	} {
		team, found := load(t, teamDir(t, "-- parley.yaml --\nmodel: scripted:s\n-- agents/x.md --\n---\n"+text+"\n---\n"))
		diff(t, "problems", []string(nil), found)
		diff(t, text, want, team.Agents[0].AllowedTools())
	}
}
