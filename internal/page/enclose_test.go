package page

import (
	"strings"
	"testing"
)

// Whatever is in a file, it ends where its fence does.
func TestAFileStaysBetweenItsFences(t *testing.T) {
	for name, content := range map[string]string{
		"plain":         "a\nb",
		"a fence":       "```go\nx\n```",
		"long fences":   "`````\n```\n``````",
		"indented":      "   ````\nx",
		"empty":         "",
		"not at begin":  "x ``` y",
		"end of a file": "x\n```",
	} {
		lines := strings.Split(enclosed("a.go", content), "\n")
		fence := strings.TrimSuffix(lines[1], "go")
		if lines[0] != "a.go:" || lines[len(lines)-1] != fence || strings.Trim(fence, "`") != "" {
			t.Fatalf("%s: %q", name, lines)
		}
		for _, line := range lines[2 : len(lines)-1] {
			if strings.HasPrefix(strings.TrimLeft(line, " "), fence) {
				t.Errorf("%s: %q ends the fence %q", name, line, fence)
			}
		}
	}
}

func TestLanguageOfAFile(t *testing.T) {
	for name, want := range map[string]string{"a.go": "go", "Makefile": "", "a.b c": "", "x.`js`": "", "a.tar.gz": "gz", "x.verylongextension": ""} {
		if got := language(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
