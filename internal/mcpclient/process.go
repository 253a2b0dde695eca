package mcpclient

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/workspace/sandbox"
)

// stopTimeout is how long a process has to end after its input was closed, and again
// after it was told to end.
const stopTimeout = 2 * time.Second

// process is the process of a server, in its sandbox. What it starts ends with it, and
// all of it ends with the hub.
type process struct {
	cmd    *sandbox.Supervised
	stdin  *os.File
	stdout *os.File
	ended  chan struct{}
	stderr *stderr
}

// startProcess starts a server's command.
func startProcess(def Server, log func(line string)) (*process, error) {
	cmd, err := def.process()
	if err != nil {
		return nil, errNotStarted(def, err)
	}
	p := &process{cmd: cmd, ended: make(chan struct{}), stderr: &stderr{log: log}}
	p.cmd.Env, p.cmd.WaitDelay = def.environment(), stopTimeout
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), ourIn.Close())
	}
	p.stdin, p.stdout = ourIn, ourOut
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, p.stderr
	err = errors.Join(p.cmd.Start(), theirIn.Close(), theirOut.Close())
	if err != nil {
		_, _ = ourIn.Close(), ourOut.Close()
		return nil, errNotStarted(def, err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // how it ended does not matter; its closed output shows that it did
	}()
	return p, nil
}

// process makes the process of a server's command.
func (s Server) process() (*sandbox.Supervised, error) {
	if s.Refused != "" {
		return nil, parley.Errorf(parley.Unavailable, "%s", s.Refused)
	}
	path, err := sandbox.Locate(s.Command, s.Dir)
	if err != nil {
		return nil, err
	}
	dir := s.Dir
	if s.Box != nil { // it knows folders without links
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return nil, parley.Errorf(parley.Invalid, "there is no folder %s", s.Dir).WithCause(err)
		}
	}
	return s.box().Program(sandbox.Program{Path: path, Args: s.Args, Dir: dir})
}

func (s Server) box() *sandbox.Sandbox {
	if s.Box == nil {
		return &sandbox.Sandbox{Kind: sandbox.Unsandboxed}
	}
	return s.Box
}

func errNotStarted(def Server, err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return parley.Errorf(parley.Invalid, "the command %q was not found", def.Command).WithCause(err)
	case errors.Is(err, os.ErrPermission):
		return parley.Errorf(parley.Invalid, "the command %q may not be run", def.Command).WithCause(err)
	}
	return err
}

// stop ends the process as the protocol demands: its input is closed, then it is told
// to end, then it is killed.
func (p *process) stop() {
	_ = p.stdin.Close()
	for _, end := range []func(){func() {}, p.cmd.Ask, p.cmd.End, p.cmd.Kill} {
		end()
		if p.endsWithin(stopTimeout) {
			break
		}
	}
	<-p.ended
	_ = p.stdout.Close()
}

func (p *process) endsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}

// lastLine is the last line that the process wrote to its error output.
func (p *process) lastLine() string {
	p.stderr.mu.Lock()
	defer p.stderr.mu.Unlock()
	return p.stderr.last
}

// stderr takes what a process writes to its error output, line by line.
type stderr struct {
	log func(line string)

	mu    sync.Mutex
	rest  string
	last  string
	lines int
}

const (
	// maxLine is how much of a line is kept.
	maxLine = 2000
	// maxLines is how many lines of one process are logged.
	maxLines = 1000
)

func (s *stderr) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := bufio.NewReader(io.MultiReader(strings.NewReader(s.rest), strings.NewReader(string(b))))
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			s.rest = cut(line, maxLine)
			return len(b), nil
		}
		s.line(strings.TrimSpace(line))
	}
}

func (s *stderr) line(text string) {
	if text == "" {
		return
	}
	s.last = cut(text, maxLine)
	s.lines++
	switch {
	case s.lines <= maxLines:
		s.log(s.last)
	case s.lines == maxLines+1:
		s.log("(and more, which is not logged)")
	}
}

// logged returns a function that writes a process's lines to the hub's log.
func (c *Conn) logged(secret redactor) func(string) {
	return func(line string) {
		c.log.Debug("an MCP server wrote", "text", secret.hide(line))
	}
}
