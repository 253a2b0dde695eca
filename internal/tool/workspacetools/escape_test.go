package workspacetools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/workspace"
)

// escapes are paths that lead to what nobody may reach.
func escapes(w *world) map[string]string {
	return map[string]string{
		"up":                          "../outside/secret.go",
		"up from below":               "src/../../outside/secret.go",
		"up many":                     strings.Repeat("../", 40) + "etc/passwd",
		"up with a dot":               "./../outside/secret.go",
		"up with two slashes":         "src//..//../outside/secret.go",
		"up through what is not":      "nowhere/../../outside/secret.go",
		"the folder above":            "..",
		"absolute":                    filepath.Join(w.base, "outside/secret.go"),
		"absolute into the workspace": filepath.Join(w.dir, ".parley/hub.token"),
		"absolute with more slashes":  "//" + w.base + "/outside/secret.go",
		"a password file":             "/etc/passwd",
		"the environment of the hub":  "/proc/self/environ",
		"the root of a process":       "/proc/self/root/etc/passwd",
		"a file that is open":         "/proc/self/fd/0",
		"backslashes":                 `..\outside\secret.go`,
		"a drive":                     `C:\secret.go`,
		"a NUL":                       "src/main.go\x00.txt",
		"a NUL before dots":           "\x00/../../outside/secret.go",
		"a line end":                  "src/main.go\n../../outside/secret.go",
		"a carriage return":           "..\r/outside/secret.go",
		"a very long name":            strings.Repeat("a", 5000),
		"a very long path":            strings.Repeat("a/", 3000) + "x",
		"a long part":                 strings.Repeat("b", 300) + "/x",
		"empty":                       "",
		"a link to a file outside":    "link-file",
		"a link to a folder outside":  "link-dir/secret.go",
		"an absolute link":            "link-absolute",
		"a link to a link outside":    "link-link",
		"a link up from a folder":     "src/link-up/outside/secret.go",
		"a link in a circle":          "link-circle",
		"a link to root":              "link-root/etc/passwd",
		"a link to /proc":             "link-proc/environ",
		"the data folder":             ".parley/hub.token",
		"the database":                ".parley/parley.db",
		"the data by a link":          "link-data/hub.token",
		"the token by a link":         "link-token",
		"the token by a hard link":    "hard-token",
		"the data with dots":          "src/../.parley/./hub.token",
		"the data itself":             ".parley",
		"the team's file":             "parley.yaml",
		"the team's file by a link":   "link-yaml",
		"the team's file, hard":       "hard-yaml",
		"the team's file with dots":   "./src/../parley.yaml",
		"the data in capitals":        ".PARLEY/none",
		"the team's file in capitals": "PARLEY.YAML",
		"a tilde":                     "~/.ssh/id_rsa/../../../../../outside/secret.go",
		"dots of full width":          "．．/outside/secret.go",
		"slashes that look alike":     "..∕outside∕secret.go",
		"encoded dots":                "%2e%2e/outside/secret.go",
		"a pipe":                      "pipe",
	}
}

func (w *world) setTraps() {
	w.Helper()
	w.link("../outside/secret.go", "link-file")
	w.link("../outside", "link-dir")
	w.link(filepath.Join(w.base, "outside/secret.go"), "link-absolute")
	w.link("link-file", "link-link")
	w.link("../..", "src/link-up")
	w.link("link-circle", "link-circle")
	w.link("/", "link-root")
	w.link("/proc/self", "link-proc")
	w.link(".parley", "link-data")
	w.link("src/../.parley/hub.token", "link-token")
	w.link("parley.yaml", "link-yaml")
	w.link(".git", "link-git")
	w.link("agents", "link-agents")
	w.link("../outside/new.txt", "link-new")
	for from, to := range map[string]string{".parley/hub.token": "hard-token", "parley.yaml": "hard-yaml"} {
		if err := os.Link(filepath.Join(w.dir, from), filepath.Join(w.dir, to)); err != nil {
			w.Fatal(err)
		}
	}
	makePipe(w.T, filepath.Join(w.dir, "pipe"))
}

// Every path through every tool: each call is refused, shows nothing and changes
// nothing.
func TestNoPathLeavesTheWorkspace(t *testing.T) {
	w := newWorld(t)
	w.setTraps()
	before := w.guarded()
	for name, path := range escapes(w) {
		for tool, args := range map[string]map[string]any{
			"read_file":     {"path": path},
			"list_symbols":  {"path": path},
			"grep":          {"path": path, "pattern": "."},
			"write_file":    {"path": path, "content": "x"},
			"replace_block": {"path": path, "digest": "0", "old_text": "a", "new_text": "x"},
		} {
			if made := tool == "write_file" && strings.Contains("a tilde dots of full width slashes that look alike encoded dots backslashes a drive", name); made {
				continue // a strange name, but one within
			}
			if tool == "grep" && name == "empty" {
				continue // the whole workspace
			}
			text, err := w.call(tool, args)
			if name == "a pipe" && tool == "grep" {
				err = os.ErrInvalid // it is passed over
			}
			if err == nil || strings.Contains(text, secret) {
				t.Errorf("%s %s: %q was not refused: %q", tool, name, path, text)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s %s: the refusal shows it: %v", tool, name, err)
			}
		}
	}
	if after := w.guarded(); after != before {
		t.Errorf("something was changed:\n%s\nwas\n%s", after, before)
	}
}

// What git, the rules and the shared files are made of can be read, but changed
// by no spelling.
func TestWhatIsProtectedIsNotWritten(t *testing.T) {
	w := newWorld(t)
	w.setTraps()
	before := w.guarded()
	for _, path := range []string{
		"agents/writer.md", "agents/new.md", "agents/new/agent.md", "AGENTS/../agents/writer.md", "link-agents/writer.md", "link-agents/new.md",
		"agents/_shared/a.md", "agents/_shared/new.md", "agents/_shared/sub/new.md", "agents/_shared/../writer.md",
		".git/config", ".git/hooks/pre-commit", ".git/new/x", ".GIT/hooks/pre-commit", "link-git/hooks/pre-commit", "src/.git/hooks/pre-commit", "src/.git",
		"link-new", "link-dir/new.txt", "src/link-up/new.txt", "link-root/tmp/parley-escape",
	} {
		for _, digest := range []string{"", "000000000000"} {
			if text, err := w.call("write_file", map[string]any{"path": path, "content": "x", "digest": digest}); err == nil {
				t.Errorf("%s was written: %s", path, text)
			}
		}
		if text, err := w.call("replace_block", map[string]any{"path": path, "digest": "0", "old_text": "You", "new_text": "x"}); err == nil {
			t.Errorf("%s was changed: %s", path, text)
		}
	}
	for _, path := range []string{"agents/_shared/x.txt", "agents/_shared/sub/x.md", "agents/writer.md", "agents/x.md", ".git/config", "parley.yaml"} {
		if text, err := w.callAs(workspace.Access{Shared: true}, "write_file", map[string]any{"path": path, "content": "x"}); err == nil {
			t.Errorf("%s was written with shared: write: %s", path, text)
		}
	}
	if after := w.guarded(); after != before {
		t.Errorf("something was changed:\n%s\nwas\n%s", after, before)
	}
	if _, err := w.callAs(workspace.Access{Shared: true}, "write_file", map[string]any{"path": "agents/_shared/last-run.md", "content": "Done.\n"}); err != nil {
		t.Errorf("an agent with shared: write may keep the shared files: %v", err)
	}
	w.must("read_file", map[string]any{"path": "agents/writer.md"})
}

func TestNoPatternLeavesTheWorkspace(t *testing.T) {
	w := newWorld(t)
	w.setTraps()
	for _, pattern := range []string{"../**", "../outside/*", "src/../../**", "/**", "/etc/*", "{..,src}/*", "{src,../outside}/**", "*/../../outside/*", "link-dir/**", "link-root/etc/*",
		"src/link-up/**", ".parley/*", ".parley/**", "link-data/*", "**/hub.token", "**/*.token", "[.]parley/*", ".[p]arley/**", "?parley/*", "parley.yaml", "**/parley.yaml", "hard-*"} {
		text, err := w.call("glob", map[string]any{"pattern": pattern, "ignored": true})
		for _, leak := range []string{"secret", "hub.token", "passwd", "parley.db", "parley.yaml", "hard-"} {
			if err == nil && strings.Contains(text, leak) {
				t.Errorf("%s finds %q", pattern, text)
			}
		}
		text, err = w.call("grep", map[string]any{"pattern": secret, "include": pattern, "ignored": true})
		if err == nil && !strings.HasPrefix(text, "Nothing matches.") {
			t.Errorf("an include of %s finds %q", pattern, text)
		}
	}
	if text := w.must("grep", map[string]any{"pattern": "SECRET", "ignored": true}); !strings.HasPrefix(text, "Nothing matches.") {
		t.Errorf("a search in everything finds %q", text)
	}
	if text := w.must("glob", map[string]any{"pattern": "**", "ignored": true}); strings.Contains(text, ".parley") || strings.Contains(text, "link-") || strings.Contains(text, "hub.token") {
		t.Errorf("everything is %s", text)
	}
}
