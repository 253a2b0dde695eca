package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// hubEnv makes the test's own binary a hub that runs commands until it is killed. It is
// the kind of sandbox.
const hubEnv = "TEST_HUB"

// openAll as the first argument makes it a program that changes the modes of files.
const openAll = "open-all"

func TestMain(m *testing.M) {
	if code, child := Child(os.Args[1:]); child {
		os.Exit(code)
	}
	if kind := os.Getenv(hubEnv); kind != "" {
		beHub(Kind(kind), os.Args[1])
	}
	if len(os.Args) > 2 && os.Args[1] == openAll {
		for _, path := range os.Args[2:] {
			f, err := os.Open(path)
			fmt.Println(err, f.Chmod(0o777)) // through the open file, which Landlock allows
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beHub runs many commands at once until it is killed. It writes a line as each begins.
func beHub(kind Kind, dir string) {
	s, err := Find(context.Background(), configIn(dir, kind))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for i := range commandsAtOnce {
		script := ": " + dir + "; setsid sleep 77777 & sleep 0.01; (sleep 77777 &)"
		if i == 0 {
			script += "; sleep 77777" // this one goes on
		}
		go func() {
			for {
				fmt.Println("begins")
				_, _ = s.Run(context.Background(), Command{Script: script, Dir: s.Workspace, Time: time.Hour})
			}
		}()
	}
	select {}
}

const (
	commandsAtOnce = 12
	killedHubs     = 6
)

func configIn(dir string, kind Kind) Config {
	work := filepath.Join(dir, "work")
	_ = os.Mkdir(work, 0o755) // it may be there already
	return Config{Workspace: work, Scratch: filepath.Join(dir, "scratch"), Only: kind, Unsandboxed: kind == Unsandboxed}
}
