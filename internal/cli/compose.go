package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley"
)

// compose is the text that a command sends: its arguments, or standard input
// if the only argument is "-" or if there is none and something is piped in.
func (c *console) compose(cmd *cobra.Command, words []string) (string, error) {
	_, interactive := terminal(c.in)
	switch {
	case len(words) == 1 && words[0] == "-", len(words) == 0 && !interactive:
		return c.readAll()
	case len(words) == 0:
		return "", misused(cmd, "There is no message.")
	}
	return strings.Join(words, " "), nil
}

// longestInput bounds what is read; the hub's own limit on messages is lower
// by default, and it names it.
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
	return message, nil
}
