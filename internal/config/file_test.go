package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLineEndsAndByteOrderMark(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "parley.yaml"), "\uFEFFteam: Blue\r\nmodel: scripted:s\r\n")
	writeFile(t, filepath.Join(dir, "agents", "ann.md"),
		"\uFEFF---\r\nname: Ann\r\ndescription: |\r\n  One.\r\n  Two.\r\n---  \r\nYou are\r\nAnn.\r\n")
	writeFile(t, filepath.Join(dir, "agents", "ben.md"), "---\r\nname: Ben\r\nnmae: Ben\r\n---\r\n")
	team, found := load(t, dir)
	diff(t, "team", "Blue", team.Name)
	diff(t, "problems", []string{`agents/ben.md:3: Unknown key "nmae". Did you mean name?`}, found)
	a := team.Agents[0]
	diff(t, "ann", []string{"Ann", "One.\nTwo.", "You are\nAnn."}, []string{a.Name, a.Description, a.Instructions})
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	large := strings.Repeat("x", maxFile+1)
	dir := teamDir(t, `
-- parley.yaml --
model: scripted:s
-- agents/fine.md --
Fine.
-- agents/empty/notes.md --
-- agents/memory/agent.md --
-- agents/_shared/fine.md --
Shared.
`)
	writeFile(t, filepath.Join(dir, "agents", "large.md"), large)
	writeFile(t, filepath.Join(dir, "agents", "limit.md"), large[:maxFile])
	writeFile(t, filepath.Join(dir, "agents", "latin1.md"), "---\nname: x\n---\ncaf\xe9\n")
	writeFile(t, filepath.Join(dir, "agents", "utf16.md"), "\xff\xfea\x00")
	writeFile(t, filepath.Join(dir, "agents", "zero.md"), "a\nb\x00\n")
	writeFile(t, filepath.Join(dir, "agents", "memory", "MEMORY.md"), large)
	writeFile(t, filepath.Join(dir, "agents", "_shared", "large.md"), large)
	team, found := load(t, dir)
	diff(t, "problems", []string{
		"agents/_shared/large.md: This file is larger than 1MiB.",
		"agents/empty: This folder has no agent.md.",
		"agents/large.md: This file is larger than 1MiB.",
		"agents/latin1.md:4: This is not UTF-8 text.",
		"agents/memory/MEMORY.md: This file is larger than 1MiB.",
		"agents/utf16.md:1: This is not UTF-8 text.",
		"agents/zero.md:2: This is not UTF-8 text.",
	}, found)
	diff(t, "agents", []string{"fine", "limit"}, names(team))
	diff(t, "instructions", []string{"Fine.", "Shared."}, []string{team.Agents[0].Instructions, team.Agents[0].Knowledge()})
}

func TestLinksStayInTheFolder(t *testing.T) {
	const noWay = ": This link does not lead to a file inside the team's folder; absolute links are not followed."
	outside := teamDir(t, `
-- secret.md --
The secret.
-- agent.md --
The secret.
`)
	dir := teamDir(t, `
-- parley.yaml --
model: scripted:s
-- agents/fine.md --
-- agents/soul/agent.md --
-- templates/ann.md --
You are Ann.
`)
	up, err := filepath.Rel(filepath.Join(dir, "agents"), outside)
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"absolute.md":  filepath.Join(outside, "secret.md"),
		"relative.md":  filepath.Join(up, "secret.md"),
		"dangling.md":  "nothing.md",
		"folder":       up,
		"_shared":      up,
		"soul/SOUL.md": filepath.Join("..", up, "secret.md"),
		"inside.md":    "../templates/ann.md",
	} {
		if err := os.Symlink(target, filepath.Join(dir, "agents", filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	team, found := load(t, dir)
	diff(t, "problems", []string{
		"agents/_shared" + noWay,
		"agents/absolute.md" + noWay,
		"agents/dangling.md" + noWay,
		"agents/folder" + noWay,
		"agents/relative.md" + noWay,
		"agents/soul/SOUL.md" + noWay,
	}, found)
	diff(t, "agents", []string{"fine", "inside"}, names(team))
	diff(t, "inside", "You are Ann.", team.Agents[1].Instructions)
}

func TestTeamFileAndAgentsFolderAreNoLinksOutside(t *testing.T) {
	outside := teamDir(t, "-- parley.yaml --\n-- agents/a.md --\n")
	for _, name := range []string{"parley.yaml", "agents"} {
		dir := t.TempDir()
		if name != "parley.yaml" {
			writeFile(t, filepath.Join(dir, "parley.yaml"), "")
		}
		if err := os.Symlink(filepath.Join(outside, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if team, _, err := Load(dir); err == nil {
			t.Errorf("%s: followed out of the folder: %+v", name, team)
		}
	}
}
