package cli

import (
	"context"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"parley"
)

// inputHelp says in the help of a command how its message is put together.
const inputHelp = `What is piped in, or read from a file with <, is part of the message: it comes after
the words. "-" as the only word reads standard input also at a terminal, @FILE as a
word of its own adds the text of that file (write @./FILE if the name has no dot), and
--no-stdin leaves standard input alone. Say that, or </dev/null, in a loop such as
"while read line": otherwise the first round takes what the loop was to read. A file
that is not there is refused; "see @FILE" in quotes is sent as it is written.`

// longInputHelp is inputHelp where a long text becomes an attachment.
const longInputHelp = inputHelp + `
A text that is too long for a message is attached to it, up to 4 MiB.`

// takesInput gives a command the flag that composing its message knows.
func (c *console) takesInput(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&c.noInput, "no-stdin", false, "do not read standard input")
	return cmd
}

// compose returns the text that a command sends: its words, with the text of files
// that they name, and then what is piped in.
func (c *console) compose(cmd *cobra.Command, words []string) (string, error) {
	if len(words) == 1 && words[0] == "-" {
		text, err := c.readAll()
		if err == nil && text == "" {
			err = parley.Errorf(parley.Invalid, "There is no message: standard input is empty.")
		}
		return text, err
	}
	text, err := c.spell(cmd.Context(), words)
	if err != nil {
		return "", err
	}
	if len(words) > 0 && text == "" {
		return "", misused(cmd, "The message is empty.")
	}
	if c.noInput || !piped(c.in) {
		if !c.noInput && socket(c.in) {
			c.advise(`Standard input is a socket and is not read. "-" as the only word reads it, "cat | parley ..." too, and --no-stdin says nothing.`)
		}
		if text == "" {
			return "", misused(cmd, "There is no message.")
		}
		return text, nil
	}
	input, err := c.readAll()
	switch {
	case err != nil:
		return "", err
	case text == "" && input == "":
		return "", parley.Errorf(parley.Invalid, "There is no message: standard input is empty.")
	case input == "":
		c.advise("Standard input is empty; only the words are sent.")
	}
	return strings.TrimPrefix(strings.TrimSuffix(text+"\n\n"+input, "\n\n"), "\n\n"), nil
}

// spell joins words. One that names a file stands for its text, which is a paragraph
// of its own, under the file's name if there is anything else.
func (c *console) spell(ctx context.Context, words []string) (string, error) {
	var b strings.Builder
	after := ""
	for _, word := range words {
		name, text, err := c.file(ctx, word)
		if err != nil {
			return "", err
		}
		if name == "" {
			b.WriteString(after + word)
			after = " "
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		if len(words) > 1 {
			text = name + ":\n" + text
		}
		b.WriteString(text)
		after = "\n\n"
	}
	if strings.TrimSpace(b.String()) == "" {
		return "", nil
	}
	return b.String(), checkText("The message", b.String())
}

// longestInput bounds what is read: more can be neither a message nor an attachment.
const longestInput = parley.AttachmentBytes

// silence is how long standard input may be silent before the person is told what
// the command waits for.
const silence = time.Second

// readAll reads standard input to its end; it may be empty.
func (c *console) readAll() (string, error) {
	timer := time.AfterFunc(silence, func() {
		c.advise("Waiting for the end of standard input. Ctrl-D ends it at a terminal, and --no-stdin does not read it.")
	})
	defer timer.Stop()
	return readText(heard{c.in, timer}, "Standard input")
}

// heard stops a timer at the first sign of life.
type heard struct {
	io.Reader
	timer *time.Timer
}

func (h heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.timer.Stop()
	return n, err
}

func readText(from io.Reader, what string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(from, longestInput+1))
	if err != nil {
		return "", parley.Errorf(parley.Invalid, "%s cannot be read: %v.", what, err).WithHint("Nothing was sent.")
	}
	if len(text) > longestInput {
		return "", parley.Errorf(parley.Limited, "%s is longer than %d MiB.", what, longestInput>>20).
			WithHint("Put it into a file of the workspace and tell the agent where that is. Nothing was sent.")
	}
	message := strings.TrimRight(string(text), "\r\n")
	if strings.TrimSpace(message) == "" {
		return "", nil
	}
	return message, checkText(what, message)
}

// piped reports whether a stream is a pipe or a file: not a terminal, and not what a
// program without input is given, such as /dev/null.
func piped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return in != nil
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeNamedPipe != 0)
}

// socket reports whether a stream is a socket. Programs give one to a command without
// closing it, so waiting for its end could take for ever; but it may hold a text.
func socket(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeSocket != 0
}

// checkText refuses what would not arrive unchanged: JSON silently replaces
// bytes that are not UTF-8.
func checkText(what, text string) error {
	switch {
	case !utf8.ValidString(text):
		return parley.Errorf(parley.Invalid, "%s is not UTF-8 text.", what).
			WithHint("Convert it first, for example with iconv. Nothing was sent.")
	case strings.ContainsRune(text, 0):
		return parley.Errorf(parley.Invalid, "%s contains a NUL character, which is not text.", what).
			WithHint("Nothing was sent.")
	}
	return nil
}
