package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"parley"
)

// file reads the file that a word names. A word that begins with @ may be a mention
// as well: it is a file if it has a dot or a slash, unless somebody has that name. What
// looks like a file and is none is refused, since a typing error would cost a model call.
func (c *console) file(ctx context.Context, word string) (name, text string, err error) {
	name, ok := strings.CutPrefix(word, "@")
	if !ok || name == "" || strings.ContainsAny(name, " \t\n") {
		return "", "", nil
	}
	path := strings.ContainsAny(strings.TrimRight(name, "."), "./") || strings.Trim(name, ".") == ""
	info, err := os.Stat(name)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case path && err == nil && !info.IsDir():
		return c.fileText(name, word)
	case !path && !missing && info != nil && !info.IsDir():
		c.adviseMention(ctx, name, word)
		return "", "", nil
	case c.member(ctx, name):
		return "", "", nil
	case err == nil: // only a folder is left
		return "", "", asWritten(parley.Errorf(parley.Invalid, "%q is a folder, not a file.", name), word)
	case path && missing:
		return "", "", asWritten(parley.Errorf(parley.Invalid, "The file of %q cannot be read: no such file or directory.", word), word)
	case path:
		return "", "", asWritten(parley.Errorf(parley.Invalid, "The file of %q cannot be read: %v.", word, errors.Unwrap(err)), word)
	}
	c.advise("Nobody is called %q, so %q is sent as it is written. A file is named as @./%s.", name, word, name)
	return "", "", nil
}

func (c *console) fileText(name, word string) (string, string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", "", asWritten(parley.Errorf(parley.Invalid, "The file of %q cannot be read: %v.", word, errors.Unwrap(err)), word)
	}
	defer func() { _ = f.Close() }()
	text, err := readText(f, name)
	return name, text, err
}

// asWritten says how to send a word that is no file.
func asWritten(err *parley.Error, word string) error {
	return err.WithHint("Nothing was sent.\nTo send it as it is written, quote it with other words: \"see %s\".", word)
}

// adviseMention tells that a file is not meant by a word without a dot.
func (c *console) adviseMention(ctx context.Context, name, word string) {
	if !c.member(ctx, name) {
		c.advise("%q is sent as it is written. To add the text of the file, write @./%s.", word, name)
	}
}

// member reports whether somebody in the team has a name, which may be followed by
// punctuation. If no hub answers, nothing is sent anyway.
func (c *console) member(ctx context.Context, name string) bool {
	hub, err := c.connect()
	if err != nil {
		return false
	}
	defer hub.Close()
	agents, err := hub.Agents(ctx)
	if err != nil {
		return false
	}
	known := map[string]bool{}
	for _, a := range agents {
		known[parley.FoldName(a.Name)] = true
	}
	if strings.ContainsAny(strings.TrimRight(name, "."), "./") { // agent.md is not agent
		return known[parley.FoldName(name)]
	}
	return len(parley.Mentions("@"+name, func(folded string) bool { return known[folded] })) > 0
}
