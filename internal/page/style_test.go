package page

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The stylesheet is part of the first view, so what nobody uses does not belong in it,
// and a class has one meaning: two blocks that share a name colour each other's words.

var (
	comment   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	className = regexp.MustCompile(`\.(-?[a-z][a-z0-9-]*)`)
	bareClass = regexp.MustCompile(`^\.[a-z][a-z0-9-]*$`)
)

// made are classes that are put together from a word and a state or a number.
var made = regexp.MustCompile(`^(st|need|l|e|w|p)-[a-z]+$|^in[0-9]$`)

func stylesheet(t *testing.T) string {
	t.Helper()
	css, err := fs.ReadFile(staticFiles, "static/style.css")
	if err != nil {
		t.Fatal(err)
	}
	return comment.ReplaceAllString(string(css), "")
}

func TestEveryClassOfTheStylesheetIsUsed(t *testing.T) {
	var all strings.Builder
	for _, files := range []fs.FS{templateFiles, staticFiles} {
		err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || strings.HasSuffix(name, ".css") {
				return err
			}
			content, err := fs.ReadFile(files, name)
			all.Write(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{"*.go", "markup/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if content, err := os.ReadFile(name); err != nil {
				t.Fatal(err)
			} else if !strings.HasSuffix(name, "_test.go") {
				all.Write(content)
			}
		}
	}
	words := map[string]bool{}
	for _, w := range regexp.MustCompile(`[a-z][a-zA-Z0-9-]*`).FindAllString(all.String(), -1) {
		words[w] = true
	}
	var dead []string
	for rule := range strings.SplitSeq(stylesheet(t), "}") {
		selector, _, _ := strings.Cut(rule, "{")
		for _, m := range className.FindAllStringSubmatch(selector, -1) {
			if name := m[1]; !words[name] && !made.MatchString(name) && !slices.Contains(dead, name) {
				dead = append(dead, name)
			}
		}
	}
	if len(dead) > 0 {
		t.Errorf("no template and no script uses the classes %s: take them out of style.css", strings.Join(dead, ", "))
	}
}

func TestAClassHasOneBlock(t *testing.T) {
	seen := map[string]bool{}
	depth, selector := 0, ""
	for _, r := range stylesheet(t) {
		switch r {
		case '{':
			one := strings.TrimSpace(selector)
			if depth == 0 && bareClass.MatchString(one) {
				if seen[one] {
					t.Errorf("%s has two blocks: if they are about two things, one needs another name, else they belong together", one)
				}
				seen[one] = true
			}
			depth, selector = depth+1, ""
		case '}':
			depth, selector = depth-1, ""
		default:
			selector += string(r)
		}
	}
	if !seen[".you"] {
		t.Error("the colour of what is addressed to the visitor was not found")
	}
}
