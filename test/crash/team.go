package crash

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// person is whom the clients act as.
const person = "Pat"

// Agents of the team. Solo runs strictly one turn at a time, and Intern contacts
// nobody without approval. Quiz asks Guide questions, who passes them on to Sage.
var agents = []string{"Lead", "Data", "Ledger", "Ann", "Bob", "Cid", "Flaky", "Backup", "Solo", "Intern", "Quiz", "Guide", "Sage"}

// script is how the agents behave.
//
//go:embed testdata/script.yaml
var script string

// team says how a team's folder is written.
type team struct {
	store   string // empty: SQLite in the data folder
	lease   time.Duration
	grace   time.Duration
	workers int
	agents  []string // besides the usual ones
	// settings are further lines of parley.yaml, and files are written besides.
	settings string
	files    map[string]string
}

// write makes the folder.
func (m team) write(t testing.TB, dir string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "person: %s\nmodel: scripted:script.yaml\n", person)
	if m.store != "" {
		fmt.Fprintf(&b, "store: '%s'\n", m.store)
	}
	if m.lease > 0 {
		fmt.Fprintf(&b, "lease: %s\n", m.lease)
	}
	if m.grace > 0 {
		fmt.Fprintf(&b, "grace: %s\n", m.grace)
	}
	if m.workers > 0 {
		fmt.Fprintf(&b, "workers: %d\n", m.workers)
	}
	// The load is not what an agent would do in a minute. And no ask runs out of
	// time, however long a hub is away.
	b.WriteString("limits:\n  rate: 100000\n  rescues: 100\n  ask_timeout: 12h\n  question_lifetime: 12h\n")
	b.WriteString("toolsets: [contact, loom]\n")
	b.WriteString("channels:\n  - {name: floor, members: [Lead, Ann, Bob]}\n")
	files := map[string]string{"parley.yaml": b.String() + m.settings, "script.yaml": script}
	maps.Copy(files, m.files)
	for _, name := range append(m.agents, agents...) {
		front := ""
		switch name {
		case "Solo":
			front = "limits:\n  turns: 1\n"
		case "Intern":
			front = "behavior: supervised\n"
		case "Quiz", "Guide", "Sage":
			front = "toolsets: loom\n"
		}
		files["agents/"+name+".md"] = "---\nname: " + name + "\n" + front + "---\nYou follow a script.\n"
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
