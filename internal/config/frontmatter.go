package config

import "strings"

// splitFrontMatter separates the YAML between a first line --- and the next
// one from the Markdown below. A text that does not begin with --- is all
// Markdown. The YAML is returned behind as many line breaks as lines stand
// before it, so that the parser counts the file's own lines.
func splitFrontMatter(text string) (front, body string, found []mistake) {
	first, rest, _ := strings.Cut(text, "\n")
	if !fence(first) {
		return "", text, nil
	}
	var yaml strings.Builder
	yaml.WriteString("\n")
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if fence(line) {
			return yaml.String(), rest, nil
		}
		yaml.WriteString(line)
		yaml.WriteString("\n")
	}
	return "", "", wrong(1, "The front matter that begins here is never closed: a line --- is missing.")
}

func fence(line string) bool {
	return strings.TrimRight(line, " \t") == "---"
}
