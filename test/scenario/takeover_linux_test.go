package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/model"
	"parley/internal/pgtest"
	"parley/internal/policy"
	"parley/internal/store"
)

// diligent is a model that does what is still to be done, by what it is shown. Its
// provider fails at given steps, and then until it is repaired.
type diligent struct {
	fails  map[string]bool // steps that fail once: an agent, and how often it has replied
	waited chan struct{}   // closed when the lead has nothing left but to wait

	mu    sync.Mutex
	down  bool
	steps map[string]bool // that succeeded
}

func newDiligent(fails ...string) *diligent {
	d := &diligent{fails: map[string]bool{}, waited: make(chan struct{}), steps: map[string]bool{}}
	for _, step := range fails {
		d.fails[step] = true
	}
	return d
}

func (d *diligent) repair() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = false
}

func (d *diligent) Step(ctx context.Context, req model.Request, _ func(model.Delta)) (model.Reply, error) {
	if req.Agent == "helper" { // so that it has done nothing if it is cancelled with the lead
		select {
		case <-d.waited:
		case <-ctx.Done():
			return model.Reply{}, ctx.Err()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := talk(req.Messages)
	step := fmt.Sprintf("%s %d", req.Agent, seen.replies())
	d.down = d.down || d.fails[step]
	delete(d.fails, step)
	if d.down {
		return model.Reply{}, &model.Error{Class: model.Broken, Message: "The provider has a problem (500)."}
	}
	d.steps[step] = true
	reply := map[string]func(talk) model.Reply{"lead": leads, "reader": reads, "helper": helps}[req.Agent](seen)
	if reply.Text == "Waiting." {
		select {
		case <-d.waited:
		default:
			close(d.waited)
		}
	}
	return reply, nil
}

// talk is a conversation as a model reads it.
type talk []model.Message

func (s talk) replies() (n int) {
	for _, m := range s {
		if m.Role == model.Assistant && len(m.Calls) > 0 {
			n++
		}
	}
	return n
}

// did reports whether a call with this in its arguments was made.
func (s talk) did(what string) bool {
	return slices.ContainsFunc(s, func(m model.Message) bool {
		return slices.ContainsFunc(m.Calls, func(c model.Call) bool { return strings.Contains(string(c.Args), what) })
	})
}

func (s talk) read(what string) bool {
	return slices.ContainsFunc(s, func(m model.Message) bool { return m.Role != model.Assistant && strings.Contains(m.Text, what) })
}

// delegated reports whether somebody works for the agent: not if that was cancelled.
func (s talk) delegated() bool {
	for _, m := range s {
		_, rest, ok := strings.Cut(m.Text, "Delegated to helper (subtask ")
		if task, _, _ := strings.Cut(rest, ")"); ok && !s.read("\n- "+task+", helper: ") {
			return true
		}
	}
	return false
}

func (s talk) calls(tool string, args map[string]string) model.Reply {
	data, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return model.Reply{Calls: []model.Call{{ID: "call", Name: tool, Args: data}}}
}

func leads(s talk) model.Reply {
	switch {
	case !s.did("a.txt"):
		return s.calls("write_file", map[string]string{"path": "a.txt", "content": "Hello.\n"})
	case !s.did("echo one"):
		return s.calls("shell", map[string]string{"command": "echo one >> log.txt"})
	case !s.did("What is in it?"):
		return s.calls("contact_agent", map[string]string{"action": "ask", "agentId": "reader", "message": "What is in it?"})
	case !s.delegated():
		return s.calls("contact_agent", map[string]string{"action": "delegate", "agentId": "helper", "message": "Make b.txt."})
	case !s.did("echo two"):
		return s.calls("shell", map[string]string{"command": "echo two >> log.txt"})
	case !s.read("[Delegation Result from helper") || !s.read("It says hello."):
		return model.Reply{Text: "Waiting."}
	case !s.did("echo three"):
		return s.calls("shell", map[string]string{"command": "echo three >> log.txt"})
	case !s.did("done.txt"):
		return s.calls("write_file", map[string]string{"path": "done.txt", "content": "Done.\n"})
	}
	return model.Reply{Text: "All is done."}
}

func reads(s talk) model.Reply {
	switch {
	case !s.did("a.txt"):
		return s.calls("read_file", map[string]string{"path": "a.txt"})
	case !s.did("echo reader"):
		return s.calls("shell", map[string]string{"command": "echo reader >> log.txt"})
	}
	return model.Reply{Text: "It says hello."}
}

func helps(s talk) model.Reply {
	switch {
	case !s.did("echo helper"):
		return s.calls("shell", map[string]string{"command": "echo helper >> log.txt"})
	case !s.did("b.txt"):
		return s.calls("write_file", map[string]string{"path": "b.txt", "content": "B.\n"})
	}
	return model.Reply{Text: "B is there."}
}

// deliver has the team do its work, and resumes what has failed until it is done.
func deliver(t *testing.T, d *diligent, st store.Store) (files map[string]string, tasks int) {
	t.Helper()
	dir := repository(t)
	rules := &policy.Rules{Profile: profile(t, "open")}
	team := workIn(t, dir, Team{Agents: []string{"lead", "reader", "helper"}, Script: "agents: {}",
		Member: equip(map[string]*policy.Rules{"lead": rules, "reader": rules, "helper": rules})})
	s := raise(t, team, st, newModels(d))
	rutger := s.As("rutger")
	root := rutger.Delegate("lead", "Make the files.")
	for s.Wait(root).State == parley.TaskFailed {
		d.repair()
		if err := s.Contacts.Pause(t.Context(), rutger.Caller); err != nil {
			t.Fatal(err)
		}
		failed := root
		root = rutger.GoOn(root)
		for _, child := range s.Children(failed) {
			if child.State == parley.TaskFailed {
				rutger.GoOn(child.ID)
			}
		}
		if err := s.Contacts.Resume(t.Context(), rutger.Caller); err != nil {
			t.Fatal(err)
		}
	}
	s.Equal("result", "All is done.", s.Result(root))
	s.Stop()
	s.CheckPromises()
	files = map[string]string{}
	for _, name := range []string{"a.txt", "b.txt", "done.txt", "log.txt"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	lines := strings.Split(files["log.txt"], "\n")
	slices.Sort(lines)
	files["log.txt"] = strings.Join(lines, " ")
	return files, len(s.tasks())
}

var delivered = map[string]string{"a.txt": "Hello.\n", "b.txt": "B.\n", "done.txt": "Done.\n", "log.txt": " helper one reader three two"}

// A provider fails at any step of any of them, and then at all, until the work has
// failed. Resumed, it leaves the same files, and no command has run twice.
func TestWorkThatAProviderFailedAtAnyStepGoesOn(t *testing.T) {
	t.Parallel()
	whole := newDiligent()
	files, tasks := deliver(t, whole, OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
	if !maps.Equal(files, delivered) || tasks != 3 || len(whole.steps) != 14 {
		t.Fatalf("undisturbed: %q, %d tasks, steps %v", files, tasks, whole.steps)
	}
	for step := range whole.steps {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			files, tasks := deliver(t, newDiligent(step), OpenFile(t, filepath.Join(t.TempDir(), "parley.db")))
			if !maps.Equal(files, delivered) || tasks < 4 {
				t.Errorf("%q, %d tasks", files, tasks)
			}
		})
	}
}

// The same when each step of the lead fails once, so that it is resumed again and
// again.
func TestWorkThatAProviderFailsAtEveryStepGoesOn(t *testing.T) {
	t.Parallel()
	var each []string
	for n := range 7 {
		each = append(each, fmt.Sprintf("lead %d", n))
	}
	for name, st := range map[string]store.Store{
		"sqlite": OpenFile(t, filepath.Join(t.TempDir(), "parley.db")), "postgres": openPostgres(t, pgtest.DSN(t)),
	} {
		t.Run(name, func(t *testing.T) {
			files, tasks := deliver(t, newDiligent(each...), st)
			if !maps.Equal(files, delivered) || tasks != 13 { // eight of the lead, and four for the helper, of which three were cancelled
				t.Errorf("%q, %d tasks", files, tasks)
			}
		})
	}
}
