package filewatch_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/filewatch"
)

// wanted are the file top and everything in the folder in.
func wanted(name string) bool {
	return name == "top" || name == "in" || strings.HasPrefix(name, "in/")
}

type tree struct {
	t   *testing.T
	dir string
}

func (r tree) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r tree) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r tree) write(name string) {
	r.t.Helper()
	r.must(os.MkdirAll(filepath.Dir(r.path(name)), 0o700))
	r.must(os.WriteFile(r.path(name), []byte("text"), 0o600))
}

func grown(t *testing.T) tree {
	r := tree{t, t.TempDir()}
	for _, name := range []string{"top", "in/a", "in/sub/b", "other/c"} {
		r.write(name)
	}
	return r
}

func (r tree) open() *filewatch.Watcher {
	r.t.Helper()
	w, err := filewatch.Open(r.dir, wanted)
	r.must(err)
	r.t.Cleanup(func() { _ = w.Close() })
	return w
}

// Every way to change a file is told by its name, and nothing else is.
func TestChangesAreTold(t *testing.T) {
	for what, c := range map[string]struct {
		do   func(r tree)
		want []string
	}{
		"written":         {func(r tree) { r.write("in/a") }, []string{"in/a"}},
		"new":             {func(r tree) { r.write("in/new") }, []string{"in/new"}},
		"below":           {func(r tree) { r.write("in/sub/b") }, []string{"in/sub/b"}},
		"at the top":      {func(r tree) { r.write("elsewhere"); r.write("other/c"); r.write("top") }, []string{"top"}},
		"removed":         {func(r tree) { r.must(os.Remove(r.path("in/a"))) }, []string{"in/a"}},
		"moved":           {func(r tree) { r.must(os.Rename(r.path("in/a"), r.path("in/z"))) }, []string{"in/a", "in/z"}},
		"replaced":        {func(r tree) { r.write("draft"); r.must(os.Rename(r.path("draft"), r.path("in/a"))) }, []string{"in/a"}},
		"made executable": {func(r tree) { r.must(os.Chmod(r.path("in/a"), 0o700)) }, []string{"in/a"}},
		"a folder gone":   {func(r tree) { r.must(os.RemoveAll(r.path("in/sub"))) }, []string{"in/sub", "in/sub/b"}},
	} {
		t.Run(what, func(t *testing.T) {
			r := grown(t)
			w := r.open()
			c.do(r)
			names, err := w.Next()
			slices.Sort(names)
			if err != nil || !slices.Equal(names, c.want) {
				t.Errorf("told %v, %v; want %v", names, err, c.want)
			}
		})
	}
}

// A new folder is watched from its beginning, and a moved one where it is now.
func TestNewFoldersAreWatched(t *testing.T) {
	r := grown(t)
	w := r.open()
	tell := func(want string) {
		t.Helper()
		if names, err := w.Next(); err != nil || !slices.Contains(names, want) {
			t.Fatalf("told %v, %v; want %s", names, err, want)
		}
	}
	r.must(os.Mkdir(r.path("in/new"), 0o700))
	tell("in/new")
	r.write("in/new/c")
	tell("in/new/c")
	r.must(os.Rename(r.path("in/sub"), r.path("in/moved")))
	tell("in/moved")
	r.write("in/moved/b")
	tell("in/moved/b")
}

// Where something could be missed, the watcher says so instead of being silent.
func TestWhatCannotBeWatchedIsSaid(t *testing.T) {
	r := grown(t)
	r.must(os.Symlink("../other/c", r.path("in/link")))
	if _, err := filewatch.Open(r.dir, wanted); err == nil {
		t.Error("a file behind a link is watched")
	}
	r.must(os.Remove(r.path("in/link")))
	for what, do := range map[string]func(){
		"a new link":         func() { r.must(os.Symlink("../other/c", r.path("in/link"))) },
		"the folder is gone": func() { r.must(os.Rename(r.path("in"), r.path("away"))) },
	} {
		w := r.open()
		do()
		if _, err := w.Next(); !errors.Is(err, filewatch.ErrLost) {
			t.Errorf("%s: %v", what, err)
		}
		_ = os.Remove(r.path("in/link"))
		_ = os.Rename(r.path("away"), r.path("in"))
	}
}

func TestAClosedWatcherEnds(t *testing.T) {
	w := grown(t).open()
	ended := make(chan error)
	go func() {
		_, err := w.Next()
		ended <- err
	}()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("it goes on")
	}
}
