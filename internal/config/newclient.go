package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley"
)

// NewClient is an agent that is to join from outside.
type NewClient struct {
	Name, Description string
	Toolsets          []string
	Profile           string
}

// AddClient writes the file of a new client agent. If the team would have a mistake
// with it, there is no such file afterwards.
func AddClient(dir string, c NewClient) (file string, err error) {
	if err := parley.CheckName(c.Name); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", unusable(dir, err)
	}
	defer root.Close()
	file = path.Join(agentsDir, c.Name+".md")
	if err := root.Mkdir(agentsDir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", unwritable(filepath.Join(dir, agentsDir), err)
	}
	err = writeWhole(root, file, c.text(), 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", parley.Errorf(parley.Conflict, "%s is there already.", file).WithHint("Choose another name, or correct that file; parley doctor says what is wrong with it.")
	}
	if err == nil {
		err = checkNew(dir, file)
	} else {
		err = unwritable(filepath.Join(dir, filepath.FromSlash(file)), err)
	}
	if err != nil {
		return "", errors.Join(err, ignoreMissing(root.Remove(file)))
	}
	return file, nil
}

// text writes texts as JSON does, which is YAML too.
func (c NewClient) text() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\nkind: client\n", quoted(c.Name), quoted(c.Description))
	if len(c.Toolsets) > 0 {
		words := make([]string, len(c.Toolsets))
		for i, w := range c.Toolsets {
			words[i] = quoted(w)
		}
		fmt.Fprintf(&b, "toolsets: [%s]\n", strings.Join(words, ", "))
	}
	fmt.Fprintf(&b, "profile: %s\n---\n", quoted(c.Profile))
	return []byte(b.String())
}

func quoted(text string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch strings.ToLower(text) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
	default:
		if text != "" && strings.Trim(text, letters+"0123456789-_") == "" && strings.ContainsRune(letters, rune(text[0])) {
			return text
		}
	}
	line, _ := json.Marshal(text) // a text always can be
	return string(line)
}

// checkNew refuses a file that brings a mistake into the team.
func checkNew(dir, file string) error {
	team, found, err := Load(dir)
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(p Problem) bool { return p.File != file })
	if len(found) == 0 && !slices.ContainsFunc(team.Agents, func(a *Agent) bool { return a.File == file }) {
		return parley.Errorf(parley.Invalid, "%s would not be an agent of this team.", file)
	}
	return refuse(found)
}
