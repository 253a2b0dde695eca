package sandbox

import (
	"context"
	"io"
	"os"
	"slices"
	"time"

	"parley"
)

// Command is a command to run.
type Command struct {
	Script string
	// Dir is a folder in the workspace, absolute.
	Dir string
	// ReadOnly are further files in the workspace that it cannot change.
	ReadOnly []string
	// Time is how long it may run.
	Time time.Duration
}

// Outcome is the result of a command.
type Outcome struct {
	Text string // both outputs in order, shortened in the middle
	Code int    // the exit code, or -1 if we ended it
	// TimedOut says that it was ended because its time was over.
	TimedOut bool
	// Exceeded names the limit that it ran into, if the kernel tells; see Limits.
	Exceeded string
}

// drain is how long output may still arrive after the last process has ended.
const drain = 2 * time.Second

// maxScript is the longest command; it has to fit into an argument.
const maxScript = 32 << 10

// Run runs a command and waits for its end. When the context is done, the command is
// ended with everything that it has started, and the error is the context's.
func (s *Sandbox) Run(ctx context.Context, c Command) (Outcome, error) {
	if len(c.Script) > maxScript {
		return Outcome{}, parley.Errorf(parley.Limited, "The command is longer than 32 KiB.").WithHint("Write a script with write_file and run that.")
	}
	timed, cancel := context.WithTimeout(ctx, c.Time)
	defer cancel()
	out := &excerpt{}
	group, err := s.groups.newGroup(s.Limits)
	if err != nil {
		return Outcome{}, parley.Errorf(parley.Failed, "The command could not be started.").WithCause(err)
	}
	defer group.end()
	code, err := s.run(timed, c, group, out)
	switch {
	case ctx.Err() != nil:
		return Outcome{}, context.Cause(ctx)
	case timed.Err() != nil:
		return Outcome{Text: out.String(), Code: -1, TimedOut: true}, nil
	case err != nil:
		return Outcome{}, parley.Errorf(parley.Failed, "The command could not be started.").WithCause(err)
	}
	return Outcome{Text: out.String(), Code: code, Exceeded: s.Limits.exceeded(code, group)}, nil
}

// run returns when the command's processes have ended. We use our own pipe, because
// exec would wait for whoever still holds its pipe before anybody ends them.
func (s *Sandbox) run(ctx context.Context, c Command, g *group, out io.Writer) (code int, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Close() }()
	cfg := s.Config
	cfg.ReadOnly = slices.Concat(cfg.ReadOnly, c.ReadOnly)
	if s.Kind == Landlock {
		defer s.keeping.begin(slices.Concat(cfg.ReadOnly, cfg.hiddenFiles()))()
	}
	p, err := cfg.process(s.Kind, job{Command: []string{shellPath(), "-c", c.Script}, Dir: c.Dir, Limits: s.Limits, Group: g.path()})
	if err != nil {
		_ = w.Close()
		return 0, err
	}
	p.Stdout, p.Stderr, p.Env = w, w, s.environment()
	err = p.Start()
	_ = w.Close()
	if err != nil {
		return 0, err
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(out, r)
	}()
	code, err = wait(ctx, p)
	_ = r.SetReadDeadline(time.Now().Add(drain))
	<-copied
	return code, err
}

// wait waits for the process, or ends it when the context is done. A supervisor that is
// told to end needs a moment: only it knows the processes that left its group.
func wait(ctx context.Context, p *Supervised) (int, error) {
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	select {
	case err := <-ended:
		return exitCode(err)
	case <-ctx.Done():
	}
	p.End()
	select {
	case <-ended:
	case <-time.After(drain):
		endGroup(p.Cmd)
		<-ended
	}
	return 0, ctx.Err()
}
