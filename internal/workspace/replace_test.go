package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/workspace/symbol"
)

// open opens a workspace with one file.
func open(t testing.TB, name, content string) *Workspace {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
	w, err := Open(Config{Folder: dir, Team: dir, Hidden: []string{filepath.Join(dir, ".parley")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func content(t testing.TB, w *Workspace, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.Folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const goSource = "package a\n\n// One is one.\nfunc One() int {\n\treturn 1\n}\n\ntype T struct{}\n\nfunc (t *T) Run() {}\n\nfunc (t T) Stop() {}\n"

func TestReplaceBlock(t *testing.T) {
	py := "class A:\n    # first\n    @d\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
	for _, c := range []struct {
		name, file, before string
		r                  Replacement
		after, err         string
	}{
		{name: "a function with its comment", file: "a.go", before: goSource,
			r:     Replacement{Symbol: symbol.Query{Kind: "function", Name: "One"}, New: "// One is two.\nfunc One() int { return 2 }\n"},
			after: strings.Replace(goSource, "// One is one.\nfunc One() int {\n\treturn 1\n}", "// One is two.\nfunc One() int { return 2 }", 1)},
		{name: "a method by its name alone", file: "a.go", before: goSource, r: Replacement{Symbol: symbol.Query{Name: "Stop"}, New: "func (t T) Stop() { return }"},
			after: strings.Replace(goSource, "Stop() {}", "Stop() { return }", 1)},
		{name: "a method in Python with decorator and comment", file: "a.py", before: py,
			r:     Replacement{Symbol: symbol.Query{Name: "A.f"}, New: "    def f(self):\n        return 3"},
			after: "class A:\n    def f(self):\n        return 3\n\n    def g(self):\n        return 2\n"},
		{name: "removed", file: "a.py", before: py, r: Replacement{Symbol: symbol.Query{Name: "A.g"}},
			after: "class A:\n    # first\n    @d\n    def f(self):\n        return 1\n\n\n"},
		{name: "line ends of Windows", file: "a.go", before: strings.ReplaceAll(goSource, "\n", "\r\n"),
			r:     Replacement{Symbol: symbol.Query{Name: "One"}, New: "func One() int {\n\treturn 2\n}"},
			after: strings.ReplaceAll(strings.Replace(goSource, "// One is one.\nfunc One() int {\n\treturn 1\n}", "func One() int {\n\treturn 2\n}", 1), "\n", "\r\n")},
		{name: "a text over lines with line ends of Windows", file: "a.txt", before: "one\r\ntwo\r\nthree", r: Replacement{Old: "one\ntwo", New: "1\n2\n2b"}, after: "1\r\n2\r\n2b\r\nthree"},
		{name: "no line end at the end", file: "a.rs", before: "fn a() {}\nfn b() {}", r: Replacement{Symbol: symbol.Query{Name: "b"}, New: "fn b() { 1; }\n"}, after: "fn a() {}\nfn b() { 1; }"},
		{name: "a mark at the beginning stays", file: "a.txt", before: "\uFEFFone two", r: Replacement{Old: "one", New: "1"}, after: "\uFEFF1 two"},
		{name: "the second of two by its line", file: "a.txt", before: "x\ny\nx\n", r: Replacement{Old: "x", New: "z", Symbol: symbol.Query{Line: 3}}, after: "x\ny\nz\n"},
		{name: "forced", file: "a.rs", before: "fn a() {}\n", r: Replacement{Symbol: symbol.Query{Name: "a"}, New: "fn a( {", Force: true}, after: "fn a( {\n"},
		{name: "a file that did not parse before", file: "a.go", before: "package a\nfunc (\n", r: Replacement{Old: "func (", New: "func ( x"}, after: "package a\nfunc ( x\n"},

		{name: "stale", file: "a.go", before: goSource, r: Replacement{Digest: "0123456789ab", Old: "One", New: "x"}, err: "stale target: 'a.go' is not what you have read: its digest is now "},
		{name: "no digest", file: "a.go", before: goSource, r: Replacement{Digest: " ", Old: "One", New: "x"}, err: "The digest is missing. Read the file first"},
		{name: "ambiguous text", file: "a.txt", before: "x\ny\nx\n", r: Replacement{Old: "x", New: "z"}, err: "ambiguous target: the text begins on lines 1, 3. Give more"},
		{name: "a text that overlaps itself", file: "a.txt", before: "aaa", r: Replacement{Old: "aa", New: "z"}, err: "ambiguous target: the text begins on lines 1, 1."},
		{name: "ambiguous symbol", file: "a.py", before: "class A:\n  def f(self): pass\nclass B:\n  def f(self): pass\n", r: Replacement{Symbol: symbol.Query{Name: "f"}, New: "x"},
			err: "ambiguous target: f matches method A.f (lines 2-2), method B.f (lines 4-4)."},
		{name: "no such text", file: "a.txt", before: "  one\n", r: Replacement{Old: "one \n two", New: "x"}, err: "not found: 'a.txt' does not contain this text. It has to be exact, with its spaces and without line numbers. Line 1 is like its first line."},
		{name: "no such symbol", file: "a.go", before: goSource, r: Replacement{Symbol: symbol.Query{Name: "Won"}, New: "x"}, err: "not found: there is no Won in this file. Near are: One"},
		{name: "Go that would not parse", file: "a.go", before: goSource, r: Replacement{Symbol: symbol.Query{Name: "One"}, New: "func One( {", Force: true},
			err: "Nothing was changed: afterwards the file would not parse. The symbols of this Go file cannot be told: line 3:"},
		{name: "Rust that would not parse", file: "a.rs", before: "fn a() {}\n", r: Replacement{Symbol: symbol.Query{Name: "a"}, New: "fn a( {"}, err: "Nothing was changed: afterwards the file would not parse."},
		{name: "a symbol in a file that does not parse", file: "a.go", before: "package a\nfunc (\n", r: Replacement{Symbol: symbol.Query{Name: "x"}, New: "y"}, err: "The symbols of this Go file cannot be told: line 2"},
		{name: "neither", file: "a.go", before: goSource, r: Replacement{New: "x"}, err: "Say what to replace"},
		{name: "both", file: "a.go", before: goSource, r: Replacement{Symbol: symbol.Query{Name: "One"}, Old: "x", New: "x"}, err: "Say what to replace"},
		{name: "shared lines", file: "a.js", before: "let a = 1, b = 2\n", r: Replacement{Symbol: symbol.Query{Name: "a"}, New: "x"}, err: "variable a shares its lines with something else."},
		{name: "binary", file: "a.bin", before: "a\x00b", r: Replacement{Old: "a", New: "x"}, err: "'a.bin' is a binary file of 3 bytes."},
		{name: "into binary", file: "a.txt", before: "a", r: Replacement{Old: "a", New: "\x00"}, err: "The file would be larger than 4 MiB, or no text."},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, c.file, c.before)
			c.r.Path = c.file
			if c.r.Digest == "" {
				c.r.Digest = file{data: []byte(c.before)}.digest()
			}
			changed, err := w.ReplaceBlock(Access{}, c.r)
			if c.err == "" {
				c.err, c.before = "<nil>", c.after
				if after := (file{data: []byte(c.after)}); changed.Digest != after.digest() {
					t.Errorf("the digest is %s", changed.Digest)
				}
			}
			if got := errText(err); !strings.HasPrefix(got, c.err) {
				t.Errorf("error: %s", got)
			}
			if got := content(t, w, c.file); got != c.before {
				t.Errorf("the file is %q, want %q", got, c.before)
			}
			info, err := os.Stat(filepath.Join(w.Folder, c.file))
			if err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("the mode has become %v, %v", info.Mode(), err)
			}
		})
	}
}

func errText(err error) string {
	if err == nil {
		return "<nil>"
	}
	return err.Error()
}

// FuzzReplaceBlock looks for replacements that panic, or that change more of a file
// than they say.
func FuzzReplaceBlock(f *testing.F) {
	names := []string{"a.go", "a.rs", "a.py", "a.ts", "a.js", "a.txt"}
	f.Add(0, goSource, "One", "", "func One() {}", 0, false)
	f.Add(2, "class A:\r\n  def f(self): pass\r\n", "A.f", "", "  def f(self): return", 0, true)
	f.Add(5, "a\nb\na", "", "a", "c\nd", 3, false)
	f.Add(4, "export default () => 1\n", "default", "", "", 1, false)
	f.Fuzz(func(t *testing.T, which int, before, name, old, text string, line int, force bool) {
		file := file{path: names[(which%len(names)+len(names))%len(names)], data: []byte(before)}
		r := Replacement{Digest: file.digest(), Symbol: symbol.Query{Name: name, Line: line}, Old: old, New: text, Force: force}
		if (name == "") == (old == "") {
			return
		}
		made, changed, err := r.apply(file)
		if err != nil {
			return
		}
		from, to, err := r.target(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(made.data), before[:from]) || !strings.HasSuffix(string(made.data), before[to:]) {
			t.Errorf("more than %d-%d of %q was changed: %q", from, to, before, made.data)
		}
		if changed.Digest != made.digest() || changed.From < 1 || changed.To < changed.From {
			t.Errorf("%+v", changed)
		}
		if len(made.data) != from+len(r.text(file))+len(before)-to {
			t.Errorf("%q became %q", before, made.data)
		}
	})
}
