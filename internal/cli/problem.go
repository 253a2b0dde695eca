package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley"
	"parley/internal/api"
)

// The exit codes, as the help of the program explains them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNoHub       = 3
	exitTimeout     = 4
	exitInterrupted = 130
)

// fail tells the error, if there is one, and returns the exit code.
func (c *console) fail(err error) int {
	if err == nil {
		return exitOK
	}
	code := exitCode(err, c.understood)
	if told := (silent{}); errors.As(err, &told) {
		return code
	}
	p := problem(err)
	if c.json {
		c.writeJSON(c.err, p)
		return code
	}
	s := c.screen(c.err)
	c.say("%s %s", s.Paint("1;31", "Error:"), p.Message)
	if p.Hint != "" {
		c.say("%s", p.Hint)
	}
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
	case isNoHub(err):
		return exitNoHub
	case parley.KindOf(err) == parley.Timeout:
		return exitTimeout
	}
	return exitFailed
}

// silent ends the program with a code when everything has been said already.
type silent struct{ code int }

func (s silent) Error() string { return fmt.Sprintf("exit code %d", s.code) }

// problem is an error as the API spells it. What the command line's own
// machine says is shown as it is: it is the reader's machine.
func problem(err error) api.Problem {
	var e *parley.Error
	if errors.As(err, &e) {
		return api.Problem{Kind: string(e.Kind), Message: e.Message, Hint: forPeople(e.Hint)}
	}
	return api.Problem{Kind: string(parley.Internal), Message: err.Error()}
}

// forPeople names commands where the hub, which mostly speaks to agents, names
// their tools.
func forPeople(hint string) string {
	return strings.NewReplacer("list_agents", "parley agents", "await_task", "parley task wait").Replace(hint)
}
