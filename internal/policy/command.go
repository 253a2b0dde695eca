package policy

import (
	"path"
	"regexp"
	"strings"
)

// Command is the action of a shell command. One that runs in a folder below the
// workspace is what it would be as one command, cd FOLDER && COMMAND: a rule that
// allows a command here does not allow it elsewhere, where it means something else.
func Command(folder, script string) string {
	switch folder = path.Clean(folder); {
	case folder == ".":
		return Action(Shell, script)
	case strings.HasPrefix(folder, "-"): // cd takes it for an option
		folder = "./" + folder
	}
	if !plainFolder.MatchString(folder) {
		folder = "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	}
	return Action(Shell, "cd "+folder+" && "+script)
}

var (
	plainFolder = regexp.MustCompile(`\A[\w./-]+\z`)
	inFolder    = regexp.MustCompile(`(?s)\Atool:shell:cd (?:[\w./-]+|'(?:[^']|'\\'')*') && (.*)\z`)
)

// bare is the action of the same command without its folder; empty if it has none. Rules
// that restrict a command hold for it in every folder.
func bare(action string) string {
	if !strings.HasPrefix(action, "tool:shell:cd ") {
		return ""
	}
	if m := inFolder.FindStringSubmatch(action); m != nil {
		return Action(Shell, m[1])
	}
	return ""
}
