package view

import (
	"fmt"
	"strings"

	"parley/api"
)

// Diff shows what a task changed. In a file the text stays as it is, so that git can
// apply it; at a terminal it is coloured, and what would steer the terminal is left out.
func (s Screen) Diff(d api.TaskDiff) string {
	var b strings.Builder
	for _, f := range d.Files {
		switch {
		case f.Undone:
			b.WriteString(s.remark("%s was %s and is undone.", f.Path, f.Change))
			continue
		case f.Text == "":
			b.WriteString(s.remark("The folder %s was %s.", f.Path, f.Change))
		}
		if f.Doubt != "" {
			b.WriteString(s.remark("Not certain: %s.", f.Doubt))
		}
		for line := range strings.Lines(f.Text) {
			b.WriteString(s.diffLine(line))
		}
	}
	if len(d.Files) == 0 {
		return d.Task + " changed no files.\n"
	}
	return b.String()
}

// remark is a line that git takes for no part of a diff.
func (s Screen) remark(format string, args ...any) string {
	return s.Paint(Dim, "# "+Line(fmt.Sprintf(format, args...))) + "\n"
}

func (s Screen) diffLine(line string) string {
	if s.Width == 0 && !s.Color {
		return line
	}
	text := Clean(strings.TrimRight(line, "\r\n"))
	color := Plain
	switch {
	case strings.HasPrefix(text, "diff "), strings.HasPrefix(text, "--- "), strings.HasPrefix(text, "+++ "):
		color = Bold
	case strings.HasPrefix(text, "@@"):
		color = Cyan
	case strings.HasPrefix(text, "+"):
		color = Green
	case strings.HasPrefix(text, "-"):
		color = Red
	}
	return s.Paint(color, text) + "\n"
}

// mostAsked is how many files somebody is shown before they decide about all of them.
const mostAsked = 40

// ByCommands shows what an undo would do to files that commands changed; empty if there
// are none.
func (s Screen) ByCommands(d api.TaskDiff) string {
	undo := map[string]string{"created": "remove", "changed": "restore", "deleted": "make again", "renamed": "rename back"}
	var lines []string
	for _, f := range d.Files {
		if f.Command && !f.Undone {
			lines = append(lines, fmt.Sprintf("  %s %s", undo[f.Change], Line(f.Path)))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	if more := len(lines) - mostAsked; more > 0 {
		lines = append(lines[:mostAsked], fmt.Sprintf("  and %d more, which parley task diff %s shows", more, d.Task))
	}
	return "Commands changed these, as far as a look before and after tells. Somebody else may\nhave written them at that time:\n" + strings.Join(lines, "\n")
}

// Undone shows what was taken back.
func (s Screen) Undone(u api.Undone) string {
	var b strings.Builder
	for _, f := range u.Files {
		b.WriteString(s.Item(s.Ok(), f.What, f.Path, ""))
	}
	for _, r := range u.Refused {
		b.WriteString(s.Item(s.Bad(), "left", Line(r.Path), Line(r.Why)+"."))
	}
	switch {
	case u.Before:
		return "What " + u.Task + " changed was undone before.\n"
	case b.Len() == 0:
		return u.Task + " changed nothing that could be undone.\n"
	}
	return b.String()
}
