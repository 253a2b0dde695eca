package config

import (
	"strings"
	"testing"

	"parley"
)

func TestMistakesInTheTeamFile(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"unknown key", "team: a\nworker: 3\n", `parley.yaml:2: Unknown key "worker". Did you mean workers?`},
		{"far from every key", "\n\nzzzzzzzz: 3\n", `parley.yaml:3: Unknown key "zzzzzzzz". Known are team, person, people, lead, model, providers, models, toolsets, store, data, listen, workers, memory, lease, client_lease, grace, workspace, retention, limits, channels, notify, bridges, notify_command, tls, public_url, proxies, door, mcp_servers.`},
		{"a variable of the hub for commands", "workspace:\n  environment: [PARLEY_TOKEN]\n", `parley.yaml:2: environment: "PARLEY_TOKEN" cannot be given to commands.`},
		{"too little memory", "memory: 64MiB\n", `parley.yaml:1: memory: Expected a size from 128MiB to 1024GiB, like 256MiB or a number of bytes, not "64MiB".`},
		{"a time without a unit", "lease: 2\n", `parley.yaml:1: lease: Expected a time with its unit from 1s to 1h, like 90s, 30m, 12h or 7d, not "2".`},
		{"all at once", "team: a/b\nlisten: here\nworkers: none\n", `parley.yaml:1: team: The name "a/b" contains '/'; letters, digits, space and -_. are allowed.
parley.yaml:2: listen: Expected an address like 127.0.0.1:7420, not "here".
parley.yaml:3: workers: Expected a whole number from 1 to 10000, not "none".`},
		{"twice the same key", "team: a\nteam: b\n", `parley.yaml:2: This is not valid YAML: mapping key "team" already defined at [1:1].`},
		{"not a mapping", "- a\n", `parley.yaml:1: Expected keys and values, like name: text.`},
		{"two documents", "team: a\n---\nteam: b\n", `parley.yaml:3: A second YAML document begins here; there may be only one.`},
		{"no list", "people: ann\n", `parley.yaml:1: people: Expected a list, like [a, b].`},
		{"twice the same person", "people:\n  - Ann\n  - ann\n", `parley.yaml:3: people: The name "ann" is in the list twice.`},
		{"person without a name", "people:\n  - Ann\n  -\n", `parley.yaml:3: people: Expected a text.`},
		{"alias", "team: &t a\nperson: *t\n", "parley.yaml:1: team: Anchors, aliases and tags are not supported. Write the value out.\nparley.yaml:2: person: Anchors, aliases and tags are not supported. Write the value out."},
		{"port", "listen: localhost:99999", `parley.yaml:1: listen: Expected an address like 127.0.0.1:7420, not "localhost:99999".`},
		{"a model's short name", "model: sonet", `parley.yaml:1: There is no model "sonet". Did you mean sonnet?`},
		{"model", "model: gpt", `parley.yaml:1: There is no model "gpt". A model is written provider/name, like anthropic/claude-sonnet-4-5, or scripted:script.yaml.`},
		{"unknown limit", "limits:\n  ask_deepth: 3\n", `parley.yaml:2: Unknown key "ask_deepth". Did you mean ask_depth?`},
		{"two limits in one line", "limits: {rate: 0, steps: 0}\n", `parley.yaml:1: rate: Expected a whole number from 1 to 100000, not "0".
parley.yaml:1: steps: Expected a whole number from 1 to 10000, not "0".`},
		{"limits without keys", "limits: 7\n", `parley.yaml:1: limits: Expected keys and values, like name: text.`},
		{"a channel without members", "channels:\n  - name: room\n", "parley.yaml:2: channels: A channel has a name and members, like {name: standup, members: [a, b]} or members: \"*\"."},
		{"a channel's name", "channels:\n  - name: a b\n    members: [x]\n", `parley.yaml:2: name: The channel name "a b" contains a space; letters, digits and -_. are allowed.`},
		{"twice the same channel", "channels:\n  - {name: room, members: [x]}\n  - {name: '#Room', members: []}\n", `parley.yaml:3: channels: The channel #Room is in the list twice.`},
		{"a channel's members", "channels:\n  - {name: room, members: x}\n", `parley.yaml:2: members: Expected a list, like [a, b].`},
		{"too long", "# " + strings.Repeat("x", maxYAML), `parley.yaml:1: The YAML is longer than 64KiB.`},
		{"too large", strings.Repeat("#\n", maxFile/2+1), `parley.yaml: This file is larger than 1MiB.`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := Load(teamDir(t, "-- parley.yaml --\n"+tc.text))
			if err == nil {
				t.Fatal("no error")
			}
			diff(t, "error", tc.want, err.Error())
			diff(t, "kind", parley.Invalid, parley.KindOf(err))
		})
	}
}

func TestMistakesInAnAgentFile(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"unknown key", "---\nname: a\ndescripton: b\n---\n", `:3: Unknown key "descripton". Did you mean description?`},
		{"other spelling", "---\ncanInvoke: []\n---\n", `:2: Unknown key "canInvoke". Did you mean can_invoke?`},
		{"never closed", "---\nname: a\n", `:1: The front matter that begins here is never closed: a line --- is missing.`},
		{"only the fence", "---", `:1: The front matter that begins here is never closed: a line --- is missing.`},
		{"name", "---\n# who\nname: a@b\n---\n", `:3: name: The name "a@b" contains '@'; letters, digits, space and -_. are allowed.`},
		{"remote", "---\nkind: remote\n---\n", `:2: kind: Remote agents are not available yet.`},
		{"kind", "---\nkind: natif\n---\n", `:2: kind: "natif" is not a choice here. Did you mean native?`},
		{"mode", "---\nmode: ro\n---\n", `:2: mode: "ro" is not a choice here. Known are write, read.`},
		{"behavior", "---\nbehavior: supervise\n---\n", `:2: behavior: "supervise" is not a choice here. Did you mean supervised?`},
		{"toolset", "---\ntoolsets:\n  - contcat\n---\n", `:2: toolsets: There is no toolset "contcat". Did you mean contact?`},
		{"nobody or everyone", "---\ncan_invoke:\n---\n", `:2: can_invoke: Expected a list, like [a, b].`},
		{"alias below", "---\nmcp_servers:\n  a: {command: x}\n  b: *x\n---\n", `:4: b: Anchors, aliases and tags are not supported. Write the value out.`},
		{"limit", "---\nlimits:\n  turns: 2\n  ask_depth: 21\n---\n", `:4: ask_depth: Expected a whole number from 1 to 20, not "21".`},
		{"a text as a map", "---\ndescription: {a: b}\n---\n", `:2: description: Expected a text.`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			team, found := load(t, teamDir(t, "-- parley.yaml --\nmodel: scripted:s\n-- agents/x.md --\n"+tc.text))
			diff(t, "problems", []string{"agents/x.md" + tc.want}, found)
			diff(t, "agents", []string(nil), names(team))
		})
	}
}

func TestFileNameThatIsNoAgentName(t *testing.T) {
	dir := teamDir(t, `
-- parley.yaml --
model: scripted:s
-- agents/a+b.md --
Text.
-- agents/c+d.md --
---
name: Cid
---
`)
	team, found := load(t, dir)
	diff(t, "problems", []string{`agents/a+b.md:1: The file's name is the agent's name. ` +
		`The name "a+b" contains '+'; letters, digits, space and -_. are allowed.`}, found)
	diff(t, "agents", []string{"Cid"}, names(team))
}

func TestWarnings(t *testing.T) {
	team, found := load(t, teamDir(t, `
-- parley.yaml --
model: scripted:s
-- agents/all.md --
---
mode: read
can_invoke: []
behavior: strict
profile: open
contacts:
  - deny: "*"
mcp_servers:
  git: {command: mcp-git}
toolsets: contact, loom
manager: nobody
---
-- agents/left-out.md --
---
mode: read
kind: remote
---
-- agents/none.md --
---
mode: write
behavior: autonomous
profile: standard
contacts:
mcp_servers: ~
tools: Bash
shared: write
---
-- agents/notes.txt --
Not an agent.
`))
	diff(t, "problems", []string{"agents/left-out.md:3: kind: Remote agents are not available yet."}, found)
	diff(t, "warnings", []string{
		"agents/notes.txt: This is not read: an agent is a .md file, or a folder with agent.md.",
		`agents/all.md:11: The manager "nobody" is not in this team's files.`,
	}, texts(team.Warnings))
	a := team.Agents[0]
	diff(t, "can_invoke", []string{}, a.CanInvoke)
	diff(t, "contacts", []ContactRule{{Deny: true, Name: "*"}}, a.Contacts)
	diff(t, "mcp_servers", []MCPServer{{Name: "git", Command: "mcp-git", Dir: team.Dir}}, a.MCPServers)
}
