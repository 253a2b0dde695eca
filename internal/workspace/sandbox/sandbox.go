// Package sandbox runs commands that a model wrote. A command sees the system's
// programs read-only, the workspace writable, and nothing of the hub: neither its
// data folder nor its processes. It runs under bubblewrap where that works, else
// under Landlock, and without either only if the team's files say so.
//
// A command never outlives its call: everything that it has started ends with it,
// even in the background, in another process group or in another session. It does not
// outlive the hub either: a process of ours supervises it and ends everything when the
// hub is gone, however that came. Servers, which are to run as long as the hub, are
// started in the same way.
package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley"
)

// Kind is what confines a command.
type Kind string

const (
	Bubblewrap  Kind = "bubblewrap"
	Landlock    Kind = "Landlock"
	Unsandboxed Kind = "unsandboxed"
)

// Config says what commands may see and change. All paths are absolute.
type Config struct {
	// Workspace is writable, except for what follows, unless ReadsOnly is set.
	Workspace string
	ReadsOnly bool
	// ReadOnly and Hidden are files and folders in the workspace. A command can
	// change neither, and cannot read what is hidden.
	ReadOnly, Hidden []string
	// Scratch is created for commands: it holds their home and temporary files.
	Scratch string
	// Readable are further folders that commands may read. One that contains
	// something hidden is left out. Of a Shown one only what is hidden is left out.
	Readable, Shown []string
	// Network lets commands reach the network.
	Network bool
	// Environment names variables that commands get in addition to the usual ones.
	Environment []string
	// Limits bound what each command uses.
	Limits Limits
	// Unsandboxed lets commands run unconfined where nothing else works.
	Unsandboxed bool
	// Only restricts the choice to one kind.
	Only Kind

	etc etc // as Find found it, since looking takes a while
}

// Sandbox runs commands. It is safe for concurrent use.
type Sandbox struct {
	Config
	Kind Kind

	groups  groups
	keeping keeping
}

// errNone says that commands cannot be run here.
var errNone = parley.Errorf(parley.Unavailable, "There is no sandbox for shell commands on this machine: neither bubblewrap nor Landlock works.").
	WithHint("Install bubblewrap, or use Linux 6.12 or newer with Landlock. unsandboxed: true under workspace in parley.yaml runs commands without one.")

// Find tries each kind by running a command, and returns the best that works. The
// error's cause says why each of them does not.
func Find(ctx context.Context, cfg Config) (*Sandbox, error) {
	if err := cfg.prepare(); err != nil {
		return nil, err
	}
	cfg.etc = readEtc("/etc")
	var reasons []error
	found := findGroups(groupRoot, membership())
	for _, kind := range []Kind{Bubblewrap, Landlock, Unsandboxed} {
		if cfg.Only != "" && cfg.Only != kind || kind == Unsandboxed && !cfg.Unsandboxed {
			continue
		}
		for _, in := range slices.Compact([]groups{found, ""}) {
			s := &Sandbox{Config: cfg, Kind: kind, groups: in}
			err := s.try(ctx)
			if err == nil {
				return s, nil
			}
			reasons = append(reasons, err)
		}
	}
	return nil, errNone.WithCause(errors.Join(reasons...))
}

// prepare creates the scratch folder and resolves links in paths that will be
// compared.
func (c *Config) prepare() error {
	for _, dir := range []string{c.home(), c.temporary()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return parley.Errorf(parley.Internal, "The folder for commands cannot be made.").WithCause(err)
		}
	}
	for _, p := range []*string{&c.Workspace, &c.Scratch} {
		real, err := filepath.EvalSymlinks(*p)
		if err != nil {
			return parley.Errorf(parley.NotFound, "The folder %s cannot be used.", *p).WithCause(err)
		}
		*p = real
	}
	return nil
}

func (c *Config) home() string      { return filepath.Join(c.Scratch, "home") }
func (c *Config) temporary() string { return filepath.Join(c.Scratch, "tmp") }

// try runs a command that only exits.
func (s *Sandbox) try(ctx context.Context) error {
	out, err := s.Run(ctx, Command{Script: "exit 7", Dir: s.Workspace, Time: 10 * time.Second})
	switch {
	case err != nil:
		return err
	case out.Code != 7:
		return errors.New(string(s.Kind) + ": " + parley.Clip(out.Text, 300))
	}
	return nil
}
