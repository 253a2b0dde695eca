package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

// The exit codes. The help of the program explains them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNoHub       = 3
	exitTimeout     = 4
	exitUnknown     = 5
	exitInterrupted = 130
)

// fail prints the error, if there is one, and returns the exit code.
func (c *console) fail(err error) int {
	if err == nil {
		return exitOK
	}
	code := exitCode(err, c.understood)
	if told := (silent{}); errors.As(err, &told) {
		return code
	}
	if code == exitInterrupted {
		c.advise("Stopped.")
		return code
	}
	p := c.hintList(problem(err))
	// After a wrong flag, --json may not have been parsed.
	if c.json || !c.understood && slices.Contains(c.args, "--json") {
		_ = c.writeJSON(c.err, p) // nobody is left to be told
		return code
	}
	s := c.screen(c.err)
	const label = "Error:"
	text := s.Text(label + " " + p.Message)
	if p.Hint != "" {
		text += s.Text(p.Hint)
	}
	_, _ = io.WriteString(c.err, s.Paint(view.Red, label)+strings.TrimPrefix(text, label))
	return code
}

// exitCode is the only table from errors to exit codes.
func exitCode(err error, understood bool) int {
	var told silent
	var misused usageError
	switch {
	case errors.As(err, &told):
		return told.code
	case errors.As(err, &misused) || !understood:
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, client.ErrUnknown):
		return exitUnknown
	case isNoHub(err):
		return exitNoHub
	case parley.KindOf(err) == parley.Timeout:
		return exitTimeout
	}
	return exitFailed
}

// silent sets the exit code when there is nothing left to print.
type silent struct{ code int }

func (s silent) Error() string { return fmt.Sprintf("exit code %d", s.code) }

// problem turns an error into the API's form. An error of this program or its
// machine is shown with its details: it is the reader's own machine.
func problem(err error) api.Problem {
	var e *parley.Error
	if errors.As(err, &e) {
		return api.Problem{Kind: string(e.Kind), Message: e.Message, Hint: e.Hint}
	}
	return api.Problem{Kind: string(parley.Internal), Message: err.Error()}
}
