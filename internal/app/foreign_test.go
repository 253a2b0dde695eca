package app

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/config"
)

// An agent written for Claude Code can contact others, whatever its list has. A list of
// our own names is the whole list.
func TestAgentsOfClaudeCodeKeepTheirContacts(t *testing.T) {
	for list, want := range map[string]bool{"Read": true, "Read mcp__git": true, "WebFetch Bash(git": true, "Read list_agents": false, "read_file": false} {
		if got := slices.Contains(allowedTools(&config.Agent{Tools: strings.Fields(list)}), "contact_agent"); got != want {
			t.Errorf("%s: %t", list, got)
		}
	}
	if got := allowedTools(&config.Agent{Tools: []string{}}); got == nil || len(got) > 0 {
		t.Errorf("an empty list leaves %v", got)
	}
}
