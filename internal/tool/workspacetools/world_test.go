package workspacetools

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/tool"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// secret is in everything that nobody may read through the tools.
const secret = "TOP-SECRET-CONTENT"

// world is a team's folder that is also its workspace, with something beside it.
type world struct {
	*testing.T
	base, dir string
	space     *workspace.Workspace
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, base: base, dir: filepath.Join(base, "team")}
	for name, content := range map[string]string{
		"outside/secret.txt":        secret,
		"outside/secret.go":         "package outside\n\nconst S = \"" + secret + "\"\n",
		"team/parley.yaml":          "store: postgres://hub:" + secret + "@db/parley\n",
		"team/agents/writer.md":     "You write.\n",
		"team/agents/_shared/a.md":  "Shared.\n",
		"team/.parley/hub.token":    secret,
		"team/.parley/parley.db":    secret,
		"team/.git/config":          "[core]\n",
		"team/.git/hooks/README.md": "hooks\n",
		"team/src/main.go":          "package main\n\n// main runs.\nfunc main() {\n\tprintln(1)\n}\n",
		"team/README.md":            "Readme.\n",
	} {
		w.write(name, content)
	}
	w.open(nil)
	return w
}

// open opens the workspace, with a sandbox or without.
func (w *world) open(box *sandbox.Sandbox) {
	w.Helper()
	cfg := w.config()
	cfg.Sandbox = box
	space, err := workspace.Open(cfg)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if err := space.Close(); err != nil {
			w.Error(err)
		}
	})
	w.space = space
}

func (w *world) config() workspace.Config {
	return workspace.Config{Folder: w.dir, Team: w.dir, Hidden: []string{filepath.Join(w.dir, ".parley")}}
}

func (w *world) write(name, content string) {
	w.Helper()
	path := filepath.Join(w.base, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(w.base, name))
	if err != nil {
		w.Fatal(err)
	}
	return string(data)
}

func (w *world) link(target, name string) {
	w.Helper()
	if err := os.Symlink(target, filepath.Join(w.dir, name)); err != nil {
		w.Fatal(err)
	}
}

// call calls a tool as a model does.
func (w *world) call(name string, args map[string]any) (string, error) {
	w.Helper()
	return w.callAs(workspace.Access{}, name, args)
}

func (w *world) callAs(a workspace.Access, name string, args map[string]any) (string, error) {
	w.Helper()
	tl, ok := tool.Find(New(w.space, a), name)
	if !ok {
		w.Fatalf("there is no tool %s", name)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		w.Fatal(err)
	}
	if action, ok := tl.ActionOf(raw); !ok || !strings.HasPrefix(action, "tool:") {
		w.Errorf("%s says %q to the rules", name, action)
	}
	res, err := tl.Prepare(raw).Run(w.Context(), tool.Call{})
	if err != nil && parley.KindOf(err) == parley.Internal {
		w.Errorf("%s %s: a fault and not a refusal: %v", name, raw, err)
	}
	return res.Text, err
}

// must calls a tool that has to succeed.
func (w *world) must(name string, args map[string]any) string {
	w.Helper()
	text, err := w.call(name, args)
	if err != nil {
		w.Fatalf("%s: %v", name, err)
	}
	return text
}

// guarded is a print of everything that no tool may change.
func (w *world) guarded() string {
	w.Helper()
	var b strings.Builder
	for _, top := range []string{"outside", "team/parley.yaml", "team/agents", "team/.parley/hub.token", "team/.parley/parley.db", "team/.git"} {
		err := filepath.WalkDir(filepath.Join(w.base, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			data, _ := os.ReadFile(path)
			info, err := d.Info()
			fmt.Fprintf(&b, "%s %v %x\n", path, info.Mode(), sha256.Sum256(data))
			return err
		})
		if err != nil {
			w.Errorf("what is guarded is gone: %v", err)
		}
	}
	return b.String()
}
