package config

import (
	"strings"
	"testing"
)

func TestLimitsOfCommands(t *testing.T) {
	team, found := load(t, teamDir(t, "\n-- parley.yaml --\nmodel: scripted:s\nworkspace:\n  limits: {memory: 8GiB, file_size: none, processes: 64}\n"))
	diff(t, "problems", []string(nil), found)
	l := team.Workspace.Limits
	if *l.Memory != 8<<30 || *l.FileSize != 0 || *l.Processes != 64 || l.OpenFiles != nil {
		t.Errorf("the limits are %+v", l)
	}
	for text, want := range map[string]string{
		"memory: 1MiB":      `memory: Expected none, or from 256MiB to 1024GiB, not "1MiB".`,
		"processes: 1":      `processes: Expected none, or from 8 to 1000000, not "1".`,
		"open_files: many":  `open_files: Expected none, or from 64 to 1000000, not "many".`,
		"file_size: -1":     `file_size: Expected none, or from 1KiB to 1024GiB, not "-1".`,
		"open_file: 100000": `Unknown key "open_file". Did you mean open_files?`,
	} {
		_, _, err := Load(teamDir(t, "\n-- parley.yaml --\nmodel: scripted:s\nworkspace:\n  limits: {"+text+"}\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
