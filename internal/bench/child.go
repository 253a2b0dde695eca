package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// childEnv tells a process that it is a part of a measurement, and which.
const childEnv = "PARLEY_BENCH_CHILD"

// errand is what a child process is to do.
type errand struct {
	Do       string `json:"do"`
	Engine   string `json:"engine"`
	Address  string `json:"address"`
	Natives  int    `json:"natives,omitempty"`
	Clients  int    `json:"clients,omitempty"`
	Tasks    int    `json:"tasks,omitempty"`
	Pairs    int    `json:"pairs,omitempty"`
	Callers  int    `json:"callers,omitempty"`
	Agents   int    `json:"agents,omitempty"`
	Provider string `json:"provider,omitempty"` // its address
	Memory   int64  `json:"memory,omitempty"`   // as parley.yaml says it; 0 is the default
	// Of those who ask through a door.
	Door    string        `json:"door,omitempty"`
	Token   string        `json:"token,omitempty"`
	Targets []string      `json:"targets,omitempty"`
	Warm    time.Duration `json:"warm,omitempty"`
	Slice   time.Duration `json:"slice,omitempty"`
}

// The errands.
const (
	doHold   = "hold"   // open tasks and keep them open
	doServe  = "serve"  // come back after a kill and answer an ask
	doMemory = "memory" // hold idle agents
	doWait   = "wait"   // hold turns that wait for their models
	doLimit  = "limit"  // hold turns that wait out a rate limit
	doAsks   = "asks"   // answer very many asks
	doLoad   = "load"   // make contacts as one of several hubs
	doDoors  = "doors"  // serve clients in another process
	doTeam   = "team"   // serve a large team from its files
	doAsk    = "ask"    // ask through a door of another process
)

// Child does the part of a measurement that has to be another process. The
// program calls it before anything else; it reports whether this process was
// one, which then has nothing more to do.
func Child(ctx context.Context) (bool, error) {
	text := os.Getenv(childEnv)
	if text == "" {
		return false, nil
	}
	var e errand
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return true, fmt.Errorf("%s: %w", childEnv, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		// Whoever started us is gone when the input ends, however it ended.
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return true, e.run(ctx)
}

func (e errand) run(ctx context.Context) error {
	switch e.Do {
	case doHold:
		return e.hold(ctx)
	case doServe:
		return e.serve(ctx)
	case doMemory:
		return e.idle(ctx)
	case doWait:
		return e.wait(ctx)
	case doLimit:
		return e.limit(ctx)
	case doAsks:
		return e.answer(ctx)
	case doLoad:
		return e.load(ctx)
	case doDoors:
		return e.doors(ctx)
	case doTeam:
		return e.team(ctx)
	case doAsk:
		return e.ask(ctx)
	}
	return fmt.Errorf("%s: there is no errand %q", childEnv, e.Do)
}

// tell answers the process that started this one.
func tell(answer any) error { return json.NewEncoder(os.Stdout).Encode(answer) }

// child is a process under way.
type child struct {
	cmd    *exec.Cmd
	input  io.Closer
	output *bufio.Reader
	log    *strings.Builder
}

// startChild runs this program again for an errand.
func startChild(ctx context.Context, e errand) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, program), log: &strings.Builder{}}
	c.cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	c.cmd.Stderr = c.log
	if c.input, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.output = bufio.NewReader(output)
	return c, c.cmd.Start()
}

// hear waits for what the child has to tell.
func (c *child) hear(answer any) error {
	line, err := c.output.ReadBytes('\n')
	if err != nil {
		_ = c.cmd.Wait() // how it ended matters less than what it said
		return fmt.Errorf("the second process ended early: %s", strings.TrimSpace(c.log.String()))
	}
	return json.Unmarshal(line, answer)
}

// kill ends the child as a crash does: nothing of it gets to run any more.
func (c *child) kill() error {
	err := c.cmd.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	_ = c.cmd.Wait() // "signal: killed"
	return errors.Join(err, ignoreClosed(c.input.Close()))
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
