package config

import (
	"testing"

	"parley"
)

func TestNamesAreUnique(t *testing.T) {
	team, found := load(t, teamDir(t, `
-- parley.yaml --
model: scripted:s
person: Ada
people: [Grace]
-- agents/a.md --
---
name: Writer
---
-- agents/ada.md --
---
kind: person
description: Runs the team.
---
-- agents/grace.md --
-- agents/writer.md --
-- agents/writer/agent.md --
---
description: A folder.
name: writer
---
`))
	diff(t, "agents", []string{"Writer", "ada"}, names(team))
	diff(t, "problems", []string{
		`agents/grace.md:1: The name "grace" is already used in parley.yaml. Names are unique in a team, ignoring case.`,
		`agents/writer/agent.md:3: The name "writer" is already used in agents/a.md. Names are unique in a team, ignoring case.`,
		`agents/writer.md:1: The name "writer" is already used in agents/a.md. Names are unique in a team, ignoring case.`,
	}, found)
}

func TestNoModelSpeaksForThePerson(t *testing.T) {
	team, found := load(t, teamDir(t, `
-- parley.yaml --
model: scripted:s
person: Ada
-- agents/ada.md --
`))
	diff(t, "agents", []string(nil), names(team))
	diff(t, "problems", []string{
		`agents/ada.md:1: The name "ada" is already used in parley.yaml. Names are unique in a team, ignoring case.`,
	}, found)
}

func TestCircleOfManagers(t *testing.T) {
	team, found := load(t, teamDir(t, `
-- parley.yaml --
model: scripted:s
people: [Ada]
-- agents/a.md --
---
manager: B
---
-- agents/b.md --
---
description: In the middle.
manager: c
---
-- agents/c.md --
---
manager: a
---
-- agents/below.md --
---
manager: a
---
-- agents/own.md --
---
manager: Own
---
-- agents/fine.md --
---
manager: ada
---
-- agents/deep.md --
---
manager: fine
---
`))
	diff(t, "agents", []string{"below", "deep", "fine"}, names(team))
	diff(t, "problems", []string{
		"agents/a.md:2: The managers form a circle: a → B → c → a.",
		"agents/b.md:3: The managers form a circle: b → c → a → B.",
		"agents/c.md:2: The managers form a circle: c → a → B → c.",
		"agents/own.md:2: The managers form a circle: own → Own.",
	}, found)
	diff(t, "warnings", []string{`agents/below.md:2: The manager "a" is not in this team's files.`}, texts(team.Warnings))
}

func TestNativeAgentNeedsAModel(t *testing.T) {
	team, found := load(t, teamDir(t, `
-- parley.yaml --
-- agents/a.md --
-- agents/b.md --
---
description: The team has no default either.
model: inherit
---
-- agents/c.md --
---
model: sonnet
---
-- agents/d.md --
---
kind: client
---
`))
	diff(t, "problems", []string{
		"agents/a.md:1: The agent has no model. Add a line like model: anthropic/claude-sonnet-4-5 or model: scripted:script.yaml here, or to parley.yaml for all.",
		"agents/b.md:3: The agent has no model. Add a line like model: anthropic/claude-sonnet-4-5 or model: scripted:script.yaml here, or to parley.yaml for all.",
	}, found)
	diff(t, "agents", []string{"c", "d"}, names(team))
	diff(t, "model", Model{Provider: "anthropic", Name: "sonnet"}, team.Agents[0].Model)
}

// A new file never takes over who somebody is, wherever it stands in the order of
// names.
func TestTheFileThatHadANameKeepsIt(t *testing.T) {
	for _, files := range [][]string{{"agents/a.md", "agents/z.md"}, {"agents/z.md", "agents/a.md"}} {
		had, wants := files[0], files[1]
		drafts := []draft{{agent: Agent{Name: "Ann", File: "agents/a.md", Kind: parley.Native}}, {agent: Agent{Name: "ANN", File: "agents/z.md", Kind: parley.Native}}}
		passed, found := uniqueNames(&Team{}, drafts, map[string]string{"ann": had})
		if len(passed) != 1 || passed[0].agent.File != had || len(found) != 1 || found[0].File != wants {
			t.Errorf("%s had it: passed %+v, found %+v", had, passed, found)
		}
	}
}
