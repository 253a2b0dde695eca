package memory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley"
	"parley/internal/memory"
	"parley/internal/store/sqlite"
	"parley/internal/workspace"
)

// A turn on a hub that does not have the agent's memory is told what to do instead.
func TestThereIsNoMemoryHere(t *testing.T) {
	m := memory.Service{Find: func(parley.AgentID) (memory.Place, bool) { return memory.Place{}, false }}
	_, err := m.Remember(t.Context(), parley.Lease{}, memory.Note{Text: "The cache is in Redis."})
	if parley.KindOf(err) != parley.Unavailable || !strings.Contains(err.Error(), "into your result") {
		t.Errorf("refused with %v", err)
	}
}

// folder is where a memory is. The first change that it has made waits a while before it
// returns, so that another one comes in between if that is possible.
type folder struct {
	*workspace.Workspace
	kept    atomic.Int32
	between atomic.Bool
}

func (f *folder) Keep(path string, change func(string) (string, error), record func(...parley.Change) error) (string, error) {
	text, err := f.Workspace.Keep(path, func(old string) (string, error) {
		runtime.Gosched()
		return change(old)
	}, record)
	if f.kept.Add(1) == 1 {
		for range 200_000 {
			runtime.Gosched()
		}
		f.between.Store(f.kept.Load() > 1)
	}
	return text, err
}

// Two turns of an agent remember at the same time: the file has every note, and the
// prompt, which hears of one change after the other, ends as the file does.
func TestTwoTurnsRememberAtOnce(t *testing.T) {
	dir := t.TempDir()
	s, err := sqlite.Open(filepath.Join(dir, "db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	space, err := workspace.Open(workspace.Config{Folder: dir, Team: dir, Memory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = space.Close() }()
	files := &folder{Workspace: space}
	prompt := "" // unguarded: it hears of one change at a time
	m := memory.Service{Store: s, Changed: func(_ parley.AgentID, text string) {
		prompt = text
	}, Find: func(parley.AgentID) (memory.Place, bool) { return memory.Place{Files: files, Path: "MEMORY.md"}, true }}
	const each = 8
	var turns sync.WaitGroup
	for turn := range 2 {
		turns.Go(func() {
			for i := range each {
				note := memory.Note{Text: fmt.Sprintf("turn %d note %d.", turn, i)}
				if _, err := m.Remember(t.Context(), parley.Lease{}, note); err != nil {
					t.Error(err)
				}
			}
		})
	}
	turns.Wait()
	if files.between.Load() {
		t.Error("another change came between a change and the prompt")
	}
	data, err := os.ReadFile(filepath.Join(dir, "MEMORY.md"))
	if err != nil || string(data) != prompt || strings.Count(prompt, "\n") != 2*each {
		t.Errorf("%v; the file has %d lines, the prompt %d", err, strings.Count(string(data), "\n"), strings.Count(prompt, "\n"))
	}
	for turn := range 2 {
		for i := range each {
			if !strings.Contains(prompt, fmt.Sprintf("turn %d note %d.\n", turn, i)) {
				t.Errorf("note %d of turn %d is lost", i, turn)
			}
		}
	}
}
