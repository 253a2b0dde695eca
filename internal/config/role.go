package config

import (
	"embed"
	"path"
	"slices"
	"strings"

	"parley"
)

// roleFiles are the instructions that come with a role. The compiler fills it and
// nothing changes it.
//
//go:embed role
var roleFiles embed.FS

// roleToolsets are the toolsets that every role has.
var roleToolsets = []string{"loom", "contact", "workspace"}

// readingRoles read files and change none, unless the agent's own file says so.
var readingRoles = []string{"lead", "researcher", "reviewer"}

// Roles are the roles that come with tools and instructions. Any other name is
// allowed, too; it only says which agents are alike.
func Roles() []string { return []string{"lead", "researcher", "coder", "reviewer", "tester"} }

// takeRole gives an agent what its role brings, unless its file says otherwise.
func (a *Agent) takeRole() {
	role := parley.FoldName(a.Role)
	if !slices.Contains(Roles(), role) {
		return
	}
	if a.Lines["toolsets"] == 0 {
		a.Toolsets = roleToolsets
	}
	if a.Lines["mode"] == 0 && slices.Contains(readingRoles, role) {
		a.Mode = "read"
	}
	a.Instructions = join([]string{roleText(role), a.Instructions})
}

func roleText(role string) string {
	text, err := roleFiles.ReadFile(path.Join("role", role+".md"))
	if err != nil {
		return "" // the tests would not pass
	}
	return strings.TrimSpace(string(text))
}
