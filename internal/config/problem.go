package config

import (
	"fmt"
	"regexp"
	"strings"

	"parley/internal/yamlfile"
)

// Problem is one mistake in a file of the team, or one thing to know about it.
type Problem struct {
	// File is relative to the team folder, with slashes.
	File string
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// Message is a sentence for the person who wrote the file.
	Message string
}

// String is the form that editors and terminals make clickable.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// wrong makes the usual case, a single mistake.
func wrong(line int, format string, args ...any) []yamlfile.Mistake {
	return []yamlfile.Mistake{{Line: line, Text: fmt.Sprintf(format, args...)}}
}

// problems is the only way from mistakes to problems, so that every message
// passes through redact.
func problems(file string, found []yamlfile.Mistake) []Problem {
	var out []Problem
	for _, m := range found {
		out = append(out, Problem{File: file, Line: m.Line, Message: redact(m.Text)})
	}
	return out
}

// redact hides what is between :// and the last @ of a line. A message may
// quote a key or a value, and someone may have put an address with a password
// where a name belongs.
func redact(s string) string {
	return regexp.MustCompile(`://.*@`).ReplaceAllString(s, "://…@")
}

// list joins problems into one text, one on each line.
func list(found []Problem) string {
	lines := make([]string, len(found))
	for i, p := range found {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
