package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"parley"
)

// adopted is the parley.yaml of a team made from existing agents.
const adopted = `# A team made from the agents in %s.
team: main

# Who thinks for the agents whose files name no model. sonnet, opus and haiku in
# their files are Anthropic's and need ANTHROPIC_API_KEY in the environment.
model: anthropic/claude-sonnet-4-5

# What the agents whose files name no toolsets have: the others, and the files
# of this folder.
toolsets: [contact, workspace]
`

// Adopt makes a team in dir from the Markdown files in from, such as Claude
// Code's subagents, and leaves those unchanged. It returns the files relative
// to dir. As with a template, either all of them are written or none.
func Adopt(from, dir string) ([]string, error) {
	files, err := agentFiles(from)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, parley.Errorf(parley.NotFound, "There is no agent in %s: an agent is a Markdown file.", from)
	}
	files[TeamFile] = fmt.Appendf(nil, adopted, from)
	return writeFiles(files, dir)
}

// agentFiles reads the Markdown files in a folder and below it. A file without
// front matter is a note, not an agent.
func agentFiles(from string) (map[string][]byte, error) {
	root, err := os.OpenRoot(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, parley.Errorf(parley.NotFound, "There is no folder %s.", from).
			WithHint("Name the folder that your agents are in, such as .claude/agents.").WithCause(err)
	}
	if err != nil {
		return nil, unusable(from, err)
	}
	defer root.Close()
	files := map[string][]byte{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isMarkdown(name) {
			return err
		}
		data, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(data, []byte("---")) {
			return nil
		}
		to := path.Join(agentsDir, path.Base(name))
		if _, twice := files[to]; twice {
			return parley.Errorf(parley.Conflict, "Two files in %s are called %s.", from, path.Base(name)).
				WithHint("Rename one of them.")
		}
		files[to] = data
		return nil
	})
	if err != nil && parley.KindOf(err) == parley.Internal {
		err = unusable(from, err)
	}
	return files, err
}
