package parley

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Claim reserves a region of a file, or anything else that has a name, for one
// agent, so that nobody else works there. It ends when its time is over or when
// the task that it was taken for has ended.
type Claim struct {
	Team  TeamID
	Path  string
	Lines Lines
	Agent AgentID
	Task  TaskID // 0: taken outside any task
	Until Micros
}

// HeldBy reports whether the agent holds the claim for the task. Two tasks of
// one agent may run side by side, so each holds its own claims.
func (c Claim) HeldBy(agent AgentID, task TaskID) bool { return c.Agent == agent && c.Task == task }

// Region names what is claimed.
func (c Claim) Region() string { return c.Lines.In(c.Path) }

// Lines is a range of a file, first and last included. The zero value is the
// whole file.
type Lines struct{ From, To int }

// LastLine is beyond the end of any file. A region that is open at the end
// ends there.
const LastLine = 1<<31 - 1

// ParseLines checks a range that somebody gave; 0 stands for a missing bound.
func ParseLines(from, to int) (Lines, error) {
	switch {
	case from < 0 || to < 0 || from > LastLine || to > LastLine:
		return Lines{}, Errorf(Invalid, "Lines are counted from 1.").WithHint("Leave both out for the whole file.")
	case from == 0 && to == 0:
		return Lines{}, nil
	case to == 0:
		return Lines{From: from, To: LastLine}, nil
	case from > to:
		return Lines{}, Errorf(Invalid, "Line %d comes after line %d.", from, to).WithHint("from_line is the first, to_line the last.")
	default:
		return Lines{From: max(from, 1), To: to}, nil
	}
}

// Whole reports whether the range is the whole file.
func (l Lines) Whole() bool { return l.To == 0 }

// Overlaps reports whether two regions of the same file have a line in common.
func (l Lines) Overlaps(o Lines) bool {
	return l.Whole() || o.Whole() || l.From <= o.To && o.From <= l.To
}

// Covers reports whether l contains every line of o.
func (l Lines) Covers(o Lines) bool {
	return l.Whole() || !o.Whole() && l.From <= o.From && o.To <= l.To
}

// String names the range; it is empty for the whole file.
func (l Lines) String() string {
	switch {
	case l.Whole():
		return ""
	case l.To == LastLine:
		return fmt.Sprintf("lines %d to the end", l.From)
	case l.From == l.To:
		return fmt.Sprintf("line %d", l.From)
	default:
		return fmt.Sprintf("lines %d-%d", l.From, l.To)
	}
}

// In names the range together with its file.
func (l Lines) In(path string) string {
	if l.Whole() {
		return path
	}
	return l.String() + " of " + path
}

const maxPath = 512

// CleanPath brings the path of a file in the workspace, or another name, into
// one spelling, so that claims can be compared. It refuses a path that leaves
// the workspace.
func CleanPath(name string) (string, error) {
	name = strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	switch {
	case name == "":
		return "", Errorf(Invalid, "The path is empty.").WithHint("Name a file, relative to the workspace.")
	case len(name) > maxPath || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", Errorf(Invalid, "The path is not a line of at most %d bytes.", maxPath)
	}
	clean := path.Clean(name)
	drive := len(clean) > 1 && clean[1] == ':'
	if path.IsAbs(clean) || drive || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", Errorf(Invalid, "%q is outside the workspace.", Clip(name, 80)).WithHint("Name the file relative to the workspace.")
	}
	return clean, nil
}
