package config

import (
	"path"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/hardlink"
)

const (
	readmeFile = "README.md"
	// maxDescription is how many characters of a description others read.
	maxDescription = 200
)

// describe takes an agent's description from its docs. The docs are for others,
// so a page that cannot be read causes a warning and leaves nobody out.
func (r *reader) describe(file string) string {
	root := r.root
	if isLink(root, path.Dir(file)) || isLink(root, file) {
		r.warn(Problem{File: file, Message: "This is not read: links are not followed in docs."})
		return ""
	}
	if info, err := root.Lstat(file); err == nil && hardlink.Shared(info) {
		r.warn(Problem{File: file, Message: "This is not read: it has a name elsewhere too, and only files of their own are read in docs."})
		return ""
	}
	text, found, err := readText(root, file)
	if err != nil {
		return "" // most have none
	}
	r.warn(problems(file, found)...)
	return firstParagraph(text)
}

// shorten cuts a description that is too long for a list.
func shorten(description string) string {
	if utf8.RuneCountInString(description) <= maxDescription {
		return description
	}
	return parley.Clip(description, maxDescription)
}

// firstParagraph is the first prose of a Markdown text, on one line. Headings,
// quotes and lines of pure emphasis are how a page begins, not what it says.
func firstParagraph(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || !prose(line) {
			if lines != nil {
				break
			}
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " ")
}

func prose(line string) bool {
	return !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, ">") && !underline(line) && !emphasised(line)
}

// underline matches the line below a heading, or a rule.
func underline(line string) bool { return strings.Trim(line, "=-*_ ") == "" }

// emphasised reports whether a line is emphasis from end to end.
func emphasised(line string) bool {
	for _, mark := range []string{"***", "___", "**", "__", "*", "_"} {
		inner, begins := strings.CutPrefix(line, mark)
		inner, ends := strings.CutSuffix(inner, mark)
		if begins && ends {
			return inner != "" && !strings.Contains(inner, mark)
		}
	}
	return false
}
