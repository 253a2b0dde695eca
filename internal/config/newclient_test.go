package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
)

func TestAddClient(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, TeamFile), []byte("person: ada\nmodel: scripted:s.yaml\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	description := "Writes code: \"Go\", 'C'\nand # more"
	file, err := AddClient(dir, NewClient{Name: "Data Bot", Description: description, Toolsets: []string{"contact", "loom"}, Profile: "guarded"})
	if err != nil || file != "agents/Data Bot.md" {
		t.Fatalf("%s %v", file, err)
	}
	team, found, err := Load(dir)
	if err != nil || len(found) > 0 || len(team.Agents) != 1 {
		t.Fatalf("%v %v %v", team, found, err)
	}
	a := team.Agents[0]
	if a.Name != "Data Bot" || a.Kind != parley.Client || a.Description != strings.ReplaceAll(description, "\n", " ") && a.Description != description ||
		strings.Join(a.Toolsets, " ") != "contact loom" || a.Profile.Preset != "guarded" {
		t.Errorf("%+v", a)
	}
	before := files(t, dir)
	for name, c := range map[string]NewClient{
		"is there already": {Name: "Data Bot", Profile: "open"},
		"already used":     {Name: "ADA", Profile: "open"},
		"toolset":          {Name: "b", Toolsets: []string{"nope"}, Profile: "open"},
		"profile":          {Name: "c", Profile: "wild"},
		"letters":          {Name: "a/b", Profile: "open"},
		"data bot":         {Name: "data bot", Profile: "open"},
	} {
		if _, err := AddClient(dir, c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%+v: %v, want %s", c, err, name)
		}
	}
	if after := files(t, dir); after != before {
		t.Errorf("files: %s, before %s", after, before)
	}
}

func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, agentsDir))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, ", ")
}
