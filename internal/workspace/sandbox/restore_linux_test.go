package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A command changes modes and times of files that it may only read. Afterwards they are
// as before, also if another command runs meanwhile, and what a person has written
// stays.
func TestModesAndTimesArePutBack(t *testing.T) {
	inEach(t, func(t *testing.T, s *Sandbox) {
		if s.Kind == Unsandboxed {
			return // nothing is protected there
		}
		agents, secret := filepath.Join(s.Workspace, "agents"), filepath.Join(s.Workspace, "parley.yaml")
		file, edited := filepath.Join(agents, "a.md"), filepath.Join(agents, "b.md")
		before := time.Unix(1_700_000_000, 0)
		if err := os.MkdirAll(agents, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{file, edited, secret, agents} {
			if path != agents {
				if err := os.WriteFile(path, []byte("text"), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chtimes(path, before, before); err != nil {
				t.Fatal(err)
			}
		}
		s.ReadOnly, s.Hidden, s.Readable = []string{agents}, []string{secret}, []string{filepath.Dir(os.Args[0])}
		// Another command has begun before and goes on.
		ctx, cancel := context.WithCancel(t.Context())
		other := make(chan struct{})
		go func() {
			defer close(other)
			_, _ = s.Run(ctx, Command{Script: "touch " + s.temporary() + "/begun; sleep 100", Dir: s.Workspace, Time: time.Minute})
		}()
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for _, err := os.Stat(s.temporary() + "/begun"); err != nil; _, err = os.Stat(s.temporary() + "/begun") {
			<-tick.C
		}
		for range 2 {
			run(t, s, "touch -c -d @1 agents/a.md agents/b.md agents parley.yaml; "+os.Args[0]+" "+openAll+" agents/a.md agents")
		}
		if err := os.WriteFile(edited, []byte("new!"), 0o640); err != nil {
			t.Fatal(err)
		}
		wrote, err := os.Stat(edited)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		<-other
		for path, mode := range map[string]os.FileMode{file: 0o640, secret: 0o640, agents: 0o755 | os.ModeDir} {
			if info, err := os.Stat(path); err != nil || info.Mode() != mode || !info.ModTime().Equal(before) {
				t.Errorf("%s is now %v of %v, %v", path, info.Mode(), info.ModTime(), err)
			}
		}
		if info, err := os.Stat(edited); err != nil || !info.ModTime().Equal(wrote.ModTime()) {
			t.Errorf("what a person wrote at %v is of %v, %v", wrote.ModTime(), info.ModTime(), err)
		}
	})
}
