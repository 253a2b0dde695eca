package config

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/yamlfile"
)

// claudeTools maps Claude Code's names of tools to ours.
var claudeTools = map[string]string{
	"Read": "read_file", "Grep": "grep", "Glob": "glob", "Bash": "shell", "Edit": "replace_block", "MultiEdit": "replace_block",
	"Write": "write_file", "Task": "call_agent", "Agent": "call_agent", "AskUserQuestion": "ask_user",
}

// AllowedTools are the tools that the key tools leaves the agent, by our names;
// nil leaves all. A name that ends in * means all names that begin with it.
func (a *Agent) AllowedTools() []string {
	if a.Tools == nil {
		return nil
	}
	names := make([]string, len(a.Tools))
	for i, name := range a.Tools {
		names[i] = toolHere(name)
	}
	return names
}

// ForeignTools reports whether the key tools names tools of Claude Code alone. Such a
// list was written where there is nobody to contact, and says nothing about that.
func (a *Agent) ForeignTools() bool {
	return len(a.Tools) > 0 && !slices.ContainsFunc(a.Tools, func(name string) bool {
		first, _ := utf8.DecodeRuneInString(name)
		return !strings.HasPrefix(name, "mcp__") && !unicode.IsUpper(first)
	})
}

// toolHere is our name for a tool on somebody else's list: Bash(git *) is Bash,
// since which commands are allowed is a matter of the profile; mcp__git is
// every tool of the server git.
func toolHere(name string) string {
	if i := strings.IndexByte(name, '('); i > 0 {
		name = name[:i]
	}
	if server, ok := strings.CutPrefix(name, "mcp__"); ok {
		if !strings.Contains(server, "__") {
			return server + "__*"
		}
		return server
	}
	if here, ok := claudeTools[name]; ok {
		return here
	}
	return name
}

// toolsInto accepts a list as wordsInto does. An empty list leaves no tools, so
// the result is never nil.
func toolsInto(dst *[]string) yamlfile.Reader {
	return func(v yamlfile.Value) []yamlfile.Mistake {
		*dst = []string{}
		return wordsInto(dst)(v)
	}
}
