package httpapi_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/config"
	"parley/internal/rulebook"
)

// files are the team's files on disk. The hub was not made from them, because
// only the door's answers are tested here. Package app and test/scenario test
// what a hub makes of a change.
type files struct {
	held *config.Team
	// added joins a person that is new in the files.
	added func(name string)
}

func (f *files) Current() *config.Team { return f.held }

func (f *files) Reload(context.Context, parley.AgentID) (rulebook.Change, error) {
	team, _, err := config.Reload(f.held)
	if err == nil {
		for _, name := range team.People {
			if !slices.Contains(f.held.People, name) {
				f.added(name)
			}
		}
		f.held = team
	}
	return rulebook.Change{}, err
}

// writeFiles writes a folder for the agents of every world.
func writeFiles(t *testing.T) *files {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"parley.yaml":              "person: Ada\npeople: [Bob]\nmodel: scripted:script.yaml\n",
		"agents/CoordinatorBot.md": "You plan.\n",
		"agents/DataBot.md":        "---\n# What it may do.\nbehavior: strict # for now\ncontacts:\n  - allow: WriterBot\n---\nYou know the revenue.\n",
		"agents/WriterBot.md":      "---\nmanager: DataBot\n---\nYou write.\n",
		"agents/Joiner.md":         "---\nkind: client\n---\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	team, problems, err := config.Load(dir)
	if err != nil || problems != nil {
		t.Fatal(problems, err)
	}
	return &files{held: team}
}

// With a client agent's token nobody can change rules, not even its own. The
// attempt is on record with its author.
func TestAClientsTokenChangesNoRules(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(w.files.held.Dir, "agents", "Joiner.md")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, try := range [][3]string{
		{"PUT", "/v1/agents/Joiner/rules/profile", `{"values": ["open"]}`},
		{"POST", "/v1/agents/Joiner/rules/contacts", `{"values": ["allow:*"]}`},
		{"DELETE", "/v1/agents/Joiner/rules/mode", ""},
		{"PUT", "/v1/agents/DataBot/rules/behavior", `{"values": ["autonomous"]}`},
		{"POST", "/v1/reload", ""},
	} {
		if status, body := w.do("Joiner", try[0], try[1], try[2]); status != 403 || !strings.Contains(body, "Only people") {
			t.Errorf("%v: %d %s", try, status, body)
		}
	}
	_, events := w.do("Ada", "GET", "/v1/events?follow=false", "")
	if n := strings.Count(events, `"kind":"access.refused"`); n != 5 {
		t.Errorf("%d refusals are on record:\n%s", n, events)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file changed: %v\n%s", err, after)
	}
	if status, body := w.do("Joiner", "GET", "/v1/agents/DataBot/rules", ""); status != 403 {
		t.Errorf("the rules of others are read: %d %s", status, body)
	}
	if status, _ := w.do("Joiner", "GET", "/v1/agents/Joiner/rules", ""); status != 200 {
		t.Errorf("its own are not: %d", status)
	}
}
