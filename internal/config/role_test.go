package config

import (
	"slices"
	"strings"
	"testing"
)

// Every role has all tools of the loom, and the workspace as it fits; what the
// agent's own file says goes before.
func TestRolesAreToolsetsWithInstructions(t *testing.T) {
	files := "-- parley.yaml --\nmodel: scripted:script.yaml\ntoolsets: [chorus]\n-- script.yaml --\nagents: {}\n"
	for _, role := range Roles() {
		files += "-- agents/" + role + ".md --\n---\nrole: " + strings.ToUpper(role) + "\n---\nOwn words of " + role + ".\n"
	}
	files += "-- agents/other.md --\n---\nrole: poet\n---\n-- agents/own.md --\n---\nrole: reviewer\nmode: write\ntoolsets: [loom]\n---\n"
	team, found := load(t, teamDir(t, files))
	diff(t, "problems", []string(nil), found)
	modes := map[string]string{}
	for _, a := range team.Agents {
		modes[a.Name] = a.Mode + " " + strings.Join(a.Toolsets, " ")
		if slices.Contains(Roles(), a.Name) && (len(roleText(a.Name)) < 100 || !strings.HasPrefix(a.Instructions, roleText(a.Name)+"\n\nOwn words of")) {
			t.Errorf("%s is told %q", a.Name, a.Instructions)
		}
	}
	diff(t, "modes", map[string]string{
		"lead": "read loom contact workspace", "researcher": "read loom contact workspace", "reviewer": "read loom contact workspace",
		"coder": "write loom contact workspace", "tester": "write loom contact workspace",
		"other": "write chorus", "own": "write loom",
	}, modes)
}
