package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
)

func TestEveryCommandExplainsItself(t *testing.T) {
	var names []string
	walk(newRoot(&console{}), func(cmd *cobra.Command) {
		if cmd.Name() == "help" {
			return // cobra's own command
		}
		names = append(names, cmd.CommandPath())
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: the short description %q is a phrase without a full stop", cmd.CommandPath(), cmd.Short)
		}
		if !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s has no example of itself", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if len(line) > 90 {
				t.Errorf("%s: help is wider than a terminal: %s", cmd.CommandPath(), line)
			}
		}
		if cmd.InheritedFlags().Lookup("json") == nil && cmd.PersistentFlags().Lookup("json") == nil {
			t.Errorf("%s has no --json", cmd.CommandPath())
		}
		if cmd.Parent() != nil && cmd.Parent().Parent() == nil && cmd.GroupID == "" {
			t.Errorf("%s is in no group", cmd.CommandPath())
		}
		if cmd.Args == nil {
			t.Errorf("%s takes any arguments", cmd.CommandPath())
		}
	})
	for _, name := range strings.Fields(`demo init up ask delegate notify inbox reply agents sleep wake offline online
		tasks task message read search trace doctor bench version completion`) {
		if !slices.Contains(names, "parley "+name) {
			t.Errorf("there is no command %s", name)
		}
	}
}

func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, child := range cmd.Commands() {
		walk(child, visit)
	}
}

func TestExitCodes(t *testing.T) {
	want := map[parley.Kind]int{parley.Timeout: exitTimeout}
	for _, kind := range parley.Kinds() {
		code := exitFailed
		if c, ok := want[kind]; ok {
			code = c
		}
		if got := exitCode(fmt.Errorf("op: %w", parley.Errorf(kind, "No.")), true); got != code {
			t.Errorf("%s: %d, want %d", kind, got, code)
		}
	}
	for _, c := range []struct {
		err        error
		understood bool
		want       int
	}{
		{client.ErrNoHub("Nobody answers.").WithCause(io.EOF), true, exitNoHub},
		{markNoHub(parley.Errorf(parley.Unavailable, "No hub runs.")), true, exitNoHub},
		{parley.Errorf(parley.Unavailable, "Who knows?").WithCause(client.ErrUnknown), true, exitUnknown},
		{context.Canceled, true, exitInterrupted},
		{silent{exitInterrupted}, true, exitInterrupted},
		{errors.New("disk on fire"), true, exitFailed},
		{errors.New("unknown flag"), false, exitUsage},
		{misused(&cobra.Command{Use: "x"}, "No."), true, exitUsage},
	} {
		if got := exitCode(c.err, c.understood); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}

func TestErrorsAreToldOnce(t *testing.T) {
	var out, stderr bytes.Buffer
	if code := Main([]string{"ask"}, strings.NewReader(""), &out, &stderr); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
	if out.Len() > 0 || strings.Count(stderr.String(), "Error:") != 1 {
		t.Errorf("stdout %q, stderr %q", &out, &stderr)
	}
}

func TestParseUntil(t *testing.T) {
	zone := time.FixedZone("somewhere", 2*60*60)
	now := time.Date(2026, 3, 14, 15, 9, 26, 0, zone)
	for text, want := range map[string]time.Time{
		"30m":                  now.Add(30 * time.Minute),
		"1h30m":                now.Add(90 * time.Minute),
		"2d":                   now.Add(48 * time.Hour),
		"0.5d":                 now.Add(12 * time.Hour),
		"1d12h":                now.Add(36 * time.Hour),
		"16:00":                time.Date(2026, 3, 14, 16, 0, 0, 0, zone),
		"07:30":                time.Date(2026, 3, 15, 7, 30, 0, 0, zone),
		"2026-12-24":           time.Date(2026, 12, 24, 0, 0, 0, 0, zone),
		"2026-12-24 18:00":     time.Date(2026, 12, 24, 18, 0, 0, 0, zone),
		"2026-12-24T18:00:01Z": time.Date(2026, 12, 24, 18, 0, 1, 0, time.UTC),
	} {
		if got, ok := parseUntil(text, now); !ok || !got.Equal(want) {
			t.Errorf("%s: %v %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "soon", "-5m", "0s", "25:00", "30", "d"} {
		if got, ok := parseUntil(text, now); ok {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func TestShellQuote(t *testing.T) {
	for text, want := range map[string]string{
		"team":          "team",
		"/tmp/a-b_c.d":  "/tmp/a-b_c.d",
		"Data Bot":      "'Data Bot'",
		"":              "''",
		"it's":          `'it'\''s'`,
		"$HOME":         "'$HOME'",
		"データ係":          "'データ係'",
		"a;rm -rf /tmp": "'a;rm -rf /tmp'",
	} {
		if got := shellQuote(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestUTF8(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "de_DE.utf8"}, true},
		{map[string]string{"LANG": "de_DE.ISO-8859-1"}, false},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "POSIX"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.UTF-8"}, true},
	} {
		c2 := console{getenv: func(name string) string { return c.env[name] }}
		if got := c2.utf8(); got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}

func TestProgramName(t *testing.T) {
	if got := programName("/tmp/go-build12/b001/exe/parley"); got != "go run ./cmd/parley" {
		t.Error(got)
	}
	if got := programName("parley"); got != "parley" {
		t.Error(got)
	}
}
