package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadFile(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "line %d\r\n", i+1)
	}
	w := open(t, "a.txt", b.String())
	for _, c := range []struct {
		r           Reading
		from, to    int
		first, last string
		err         string
	}{
		{r: Reading{Path: "a.txt"}, from: 1, to: 1000, first: "line 1", last: "line 1000"},
		{r: Reading{Path: "./a.txt", From: 2999}, from: 2999, to: 3000, first: "line 2999", last: "line 3000"},
		{r: Reading{Path: "a.txt", From: 10, Lines: 3}, from: 10, to: 12, first: "line 10", last: "line 12"},
		{r: Reading{Path: "a.txt", Lines: 1_000_000}, from: 1, to: 3000, first: "line 1", last: "line 3000"},
		{r: Reading{Path: "a.txt", From: 3001}, err: "'a.txt' has 3000 lines; line 3001 is past its end."},
		{r: Reading{Path: "a.txt", From: -1}, err: "Lines are counted from 1."},
		{r: Reading{Path: "b.txt"}, err: "There is no file 'b.txt'. Look with glob."},
		{r: Reading{Path: "."}, err: "'.' is a folder."},
		{r: Reading{Path: "a.txt/b"}, err: "'a.txt' is not a folder."},
	} {
		page, err := w.ReadFile(c.r)
		if c.err != "" {
			if !strings.HasPrefix(errText(err), c.err) {
				t.Errorf("%+v: %v", c.r, err)
			}
			continue
		}
		if err != nil || page.From != c.from || page.To != c.to || page.Total != 3000 || page.Text[0] != c.first || page.Text[len(page.Text)-1] != c.last {
			t.Errorf("%+v: %d-%d of %d, %v", c.r, page.From, page.To, page.Total, err)
		}
	}
	long := open(t, "long.txt", strings.Repeat("x", 100_000)+"\n"+strings.Repeat(strings.Repeat("y", 1999)+"\n", 200))
	if page, err := long.ReadFile(Reading{Path: "long.txt"}); err != nil || !page.Cut || page.To >= page.Total || page.To < 10 {
		t.Errorf("a long file: %v, %d of %d", err, page.To, page.Total)
	}
}

// An editor writes back what it has read, including spaces.
func TestLinesKeepTheirSpaces(t *testing.T) {
	w := open(t, "a.py", "def f():\n    if x:\n\t\treturn  1 \n")
	want := []string{"def f():", "    if x:", "\t\treturn  1 "}
	if page, err := w.ReadFile(Reading{Path: "a.py"}); err != nil || page.Cut || !cmp.Equal(want, page.Text) {
		t.Errorf("read %q, cut %t, %v", page.Text, page.Cut, err)
	}
	found, err := w.Grep(t.Context(), Search{Pattern: "return"})
	if err != nil || found.Files[0].Lines[0].Text != want[2] {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestWriteFile(t *testing.T) {
	w := open(t, "a.sh", "echo\n")
	if err := os.Chmod(filepath.Join(w.Folder, "a.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	digest := file{data: []byte("echo\n")}.digest()
	for _, c := range []struct {
		in  Writing
		err string
	}{
		{Writing{Path: "deep/er/b.txt", Content: "b"}, "<nil>"},
		{Writing{Path: "a.sh", Content: "x"}, "'a.sh' exists. Read it first"},
		{Writing{Path: "a.sh", Content: "x", Digest: "0"}, "stale target: 'a.sh'"},
		{Writing{Path: "none.txt", Content: "x", Digest: digest}, "stale target: 'none.txt' is not what you have read: it is no longer there."},
		{Writing{Path: "a.sh", Content: "echo 2\n", Digest: digest}, "<nil>"},
		{Writing{Path: "a.sh", Content: "echo 3\n", Digest: digest}, "stale target: 'a.sh'"},
		{Writing{Path: "deep", Content: "x"}, "'deep' is not a regular file."},
		{Writing{Path: "a.sh/x", Content: "x"}, "'a.sh' is not a folder."},
		{Writing{Path: "big", Content: strings.Repeat("x", maxFile+1)}, "The content is larger than 4 MiB."},
	} {
		if _, err := w.WriteFile(Access{}, c.in); !strings.HasPrefix(errText(err), c.err) {
			t.Errorf("%s: %v", c.in.Path, err)
		}
	}
	info, err := os.Stat(filepath.Join(w.Folder, "a.sh"))
	if err != nil || info.Mode().Perm() != 0o755 || content(t, w, "a.sh") != "echo 2\n" {
		t.Errorf("%v %v %q", err, info.Mode(), content(t, w, "a.sh"))
	}
	left, err := filepath.Glob(filepath.Join(w.Folder, ".parley-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// tree makes files of a workspace.
func tree(t *testing.T, files map[string]string) *Workspace {
	t.Helper()
	w := open(t, "README.md", "Readme.\n")
	for name, text := range files {
		if _, err := w.WriteFile(Access{}, Writing{Path: name, Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestGlob(t *testing.T) {
	w := tree(t, map[string]string{
		"src/a.go": "", "src/b/c.go": "", "src/b/d.rs": "", "target/x.o": "", "src/b/keep.log": "", "src/b/drop.log": "", "[odd]/x.go": "",
		".gitignore": "# built\ntarget/\n*.log\n/only-here\n", "src/b/.gitignore": "!keep.log\n", "src/only-here": "", "sub/target": "",
	})
	for _, c := range []struct {
		pattern string
		all     bool
		want    []string
	}{
		{"*", false, []string{".gitignore", "README.md", "[odd]/", "src/", "sub/"}},
		{"**/*.go", false, []string{"[odd]/x.go", "src/a.go", "src/b/c.go"}},
		{"src/*", false, []string{"src/a.go", "src/b/", "src/only-here"}},
		{"src/**/*.{go,rs}", false, []string{"src/a.go", "src/b/c.go", "src/b/d.rs"}},
		{"**/*.log", false, []string{"src/b/keep.log"}},
		{"src/b/*.log", false, []string{"src/b/keep.log"}},
		{"**/*.log", true, []string{"src/b/drop.log", "src/b/keep.log"}},
		{"target/**", false, []string{"target/x.o"}}, // naming an ignored folder includes it
		{"target/*", true, []string{"target/x.o"}},
		{"sub/*", false, []string{"sub/target"}},
		{"src/a.go", false, []string{"src/a.go"}},
		{"nowhere/*", false, nil},
	} {
		got, err := w.Glob(t.Context(), c.pattern, c.all)
		if err != nil || got.Cut || !cmp.Equal(c.want, got.List) {
			t.Errorf("%s: %v %v", c.pattern, got.List, err)
		}
	}
	for _, pattern := range []string{"", "[a", "../*", "a/../../b"} {
		if got, err := w.Glob(t.Context(), pattern, false); err == nil {
			t.Errorf("%q finds %v", pattern, got.List)
		}
	}
}

func TestGrep(t *testing.T) {
	w := tree(t, map[string]string{
		"a.go": "one\ntwo\nthree\nfour\nfive\nTwo\n", "b/b.txt": "two\n", "big.txt": strings.Repeat("two\n", maxSearchFile/4+1), "bin": "two\x00", ".gitignore": "ignored\n", "ignored": "two\n",
		"many.txt": strings.Repeat("many\n", 500),
	})
	show := func(f Found) (lines []string) {
		for _, hits := range f.Files {
			for _, h := range hits.Lines {
				lines = append(lines, fmt.Sprintf("%s:%d:%s:%v", hits.Path, h.N, h.Text, h.Match))
			}
		}
		return lines
	}
	for _, c := range []struct {
		s    Search
		want []string
	}{
		{Search{Pattern: "^two$"}, []string{"a.go:2:two:true", "b/b.txt:1:two:true"}},
		{Search{Pattern: "TWO", IgnoreCase: true, Include: "*.go"}, []string{"a.go:2:two:true", "a.go:6:Two:true"}},
		{Search{Pattern: "t(wo|hree)", Path: "a.go", Context: 1}, []string{"a.go:1:one:false", "a.go:2:two:true", "a.go:3:three:true", "a.go:4:four:false"}},
		{Search{Pattern: "two", Path: "b"}, []string{"b/b.txt:1:two:true"}},
		{Search{Pattern: "two", Include: "b/**"}, []string{"b/b.txt:1:two:true"}},
		{Search{Pattern: "two", Path: "ignored", All: true}, []string{"ignored:1:two:true"}},
		{Search{Pattern: "nothing"}, nil},
	} {
		found, err := w.Grep(t.Context(), c.s)
		if err != nil || !cmp.Equal(c.want, show(found)) {
			t.Errorf("%+v: %v %v", c.s, show(found), err)
		}
	}
	if found, err := w.Grep(t.Context(), Search{Pattern: "two"}); err != nil || found.Skipped != 2 {
		t.Errorf("skipped %d, %v", found.Skipped, err)
	}
	if found, err := w.Grep(t.Context(), Search{Pattern: "many"}); err != nil || !found.Cut || found.Matches != maxMatches {
		t.Errorf("%d matches, %v", found.Matches, err)
	}
	for _, s := range []Search{{Pattern: "("}, {Pattern: ""}, {Pattern: "x", Path: "none"}, {Pattern: "x", Path: "../x"}, {Pattern: "x", Include: "[a"}} {
		if _, err := w.Grep(t.Context(), s); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}
