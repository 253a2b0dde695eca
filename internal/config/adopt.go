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

// LeftOut is a file that is no agent, and why.
type LeftOut struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Adopt makes a team in dir from the Markdown files in from, such as Claude
// Code's subagents, and leaves those unchanged. It returns the files relative
// to dir, and those of from that it has left out. As with a template, either all of
// them are written or none.
func Adopt(from, dir string) (made []string, left []LeftOut, err error) {
	files, left, err := agentFiles(from)
	if err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		err := parley.Errorf(parley.NotFound, "There is no agent in %s: an agent is a Markdown file that begins with front matter, a line ---, name: and description:, and a line ---.", from)
		if len(left) > 0 {
			err = err.WithHint("%s is left out: %s", left[0].File, left[0].Reason)
		}
		return nil, left, err
	}
	files[TeamFile] = named(fmt.Appendf(nil, adopted, from), dir)
	made, err = writeFiles(files, dir)
	return made, left, err
}

// agentFiles reads the Markdown files in a folder and below it. A file without
// front matter is a note, not an agent.
func agentFiles(from string) (files map[string][]byte, left []LeftOut, err error) {
	root, err := os.OpenRoot(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, parley.Errorf(parley.NotFound, "There is no folder %s.", from).
			WithHint("Name the folder that your agents are in, such as .claude/agents.").WithCause(err)
	}
	if err != nil {
		return nil, nil, unusable(from, err)
	}
	defer root.Close()
	files = map[string][]byte{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !isMarkdown(name) {
			left = append(left, LeftOut{name, "it is no Markdown file."})
			return nil
		}
		data, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(data, []byte("---")) {
			left = append(left, LeftOut{name, "it has no front matter, so it is a note and no agent. To make it one, begin it with a line ---, name: and description:, and a line ---."})
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
	return files, left, err
}
