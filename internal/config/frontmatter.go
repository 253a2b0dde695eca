package config

import (
	"strings"

	"parley/internal/yamlfile"
)

// splitFrontMatter separates the YAML between a first line --- and the next
// such line from the Markdown below. A text that does not begin with --- is all
// Markdown. The YAML comes after a line break for each line before it, so that
// the parser counts as the file does.
func splitFrontMatter(text string) (front, body string, found []yamlfile.Mistake) {
	first, rest, _ := strings.Cut(text, "\n")
	if !fence(first) {
		return "", text, nil
	}
	for rest != "" {
		at := len(text) - len(rest)
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if fence(line) {
			return text[len(first):at], rest, nil
		}
	}
	return "", "", wrong(1, "The front matter that begins here is never closed: a line --- is missing.")
}

func fence(line string) bool {
	return strings.TrimRight(line, " \t") == "---"
}

// readable puts the description of a front matter in quotes if the YAML cannot
// be read without them. Claude Code takes everything after the key for the
// text, and writes such files: "description: Reviews code. Examples: …" is not
// YAML.
func readable(front string) string {
	_, after, _ := strings.Cut(front, "\ndescription: ")
	if text, _, _ := strings.Cut(after, "\n"); !strings.Contains(text, ":") {
		return front // as nearly all
	}
	lines := strings.Split(front, "\n")
	quoted := false
	for i, line := range lines {
		text, found := strings.CutPrefix(line, "description: ")
		text = strings.TrimSpace(text)
		if found && strings.Contains(text, ":") && !strings.ContainsAny(text[:1], "\"'|>[{&*!") {
			lines[i] = "description: '" + strings.ReplaceAll(text, "'", "''") + "'"
			quoted = true
		}
	}
	if !quoted || parses(front) {
		return front
	}
	if mended := strings.Join(lines, "\n"); parses(mended) {
		return mended
	}
	return front // the mistake is another one
}

func parses(text string) bool {
	_, found := parse(text)
	return found == nil
}
