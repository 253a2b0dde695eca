package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"parley/internal/cli/view"
)

// console connects a command to the outside: its streams, its environment and
// the flags that every command has.
type console struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	program  string // how the reader starts this program

	dir     string
	data    string
	team    string
	json    bool
	noColor bool
	noInput bool
	// args is what was typed. understood is set once the command line was parsed.
	args       []string
	understood bool
}

// show prints the answer: with --json the value, otherwise its text.
func (c *console) show(value any, text func(view.Screen) string) error {
	if c.json {
		return c.writeJSON(c.out, value)
	}
	_, err := io.WriteString(c.out, text(c.screen(c.out)))
	return err
}

// line prints a value as one line of JSON, for commands that go on printing.
func (c *console) line(value any) error {
	encoder := json.NewEncoder(c.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

func (c *console) writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// say prints something besides the output, for the person at the terminal. If
// that fails, nothing can be done about it.
func (c *console) say(format string, args ...any) {
	_, _ = fmt.Fprintf(c.err, format+"\n", args...)
}

// advise is like say, for advice that only people need.
func (c *console) advise(format string, args ...any) {
	if !c.json {
		c.say(format, args...)
	}
}

// screen describes the terminal or file that a text is for.
func (c *console) screen(w io.Writer) view.Screen {
	s := view.Screen{Zone: time.Local, Now: c.now(), ASCII: !c.utf8()}
	file, ok := terminal(w)
	if !ok {
		return s
	}
	s.Color = !c.noColor && c.getenv("NO_COLOR") == "" && c.getenv("TERM") != "dumb"
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		s.Width = width
	}
	return s
}

// utf8 reports whether the reader's terminal shows UTF-8. If the environment
// does not say, as in most containers, it very likely does.
func (c *console) utf8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := c.getenv(name); locale != "" {
			folded := strings.ReplaceAll(strings.ToLower(locale), "-", "")
			return strings.Contains(folded, "utf8")
		}
	}
	return true
}

// terminal reports whether a stream is a terminal.
func terminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// command writes a command line that reaches the same team from here.
func (c *console) command(format string, args ...any) string {
	rest := fmt.Sprintf(format, args...)
	if c.team != "" {
		rest = "--team " + shellQuote(c.team) + " " + rest
	}
	switch {
	case c.data != "":
		return c.program + " --data " + shellQuote(c.data) + " " + rest
	case c.dir != "":
		return c.program + " --dir " + shellQuote(c.dir) + " " + rest
	}
	return c.program + " " + rest
}

// programName is how the reader can start this program again.
func programName(path string) string {
	if strings.Contains(path, "go-build") { // built by go run, in a temporary folder or the cache
		return "go run ./cmd/parley"
	}
	if _, err := exec.LookPath("parley"); err != nil && strings.ContainsRune(path, filepath.Separator) {
		return shellQuote(path)
	}
	return "parley"
}

// shellQuote quotes a word if the shell would split or change it.
func shellQuote(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+=:@%,", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
