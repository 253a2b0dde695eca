package config

import (
	"os"
	"path/filepath"
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

// A name in letters that look like those of another is refused, whichever file comes
// first, and the problem says like which one. Two names of one foreign script are two
// names.
func TestANameThatLooksLikeAnotherIsRefused(t *testing.T) {
	team, found := load(t, teamDir(t, `
-- parley.yaml --
model: scripted:s
person: Ada
people: [Grace]
-- agents/a.md --
---
name: "Wr\u0456ter"
---
-- agents/b.md --
---
name: Ｗｒｉｔｅｒ
---
-- agents/c.md --
---
name: Wríter
---
-- agents/d.md --
---
name: "\u0397enry"
---
-- agents/e.md --
---
name: "Gr\u0430ce"
---
-- agents/f.md --
---
name: "\u0410da"
---
-- agents/g.md --
---
name: "Шура"
---
-- agents/h.md --
---
name: "Щура"
---
-- agents/henry.md --
-- agents/writer.md --
`))
	diff(t, "agents", []string{"Шура", "Щура", "henry", "writer"}, names(team))
	diff(t, "problems", []string{
		`agents/a.md:2: The name "Wrіter" looks like "writer" in agents/writer.md. Choose one that nobody takes for the other.`,
		`agents/b.md:2: The name "Ｗｒｉｔｅｒ" looks like "writer" in agents/writer.md. Choose one that nobody takes for the other.`,
		`agents/c.md:2: The name "Wríter" looks like "writer" in agents/writer.md. Choose one that nobody takes for the other.`,
		`agents/d.md:2: The name "Ηenry" looks like "henry" in agents/henry.md. Choose one that nobody takes for the other.`,
		`agents/e.md:2: The name "Grаce" looks like "Grace" in parley.yaml. Choose one that nobody takes for the other.`,
		`agents/f.md:2: The name "Аda" looks like "Ada" in parley.yaml. Choose one that nobody takes for the other.`,
	}, found)
}

// Whoever had a name before keeps it, even if a new one in plain letters looks like
// it.
func TestTheFileThatHadALookAlikeNameKeepsIt(t *testing.T) {
	drafts := []*draft{{agent: Agent{Name: "Ann", File: "agents/a.md"}}, {agent: Agent{Name: "Änn", File: "agents/z.md"}}}
	passed, found := unlikeNames(&Team{}, drafts, map[string]string{"änn": "agents/z.md"})
	if len(passed) != 1 || passed[0].agent.Name != "Änn" || len(found) != 1 || found[0].File != "agents/a.md" {
		t.Errorf("passed %+v, found %+v", passed, found)
	}
}

// People are named in one file, so a name there that looks like another is a mistake
// in that file.
func TestAPersonWhoLooksLikeAnotherIsRefused(t *testing.T) {
	for people, want := range map[string]string{
		`[Grace, "Gr\u0430ce"]`: `parley.yaml:3: The name "Grаce" looks like "Grace" in parley.yaml. Choose one that nobody takes for the other.`,
		`["\u0410da"]`:          `parley.yaml:3: The name "Аda" looks like "Ada" in parley.yaml. Choose one that nobody takes for the other.`,
		`[Шура, Щура, Grace]`:   "",
	} {
		_, _, err := Load(teamDir(t, "-- parley.yaml --\nmodel: scripted:s\nperson: Ada\npeople: "+people+"\n"))
		got := ""
		if err != nil {
			got = err.Error()
		}
		diff(t, people, want, got)
	}
}

// A person who is new to the team does not look like an agent who was there before.
func TestANewPersonWhoLooksLikeAnAgentIsLeftOut(t *testing.T) {
	dir := teamDir(t, "-- parley.yaml --\nmodel: scripted:s\npeople: [Grace]\n-- agents/ann.md --\n")
	before, _ := load(t, dir)
	if err := os.WriteFile(filepath.Join(dir, TeamFile), []byte("model: scripted:s\npeople: [Grace, Änn]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	team, found, err := Reload(before)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "people", []string{"Grace"}, team.People)
	diff(t, "agents", []string{"ann"}, names(team))
	diff(t, "problems", []string{`parley.yaml: The name "Änn" looks like "ann" in agents/ann.md. Choose one that nobody takes for the other.`}, texts(found))
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
		drafts := []*draft{{agent: Agent{Name: "Ann", File: "agents/a.md", Kind: parley.Native}}, {agent: Agent{Name: "ANN", File: "agents/z.md", Kind: parley.Native}}}
		passed, found := uniqueNames(&Team{}, drafts, map[string]string{"ann": had})
		if len(passed) != 1 || passed[0].agent.File != had || len(found) != 1 || found[0].File != wants {
			t.Errorf("%s had it: passed %+v, found %+v", had, passed, found)
		}
	}
}
