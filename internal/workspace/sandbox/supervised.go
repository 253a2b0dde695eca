package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// Supervised is a process that takes everything that it has started along when it ends,
// and that ends with the hub.
type Supervised struct {
	*exec.Cmd
	// leash is the hub's end of a pipe. A supervisor ends everything when it is
	// closed; nil where there is none.
	leash *os.File
}

// supervised makes the process that does a job. The caller sets its environment and its
// standard files.
func (e job) supervised() (*Supervised, error) {
	args, err := e.args("supervise")
	if err != nil {
		return nil, err
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.ExtraFiles = []*os.File{theirs}
	ownGroup(cmd)
	return &Supervised{Cmd: cmd, leash: ours}, nil
}

// Start starts it.
func (p *Supervised) Start() error {
	err := p.Cmd.Start()
	p.closeTheirs()
	if err != nil {
		p.End()
	}
	return err
}

func (p *Supervised) closeTheirs() {
	for _, theirs := range p.ExtraFiles {
		_ = theirs.Close()
	}
}

// Wait waits for the end, and cleans up.
func (p *Supervised) Wait() error {
	err := p.Cmd.Wait()
	endGroup(p.Cmd)
	p.End()
	return err
}

// Ask asks it to end, if it is a server.
func (p *Supervised) Ask() {
	if p.leash != nil {
		_ = p.Process.Signal(syscall.SIGTERM) // the supervisor passes it on
		return
	}
	askGroup(p.Cmd)
}

// End ends it by force, with everything that it has started. It may be called more than
// once, and does not wait.
func (p *Supervised) End() {
	switch {
	case p.leash != nil:
		_ = p.leash.Close()
		if p.Process == nil {
			p.closeTheirs()
		}
	case p.Process != nil:
		endGroup(p.Cmd)
	}
}

// Kill ends the supervisor too, should that no longer react.
func (p *Supervised) Kill() { endGroup(p.Cmd) }

// exitCode is the exit code in what Wait has returned.
func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
