package config

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

const (
	agentsDir = "agents"
	sharedDir = "_shared"
	agentFile = "agent.md"
	docsDir   = "docs"

	memoryFile = "MEMORY.md"
)

// identityFiles follow agent.md in an agent's folder, in this order.
func identityFiles() []string {
	return []string{"IDENTITY.md", "SOUL.md", "USER.md", "AGENTS.md", "TOOLS.md", memoryFile}
}

// folder is what the agents' folder holds, each file read by itself.
type folder struct {
	drafts   []draft
	shared   []string
	problems []Problem
	warnings []Problem
	missing  bool // there is no such folder
}

// readAgents reads the agents' folder in the order of the names. A team
// without the folder has no agents; an error means that there is one and it
// cannot be listed.
func readAgents(root *os.Root) (folder, error) {
	var f folder
	entries, err := fs.ReadDir(root.FS(), agentsDir)
	if errors.Is(err, fs.ErrNotExist) && !isLink(root, agentsDir) {
		f.missing = true
		return f, nil
	}
	if err != nil {
		return f, err
	}
	for _, e := range entries {
		f.read(root, e.Name())
	}
	return f, nil
}

// read reads one entry of the agents' folder. Its name says what it is.
func (f *folder) read(root *os.Root, name string) {
	file := path.Join(agentsDir, name)
	info, err := root.Stat(file)
	switch {
	case strings.HasPrefix(name, "."), strings.EqualFold(name, "README.md"):
		// Left there by editors and people, and not meant as agents.
	case err == nil && info.IsDir() && name == sharedDir:
		f.readShared(root, file)
	case err == nil && info.IsDir():
		f.readFolder(root, file, name)
	case err != nil && !isMarkdown(name):
		f.add(draft{}, problems(file, unreadable(root, file, err)))
	case isMarkdown(name):
		f.readFile(root, file, strings.TrimSuffix(name, path.Ext(name)))
	default:
		f.warnings = append(f.warnings, Problem{File: file,
			Message: "This is not read: an agent is a .md file, or a folder with " + agentFile + "."})
	}
}

func isMarkdown(name string) bool { return strings.EqualFold(path.Ext(name), ".md") }

// readFile reads an agent that is a single file.
func (f *folder) readFile(root *os.Root, file, name string) {
	text, found, err := readText(root, file)
	if err != nil {
		// It was listed a moment ago; now it is gone, and so is the agent.
		return
	}
	var d draft
	if found == nil {
		d, found = newDraft(file, name, text)
	}
	f.add(d, problems(file, found))
}

// readFolder reads an agent that is a folder.
func (f *folder) readFolder(root *os.Root, dir, name string) {
	file := path.Join(dir, agentFile)
	text, found, err := readText(root, file)
	if err != nil {
		f.add(draft{}, problems(dir, wrong(0, "This folder has no %s.", agentFile)))
		return
	}
	var d draft
	if found == nil {
		d, found = newDraft(file, name, text)
	}
	wrongs := problems(file, found)
	texts := []string{d.agent.Instructions}
	for _, name := range identityFiles() {
		text, found, err := readText(root, path.Join(dir, name))
		if err != nil {
			continue
		}
		wrongs = append(wrongs, problems(path.Join(dir, name), found)...)
		if name == memoryFile {
			d.agent.Memory, d.agent.Remembers = text, true
		} else {
			texts = append(texts, text)
		}
	}
	d.agent.Instructions = join(texts)
	d.agent.Docs = path.Join(dir, docsDir)
	if d.agent.Description == "" {
		d.agent.Description = f.describe(root, path.Join(d.agent.Docs, readmeFile))
	}
	f.add(d, wrongs)
}

// add keeps the agent, or its problems.
func (f *folder) add(d draft, wrongs []Problem) {
	if len(wrongs) > 0 {
		f.problems = append(f.problems, wrongs...)
		return
	}
	f.drafts = append(f.drafts, d)
}

// keep takes the result of a check: the agents that passed it, and a problem
// for each that did not.
func (f *folder) keep(drafts []draft, found []Problem) {
	f.drafts = drafts
	f.problems = append(f.problems, found...)
}

// readShared reads what goes into every prompt. A file that cannot be used is a
// problem, and only that file is left out.
func (f *folder) readShared(root *os.Root, dir string) {
	entries, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		f.problems = append(f.problems, problems(dir, unreadable(root, dir, err))...)
		return
	}
	for _, e := range entries {
		if !isMarkdown(e.Name()) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		file := path.Join(dir, e.Name())
		text, found, err := readText(root, file)
		if err != nil {
			continue
		}
		f.problems = append(f.problems, problems(file, found)...)
		f.shared = append(f.shared, text)
	}
}
