package config

import (
	"slices"

	"parley/internal/yamlfile"
)

// This file is all that config knows about what the hub cannot do yet. An entry
// goes when a version enforces the key.

// notYet lists what the agent's file says but the hub does not do. A key that
// restricts an agent and is quietly ignored would be worse than none.
func (d *draft) notYet() []Problem {
	var out []Problem
	for _, name := range foreignKeys {
		if d.agent.Lines[name] != 0 {
			out = append(out, d.at(name, "%s is a key of Claude Code that means nothing here. %s", name, foreignHint(name)))
		}
	}
	if name := d.has().windowed; name != "" {
		out = append(out, d.at("model", "%[1]s[1m] is read as %[1]s. The hub keeps to the window that its catalogue has of the model (parley models shows it), and asks for no larger one.", name))
	}
	return out
}

// foreignHint says what to write instead. A key that restricts an agent in
// Claude Code must not seem to do so here.
func foreignHint(name string) string {
	switch name {
	case "permissionMode", "disallowedTools":
		return "What the agent may do is said with mode, behavior and profile."
	case "maxTurns":
		return "Write limits: steps."
	case "mcpServers":
		return "Write mcp_servers."
	default:
		return "It is ignored."
	}
}

func availableToolsets() []string {
	return []string{"contact", "chorus", "loom", "memory", "peers", "workspace"}
}

// toolsetsInto accepts the names of toolsets; a misspelt one is a mistake.
func toolsetsInto(dst *[]string) yamlfile.Reader {
	known := availableToolsets()
	return func(v yamlfile.Value) []yamlfile.Mistake {
		var names []string
		found := wordsInto(&names)(v)
		for _, name := range names {
			if !slices.Contains(known, name) {
				found = append(found, v.Wrong("There is no toolset %q. %s", name, yamlfile.Suggest(name, known))...)
			}
		}
		*dst = names
		return found
	}
}
