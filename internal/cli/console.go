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

// console is what a command has to do with the outside: its streams, its
// environment and the flags that every command has.
type console struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	program  string // how the reader starts this program

	dir     string
	data    string
	json    bool
	noColor bool
	// args are what was typed, and understood is set once they made sense.
	args       []string
	understood bool
}

// show prints what was asked for: with --json the value, else its text.
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

// say tells the person at the terminal something besides the output. Nothing
// can be done if that fails.
func (c *console) say(format string, args ...any) {
	_, _ = fmt.Fprintf(c.err, format+"\n", args...)
}

// advise is say for what only people need.
func (c *console) advise(format string, args ...any) {
	if !c.json {
		c.say(format, args...)
	}
}

// screen is what a text for w is fitted to.
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

// utf8 reports whether the reader's system says that it shows UTF-8. One that
// says nothing, as in most containers, very likely does.
func (c *console) utf8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := c.getenv(name); locale != "" {
			folded := strings.ReplaceAll(strings.ToLower(locale), "-", "")
			return strings.Contains(folded, "utf8")
		}
	}
	return true
}

// terminal reports whether a stream is one.
func terminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// command spells a command that reaches the same team from here.
func (c *console) command(format string, args ...any) string {
	rest := fmt.Sprintf(format, args...)
	switch {
	case c.data != "":
		return c.program + " --data " + shellQuote(c.data) + " " + rest
	case c.dir != "":
		return c.program + " --dir " + shellQuote(c.dir) + " " + rest
	}
	return c.program + " " + rest
}

// programName is how whoever started this program can start it again.
func programName(path string) string {
	if strings.Contains(path, "go-build") { // of go run: a folder that goes away, or the cache
		return "go run ./cmd/parley"
	}
	if _, err := exec.LookPath("parley"); err != nil && strings.ContainsRune(path, filepath.Separator) {
		return shellQuote(path)
	}
	return "parley"
}

// shellQuote quotes what a shell would take apart.
func shellQuote(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+=:@%,", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
