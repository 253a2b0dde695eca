package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/workspace/sandbox"
)

// program runs a command with the notice on its standard input. What it starts ends with
// it, and all of it ends with the hub.
type program struct {
	command []string
	dir     string
	log     *slog.Logger
}

// Locate finds the program of a command that runs in a team's folder.
func Locate(command, dir string) (string, error) { return sandbox.Locate(command, dir) }

// endTime is how long a program has to end after it was told to.
const endTime = 2 * time.Second

func (p *program) send(ctx context.Context, _ string, body []byte) error {
	path, err := Locate(p.command[0], p.dir)
	if err != nil {
		return fmt.Errorf("the command %q was not found", p.command[0])
	}
	cmd, err := (&sandbox.Sandbox{Kind: sandbox.Unsandboxed}).Program(sandbox.Program{Path: path, Args: p.command[1:], Dir: p.dir})
	if err != nil {
		return err
	}
	var output clipped
	cmd.Env, cmd.WaitDelay = environment(), endTime
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(body, '\n')), &output, &output
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the command could not be started: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	err = await(ctx, cmd, ended)
	p.logOutput(output)
	return err
}

// await waits for the end of a program, and brings it about when the time is over.
func await(ctx context.Context, cmd *sandbox.Supervised, ended <-chan error) error {
	select {
	case err := <-ended:
		return outcome(err)
	case <-ctx.Done():
	}
	for _, end := range []func(){cmd.Ask, cmd.End} {
		end()
		timer := time.NewTimer(endTime)
		select {
		case <-ended:
			timer.Stop()
			return refused("the command took too long")
		case <-timer.C:
		}
	}
	cmd.Kill()
	<-ended
	return refused("the command took too long")
}

// outcome says what the end of a program means. A program that did not read all of its
// input has ended well all the same.
func outcome(err error) error {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() < 0:
		return refused("the command was ended by a signal")
	case errors.As(err, &exit):
		return refused("the command ended with code %d", exit.ExitCode())
	}
	return nil
}

// logOutput logs what a program wrote, without the secrets of the hub: it may have got
// hold of them in another way.
func (p *program) logOutput(output clipped) {
	if text := strings.TrimSpace(output.String()); text != "" {
		p.log.Info("a command that tells people wrote", "text", hide(strings.ToValidUTF8(text, "�")))
	}
}

// passed are those of the hub's variables that a program gets: what it needs to run and
// to reach somebody's desktop. Keys and tokens are not among them.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT", "COMSPEC"}

func environment() (env []string) {
	for _, name := range passed {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// hide takes what the hub has in its environment and the program has not out of a text.
// Short values are left: hiding them would spoil every text.
func hide(text string) string {
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); len(value) >= 8 && !slices.Contains(passed, name) {
			text = strings.ReplaceAll(text, value, "…")
		}
	}
	return parley.Clip(text, loggedRunes)
}

// An output is kept up to keptBytes, and loggedRunes of it are logged. They are fewer, so
// that no part of a secret at the end of what was kept is logged.
const keptBytes, loggedRunes = 8000, 1000

// clipped keeps the beginning of what is written to it.
type clipped struct{ bytes.Buffer }

func (c *clipped) Write(b []byte) (int, error) {
	if room := keptBytes - c.Len(); room > 0 {
		_, _ = c.Buffer.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}
