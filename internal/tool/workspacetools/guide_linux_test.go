package workspacetools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/workspace"
)

// However a command tries, what the owner of the workspace tells agents stays, and where
// there was nothing there is nothing afterwards.
func TestNoCommandWritesAGuide(t *testing.T) {
	inEachSandbox(t, func(w *world) {
		w.write("team/AGENTS.md", "Be kind.\n")
		w.write("team/docs/real.md", "Real.\n")
		for _, command := range []string{
			"echo x > AGENTS.md", "echo x >> ./agents/../AGENTS.md", "rm -f AGENTS.md", "mv AGENTS.md old.md", "echo x > n; mv n AGENTS.md", "ln -f src/main.go AGENTS.md",
			"ln -sf src/main.go AGENTS.md", "ln AGENTS.md src/second && echo x > src/second", "cp src/main.go AGENTS.md", "sed -i s/kind/evil/ AGENTS.md", "truncate -s 0 AGENTS.md",
			"echo x > CLAUDE.md", "rm -f CLAUDE.md; echo x > CLAUDE.md", "mkdir CLAUDE.md", "ln -s src/main.go CLAUDE.md", "echo x > n; mv -f n CLAUDE.md",
			"cd .. && mv team moved", "chmod 777 AGENTS.md; echo x > AGENTS.md",
		} {
			if _, err := w.shell(command); err != nil {
				t.Fatal(err)
			}
			if got := w.read("team/AGENTS.md"); got != "Be kind.\n" {
				t.Fatalf("after %s AGENTS.md says %q", command, got)
			}
			if _, err := os.Lstat(filepath.Join(w.dir, "CLAUDE.md")); !os.IsNotExist(err) {
				t.Fatalf("after %s there is a CLAUDE.md: %v", command, err)
			}
		}
		w.link("docs/real.md", "CLAUDE.md")
		for _, command := range []string{"echo x > CLAUDE.md", "echo x > docs/real.md", "mv docs d", "rm -f CLAUDE.md; echo x > CLAUDE.md", "rm -f CLAUDE.md"} {
			if _, err := w.shell(command); err != nil {
				t.Fatal(err)
			}
			if got := w.read("team/CLAUDE.md"); got != "Real.\n" {
				t.Fatalf("after %s CLAUDE.md says %q", command, got)
			}
		}
	})
}

func TestNoToolWritesAGuide(t *testing.T) {
	w := newWorld(t)
	w.write("team/AGENTS.md", "Be kind.\n")
	w.write("team/docs/real.md", "Real.\n")
	w.link("docs/real.md", "CLAUDE.md")
	w.link("AGENTS.md", "other.md")
	if err := os.Link(filepath.Join(w.dir, "AGENTS.md"), filepath.Join(w.dir, "hard.md")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"AGENTS.md", "agents.MD", "./src/../AGENTS.md", "other.md", "hard.md", "CLAUDE.md", "docs/real.md", "src/CLAUDE.md", "src/AGENTS.md", "claude.md/x"} {
		for _, digest := range []string{"", "000000000000"} {
			text, err := w.callAs(workspace.Access{Shared: true}, "write_file", map[string]any{"path": path, "content": "x", "digest": digest})
			if err == nil || !strings.Contains(err.Error(), "agents are told by it what to do") {
				t.Errorf("%s: %q, %v", path, text, err)
			}
		}
		if text, err := w.call("replace_block", map[string]any{"path": path, "digest": "0", "old_text": "a", "new_text": "x"}); err == nil {
			t.Errorf("%s was changed: %s", path, text)
		}
	}
	if w.read("team/AGENTS.md") != "Be kind.\n" || w.read("team/docs/real.md") != "Real.\n" {
		t.Error("a guide was changed")
	}
	if got := w.space.Guides(); len(got) != 2 || got[0].Text != "Be kind." || got[1].Text != "Real." {
		t.Errorf("guides: %+v", got)
	}
}
