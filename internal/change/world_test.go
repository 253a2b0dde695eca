package change_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/change"
	"parley/internal/contact"
	"parley/internal/store"
	"parley/internal/store/memtest"
	"parley/internal/workspace"
	"parley/internal/workspace/sandbox"
)

func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// site is a team in memory whose agents change files in a folder.
type site struct {
	testing.TB
	store *memtest.Store
	hub   *app.Hub
	team  parley.TeamID
	dir   string
	space *workspace.Workspace
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{TB: t, store: memtest.Open(t)}
	s.hub = app.NewHub(app.HubConfig{Store: s.store, Log: slog.New(slog.DiscardHandler)})
	roster := app.Roster{Team: "main", Members: []app.Member{
		{Name: "Pat", Kind: parley.Person, Limits: parley.DefaultLimits()},
		{Name: "Ann", Kind: parley.Native, Limits: parley.DefaultLimits()},
		{Name: "Bob", Kind: parley.Native, Limits: parley.DefaultLimits()},
	}}
	team, err := s.hub.Join(t.Context(), roster)
	if err != nil {
		t.Fatal(err)
	}
	s.team = team.ID
	s.workspace(nil)
	return s
}

// workspace opens a new folder as the team's.
func (s *site) workspace(box *sandbox.Sandbox) {
	s.Helper()
	base, err := filepath.EvalSymlinks(s.TempDir())
	if err != nil {
		s.Fatal(err)
	}
	s.dir = filepath.Join(base, "work")
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		s.Fatal(err)
	}
	s.write("../outside/secret", "secret")
	if box != nil {
		if box, err = sandbox.Find(s.Context(), sandbox.Config{Workspace: s.dir, Scratch: filepath.Join(base, "scratch"), Only: box.Kind, Unsandboxed: true}); err != nil {
			s.Fatal(err)
		}
	}
	s.space, err = workspace.Open(workspace.Config{Folder: s.dir, Team: filepath.Join(base, "team"), Sandbox: box})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = s.space.Close() })
	s.hub.Changes.Serve(s.team, func(parley.ChangePlace, string) change.Files { return s.space })
}

func (s *site) as(name string) access.Caller {
	s.Helper()
	e, err := s.hub.Directory.Find(s.team, name)
	if err != nil {
		s.Fatal(err)
	}
	return access.Caller{Team: s.team, Agent: e.ID}
}

// task gives somebody work.
func (s *site) task(name string) access.Caller {
	s.Helper()
	made, err := s.hub.Contacts.Delegate(s.Context(), s.as("Pat"), contact.Request{Target: name, Message: "Work."})
	if err != nil {
		s.Fatal(err)
	}
	c := s.as(name)
	c.Task = made.Task.ID
	return c
}

// below gives somebody a part of a task's work.
func (s *site) below(l parley.Lease, name string) access.Caller {
	s.Helper()
	from := access.Caller{Team: l.Team, Agent: l.Agent, Task: l.Task, Token: l.Token, Budget: l.Budget}
	made, err := s.hub.Contacts.Delegate(s.Context(), from, contact.Request{Target: name, Message: "Help."})
	if err != nil {
		s.Fatal(err)
	}
	c := s.as(name)
	c.Task = made.Task.ID
	return c
}

func (s *site) end(c access.Caller) {
	s.Helper()
	if err := s.hub.Contacts.Cancel(s.Context(), s.as("Pat"), c.Task); err != nil {
		s.Fatal(err)
	}
}

// recorder stores changes as a turn does.
func (s *site) recorder(c access.Caller, ids *[]parley.ChangeID) workspace.Record {
	return func(list ...parley.Change) error {
		return s.store.Update(context.Background(), func(tx *store.Tx) error {
			for _, one := range list {
				one.Team, one.Task, one.Agent = c.Team, c.Task, c.Agent
				tx.InsertChange(&one)
				*ids = append(*ids, one.ID)
			}
			return nil
		})
	}
}

func (s *site) settle(ids []parley.ChangeID) {
	s.Helper()
	s.update(func(tx *store.Tx) {
		for _, id := range ids {
			tx.SettleChange(id)
		}
	})
}

func (s *site) update(do func(tx *store.Tx)) {
	s.Helper()
	if err := s.store.Update(context.Background(), func(tx *store.Tx) error { do(tx); return nil }); err != nil {
		s.Fatal(err)
	}
}

// put writes a file with the tool, whatever it says now.
func (s *site) put(c access.Caller, name, content string) error {
	s.Helper()
	digest := ""
	if page, err := s.space.ReadFile(workspace.Reading{Path: name}); err == nil {
		digest = page.Digest
	}
	var ids []parley.ChangeID
	_, err := s.space.WriteFile(workspace.Access{}, workspace.Writing{Path: name, Content: content, Digest: digest, Record: s.recorder(c, &ids)})
	if err == nil {
		s.settle(ids)
	}
	return err
}

// run runs a command.
func (s *site) run(c access.Caller, script string) {
	s.Helper()
	var ids []parley.ChangeID
	_, err := s.space.Shell(s.Context(), workspace.Command{Script: script, Limit: time.Minute,
		Record: func(_ context.Context, list []parley.Change) error { return s.recorder(c, &ids)(list...) }})
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) undo(c access.Caller, o change.Options) (change.Undone, error) {
	return s.hub.Changes.Undo(context.Background(), s.as("Pat"), c.Task, o)
}

func (s *site) diff(c access.Caller) change.Diff {
	s.Helper()
	d, err := s.hub.Changes.Diff(context.Background(), s.as("Pat"), c.Task, false)
	if err != nil {
		s.Fatal(err)
	}
	return d
}

func (s *site) write(name, content string) {
	s.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.Fatal(err)
	}
}

func (s *site) read(name string) string {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(data)
}

// tree is everything in the folder: paths, modes, contents, and where links lead to.
func (s *site) tree() string {
	s.Helper()
	var b strings.Builder
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		said, _ := os.ReadFile(path)
		if d.Type()&fs.ModeSymlink != 0 {
			target, _ := os.Readlink(path)
			said = []byte(target)
		}
		fmt.Fprintf(&b, "%q %v %q\n", strings.TrimPrefix(path, s.dir), info.Mode(), said)
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return b.String()
}
