package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley"
)

// teamDir writes a folder from one text: a line "-- name --" begins each file.
func teamDir(t *testing.T, files string) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range strings.Split("\n"+files, "\n-- ")[1:] {
		name, text, _ := strings.Cut(part+"\n", " --\n")
		writeFile(t, filepath.Join(dir, name), text)
	}
	return dir
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, dir string) (*Team, []string) {
	t.Helper()
	team, found, err := Load(dir)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return team, texts(found)
}

func texts(found []Problem) []string {
	var out []string
	for _, p := range found {
		out = append(out, p.String())
	}
	return out
}

func names(team *Team) []string {
	var out []string
	for _, a := range team.Agents {
		out = append(out, a.Name)
	}
	return out
}

func diff(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmp.AllowUnexported(Store{}), cmpopts.IgnoreUnexported(Team{}), cmpopts.IgnoreFields(Agent{}, "Lines")); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestAnEmptyFileIsATeam(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "comment": "# later\n", "null": "---\n", "crlf": "\r\n"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "parley.yaml"), text)
			team, found := load(t, dir)
			diff(t, "problems", []string(nil), found)
			diff(t, "team", &Team{
				Dir:       dir,
				Name:      "main",
				Store:     Store{Driver: SQLite, Path: filepath.Join(dir, ".parley", "parley.db")},
				Data:      filepath.Join(dir, ".parley"),
				Listen:    "127.0.0.1:7420",
				Workers:   256,
				Memory:    256 << 20,
				Toolsets:  []string{"contact"},
				Workspace: Workspace{Folder: dir},
				Limits:    parley.DefaultLimits(),
			}, team)
		})
	}
}

func TestADefaultDatabaseGoesWithTheData(t *testing.T) {
	for store, want := range map[string]string{
		"":                        "/elsewhere/parley.db",
		"store: sqlite":           "/elsewhere/parley.db",
		"store: .parley/other.db": "/team/.parley/other.db", // not where the default is, though beside it
		"store: /disk/parley.db":  "/disk/parley.db",
	} {
		team := &Team{Dir: "/team", Data: DefaultData, Store: Store{Driver: SQLite}}
		var limits overlay
		if _, found := decode(store, teamKeys(team, &limits)); found != nil {
			t.Fatal(found)
		}
		team.locate()
		team.MoveData("/elsewhere")
		diff(t, store, []string{"/elsewhere", want}, []string{team.Data, team.Store.Path})
	}
}

func TestEveryKey(t *testing.T) {
	dir := teamDir(t, `
-- parley.yaml --
team: Blue
person: Ada
people: [Grace, "Alan T."]
model: scripted:script.yaml
store: db/team.db
data: state
listen: ":8080"
workers: 2
memory: 1GiB
lease: 30s
workspace:
  folder: src
  unsandboxed: true
  network: true
  readable: [/opt/sdk, tools]
  environment: [CARGO_HOME]
grace: 5s
limits: {rate: 20, turns: 4}
-- agents/bob.md --
---
name: Bob
description: >-
  Answers
  questions.
kind: native
model: ollama:llama3:8b
tools: Read, Grep
toolsets: [contact]
limits:
  turns: 1
  ask_timeout: 1m
manager: ada
role: librarian
mode: write
behavior: autonomous
profile: standard
shared: write
color: blue
---

You are Bob.
-- agents/claude.md --
---
kind: client
tools: [a, b]
---
`)
	team, found := load(t, dir)
	diff(t, "problems", []string(nil), found)
	limits := parley.DefaultLimits()
	limits.Rate, limits.Turns = 20, 4
	bobs := limits
	bobs.Turns, bobs.AskTimeout = 1, time.Minute
	diff(t, "team", &Team{
		Dir:      dir,
		Name:     "Blue",
		Person:   "Ada",
		People:   []string{"Grace", "Alan T."},
		Model:    Model{Provider: "scripted", Name: "script.yaml"},
		Store:    Store{Driver: SQLite, Path: filepath.Join(dir, "db", "team.db")},
		Data:     filepath.Join(dir, "state"),
		Listen:   ":8080",
		Workers:  2,
		Memory:   1 << 30,
		Toolsets: []string{"contact"},
		Lease:    30 * time.Second,
		Grace:    5 * time.Second,
		Workspace: Workspace{Folder: filepath.Join(dir, "src"), Unsandboxed: true, Network: true,
			Readable: []string{"/opt/sdk", filepath.Join(dir, "tools")}, Environment: []string{"CARGO_HOME"}},
		Limits: limits,
		Agents: []*Agent{{
			Name: "Bob", Description: "Answers questions.", Kind: parley.Native,
			Model: Model{Provider: "ollama", Name: "llama3:8b"},
			Tools: []string{"Read", "Grep"}, Toolsets: []string{"contact"},
			Limits: &bobs, Instructions: "You are Bob.", File: "agents/bob.md",
			Manager: "ada", Role: "librarian",
			Mode: "write", Behavior: "autonomous", Profile: Profile{Preset: "standard"}, Shared: "write",
		}, {
			Name: "claude", Kind: parley.Client,
			Tools: []string{"a", "b"}, Toolsets: []string{"contact"},
			Limits: &limits, File: "agents/claude.md",
			Mode: "write", Behavior: "autonomous", Profile: Profile{Preset: "standard"}, Shared: "read",
		}},
	}, team)
}

func TestInstructionsAreInOrder(t *testing.T) {
	team, found := load(t, teamDir(t, `
-- parley.yaml --
model: scripted:s.yaml
-- agents/_shared/b.md --
Shared B.
-- agents/_shared/a.md --
Shared A.
-- agents/_shared/note.txt --
Not Markdown.
-- agents/ann/agent.md --
---
description: Ann
---
Body.

-- agents/ann/MEMORY.md --
Memory.
-- agents/ann/IDENTITY.md --

Identity.

-- agents/ann/SOUL.md --
-- agents/ann/NOTES.md --
Not an identity file.
-- agents/ben.md --
-- agents/README.md --
About these agents.
-- agents/.hidden.md --
No agent.
`))
	diff(t, "problems", []string(nil), found)
	got := map[string]string{}
	for _, a := range team.Agents {
		got[a.Name+" in "+a.File] = a.Instructions + " | " + a.Knowledge()
	}
	diff(t, "instructions", map[string]string{
		"ann in agents/ann/agent.md": "Body.\n\nIdentity. | Memory.\n\nShared A.\n\nShared B.",
		"ben in agents/ben.md":       " | Shared A.\n\nShared B.",
	}, got)
}

func TestOneBrokenFileLeavesTheRest(t *testing.T) {
	team, found := load(t, teamDir(t, `
-- parley.yaml --
model: scripted:s.yaml
-- agents/ann.md --
-- agents/broken.md --
---
manager: one: two
---
-- agents/cy.md --
`))
	diff(t, "problems", []string{"agents/broken.md:2: This is not valid YAML: mapping value is not allowed in this context. " +
		"Put a text that contains a colon in quotes."}, found)
	diff(t, "agents", []string{"ann", "cy"}, names(team))
}

func TestFolderWithoutTeam(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct{ dir, want string }{
		"no folder": {filepath.Join(dir, "nowhere"),
			"There is no folder " + filepath.Join(dir, "nowhere") + ". parley init makes a new team."},
		"no parley.yaml": {dir,
			"There is no team in " + dir + ": it has no parley.yaml. parley init makes a new team."},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Load(tc.dir)
			if err == nil || err.Error() != tc.want || parley.KindOf(err) != parley.NotFound {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// A command that only has to find the hub does not read the agents.
func TestTheDataFolderIsFoundWithoutTheAgents(t *testing.T) {
	dir := teamDir(t, "-- parley.yaml --\nperson: Ada\ndata: elsewhere\n-- agents --\nnot a folder\n")
	if _, _, err := Load(dir); err == nil {
		t.Fatal("the agents can be read")
	}
	data, err := DataFolder(dir)
	diff(t, "data", filepath.Join(dir, "elsewhere"), data)
	diff(t, "error", nil, err)
}
