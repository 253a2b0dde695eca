// Package sandbox runs commands that a model made up. A command sees the system's
// programs read-only, the workspace writable, and of the hub nothing: neither its
// data folder nor its processes. It runs under bubblewrap where that works, else
// under Landlock, and without either only if the team's files say so.
//
// A command never outlives its call: whatever it has started ends with it, also
// what went into the background, another process group or another session.
package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"parley"
)

// Kind is what keeps a command in.
type Kind string

const (
	Bubblewrap  Kind = "bubblewrap"
	Landlock    Kind = "Landlock"
	Unsandboxed Kind = "unsandboxed"
)

// Config says what commands may see and change. All paths are absolute.
type Config struct {
	// Workspace is writable, except what follows.
	Workspace string
	// ReadOnly and Hidden are files and folders in the workspace; a command can
	// change neither, and cannot read what is hidden.
	ReadOnly, Hidden []string
	// Scratch is made for commands: it holds their home and their temporary files.
	Scratch string
	// Readable are further folders that commands may read.
	Readable []string
	// Network lets commands reach the network.
	Network bool
	// Environment names variables that commands get besides the usual ones.
	Environment []string
	// Unsandboxed lets commands run with nothing that keeps them in, where nothing
	// works.
	Unsandboxed bool
	// Only allows one kind instead of the best that works.
	Only Kind
}

// Sandbox runs commands. It is safe for concurrent use.
type Sandbox struct {
	Config
	Kind Kind
}

// errNone says that commands cannot be run here.
var errNone = parley.Errorf(parley.Unavailable, "There is no sandbox for shell commands on this machine: neither bubblewrap nor Landlock works.").
	WithHint("Install bubblewrap, or use Linux 6.12 or newer with Landlock. unsandboxed: true under workspace in parley.yaml runs commands without one.")

// Find tries what keeps commands in, by running one, and takes the best. Each
// reason why something does not work is in the error's cause.
func Find(ctx context.Context, cfg Config) (*Sandbox, error) {
	if err := cfg.prepare(); err != nil {
		return nil, err
	}
	var reasons []error
	for _, kind := range []Kind{Bubblewrap, Landlock, Unsandboxed} {
		if cfg.Only != "" && cfg.Only != kind || kind == Unsandboxed && !cfg.Unsandboxed {
			continue
		}
		s := &Sandbox{Config: cfg, Kind: kind}
		err := s.try(ctx)
		if err == nil {
			return s, nil
		}
		reasons = append(reasons, err)
	}
	return nil, errNone.WithCause(errors.Join(reasons...))
}

// prepare makes the scratch folder and resolves links in what will be compared.
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

// try runs a command that does nothing.
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
