package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFirstParagraph(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain":                       {"Finds things out.", "Finds things out."},
		"headings are skipped":        {"# Reader\n\n## About\n\nFinds things out.\n", "Finds things out."},
		"underlined headings":         {"=====\n\nFinds things out.", "Finds things out."},
		"italics are skipped":         {"*A reader.*\n_Another._\n\nFinds things out.", "Finds things out."},
		"bold is skipped":             {"**Status: done**\n__So it is__\n\nFinds things out.", "Finds things out."},
		"bold italics are skipped":    {"***Look***\nFinds things out.", "Finds things out."},
		"quotes are skipped":          {"> Seek and find.\n> Always.\n\nFinds things out.", "Finds things out."},
		"emphasis within prose stays": {"*Finds* things *out*.", "*Finds* things *out*."},
		"two emphases are prose":      {"*Finds* and *keeps*", "*Finds* and *keeps*"},
		"one paragraph, one line":     {"Finds things\nout.\n\nAnd more.", "Finds things out."},
		"a quote ends it":             {"Finds things out.\n> Always.", "Finds things out."},
		"empty":                       {"", ""},
		"nothing but blanks":          {" \n\t\n", ""},
		"nothing but a heading":       {"# Reader\n", ""},
	} {
		t.Run(name, func(t *testing.T) { diff(t, "paragraph", c.want, firstParagraph(c.text)) })
	}
}

func TestADescriptionIsTheFrontMattersElseTheDocs(t *testing.T) {
	long := strings.Repeat("word ", 100)
	team, found := load(t, teamDir(t, `
-- parley.yaml --
model: scripted:script.yaml
-- agents/own/agent.md --
---
description: Its own words.
---
-- agents/own/docs/README.md --
Other words.
-- agents/docs/agent.md --
-- agents/docs/docs/README.md --
# Title

From the docs.
-- agents/long/agent.md --
-- agents/long/docs/README.md --
`+long+`
-- agents/none/agent.md --
-- agents/single.md --
`))
	diff(t, "problems", []string(nil), found)
	got, docs := map[string]string{}, map[string]string{}
	for _, a := range team.Agents {
		got[a.Name], docs[a.Name] = a.Description, a.Docs
	}
	diff(t, "descriptions", map[string]string{"own": "Its own words.", "docs": "From the docs.",
		"long": strings.TrimSpace(long)[:199] + "…", "none": "", "single": ""}, got)
	diff(t, "folders", map[string]string{"own": "agents/own/docs", "docs": "agents/docs/docs",
		"long": "agents/long/docs", "none": "agents/none/docs", "single": ""}, docs)
}

// Docs are for others: what is wrong with them leaves nobody out, and no link in
// them shows what lies elsewhere.
func TestNoLinkDescribesAnAgent(t *testing.T) {
	dir := teamDir(t, `
-- parley.yaml --
model: scripted:script.yaml
-- secret.md --
A secret.
-- agents/file/agent.md --
-- agents/file/docs/other.md --
-- agents/folder/agent.md --
-- agents/hard/agent.md --
-- agents/hard/docs/other.md --
-- elsewhere/README.md --
A secret.
`)
	for link, to := range map[string]string{"agents/file/docs/README.md": "../../../secret.md", "agents/folder/docs": "../../elsewhere"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(dir, "secret.md"), filepath.Join(dir, "agents/hard/docs/README.md")); err != nil {
		t.Fatal(err)
	}
	team, found := load(t, dir)
	diff(t, "problems", []string(nil), found)
	diff(t, "warnings", []string{
		"agents/file/docs/README.md: This is not read: links are not followed in docs.",
		"agents/folder/docs/README.md: This is not read: links are not followed in docs.",
		"agents/hard/docs/README.md: This is not read: it has a name elsewhere too, and only files of their own are read in docs.",
	}, texts(team.Warnings))
	for _, a := range team.Agents {
		diff(t, a.Name, "", a.Description)
	}
}
