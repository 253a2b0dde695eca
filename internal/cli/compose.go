package cli

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"parley"
)

// compose returns the text that a command sends: its arguments, or standard
// input if the only argument is "-" or if there is none and something is piped
// in.
func (c *console) compose(cmd *cobra.Command, words []string) (string, error) {
	_, interactive := terminal(c.in)
	switch {
	case len(words) == 1 && words[0] == "-", len(words) == 0 && !interactive:
		return c.readAll()
	case len(words) == 0:
		return "", misused(cmd, "There is no message.")
	}
	text := strings.Join(words, " ")
	if strings.TrimSpace(text) == "" {
		return "", misused(cmd, "The message is empty.")
	}
	return text, checkText("The message", text)
}

// longestInput bounds what is read. The hub's own limit for messages is lower by
// default, and its refusal names the limit.
const longestInput = 16 << 20

func (c *console) readAll() (string, error) {
	text, err := io.ReadAll(io.LimitReader(c.in, longestInput+1))
	if err != nil {
		return "", err
	}
	if len(text) > longestInput {
		return "", parley.Errorf(parley.Limited, "The input is longer than %d MiB.", longestInput>>20).
			WithHint("Put it into a file and tell the agent where that is.")
	}
	message := strings.TrimRight(string(text), "\r\n")
	if strings.TrimSpace(message) == "" {
		return "", parley.Errorf(parley.Invalid, "There is no message: standard input is empty.")
	}
	return message, checkText("Standard input", message)
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
