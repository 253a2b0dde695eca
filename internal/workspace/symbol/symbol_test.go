package symbol

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

var update = flag.Bool("update", false, "write the expected symbols anew")

// The symbols of files as they are written, each with its first and last line.
// The expectations were checked by hand, line by line.
func TestSymbolsOfRealFiles(t *testing.T) {
	for _, name := range []string{"server.go.txt", "agent.rs", "outer.py", "service.ts", "view.tsx", "script.js"} {
		t.Run(name, func(t *testing.T) {
			src := read(t, name)
			for _, ends := range []string{"\n", "\r\n"} {
				var b strings.Builder
				list, err := List(strings.TrimSuffix(name, ".txt"), bytes.ReplaceAll(src, []byte("\n"), []byte(ends)))
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range list {
					fmt.Fprintf(&b, "%d-%d %s %s\n", s.Line, s.End, s.Kind, s.Name)
				}
				golden := filepath.Join("testdata", name+".symbols")
				if *update {
					if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if d := cmp.Diff(string(read(t, name+".symbols")), b.String()); d != "" {
					t.Errorf("with line ends %q (-want +got):\n%s", ends, d)
				}
			}
		})
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestFind(t *testing.T) {
	list, err := List("service.ts", read(t, "service.ts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q    Query
		line int
		want string
	}{
		{Query{Name: "Service.run"}, 14, ""},
		{Query{Name: "run"}, 14, ""},
		{Query{Name: "Service::run"}, 14, ""},
		{Query{Kind: "class", Name: "Service"}, 9, ""},
		{Query{Name: "f"}, 0, "ambiguous target: f matches function f (lines 3-4), function f (lines 5-7)."},
		{Query{Name: "f", Line: 5}, 5, ""},
		{Query{Name: "Service.ran"}, 0, "not found: there is no Service.ran in this file. Near are: Service.run"},
		{Query{Kind: "struct", Name: "Service"}, 0, "not found: there is no struct Service in this file. There is class Service (lines 9-21)."},
		{Query{Name: "qqqqqqqqqqqq"}, 0, "not found: there is no qqqqqqqqqqqq in this file."},
	} {
		s, err := Find(list, c.q)
		if c.want == "" && (err != nil || s.Line != c.line) {
			t.Errorf("%v: %+v, %v", c.q, s, err)
		}
		if c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%v: %v", c.q, err)
		}
	}
	list, err = List("server.go", read(t, "server.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Server.Run", "(*Server).Run", "(Server).Run", "Run", "Min", "Low", "Min, Low", "timeout"} {
		if _, err := Find(list, Query{Name: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file that cannot be told for certain has no symbols, and the error says why.
func TestWhatCannotBeTold(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a.go", "package a\n\nfunc x( {\n", "line 3"},
		{"a.go", "", "line 1"},
		{"a.rs", "fn x( {\nstruct {\n", "syntax error near line"},
		{"a.py", "def x(:\n  pass\n", "syntax error near line"},
		{"a.ts", "class { ((\n", "syntax error near line"},
		{"a.js", "function (\n", "syntax error near line"},
		{"a.txt", "x", "Symbols are not known for a.txt"},
		{"Makefile", "x", "Symbols are not known"},
		{"a.rs", strings.Repeat("(", 10_000), "nested too deeply"},
		{"a.go", "package a\n" + strings.Repeat("// x\n", 200_000), "larger than 512 KiB"},
	} {
		list, err := List(c.name, []byte(c.src))
		if err == nil || !strings.Contains(err.Error(), c.want) || parley.KindOf(err) != parley.Invalid || list != nil {
			t.Errorf("%s %.20q: %v", c.name, c.src, err)
		}
	}
	for _, name := range []string{"a.rs", "a.py", "a.ts", "a.tsx", "a.js"} {
		if list, err := List(name, nil); err != nil || len(list) != 0 {
			t.Errorf("an empty %s: %v, %v", name, list, err)
		}
	}
}

// Depth that needs no brackets ends in an answer or in an error, not with the program. What is
// tried in vain is counted, so that the answer does not depend on how busy the machine is; a
// parser without a bound would not come to the end of some of these.
func TestDeepFiles(t *testing.T) {
	for _, c := range []struct {
		name, src string
		symbols   int
		want      string // of the error
	}{
		{name: "minus.go", src: "package a\nvar x = " + strings.Repeat("-", 40_000) + "1", want: "expected operand"},
		{name: "minus.rs", src: "fn f() { let x = " + strings.Repeat("-", 20_000) + "1; }", symbols: 1},
		{name: "not.py", src: "x = " + strings.Repeat("not ", 10_000) + "1", symbols: 1},
		{name: "if.py", src: strings.Repeat("if 1:\n", 5_000), want: "syntax error"},
		{name: "field.py", src: `f"` + strings.Repeat(`\N{`, 100_000), want: "nested too deeply"},
		{name: "not.js", src: "x = " + strings.Repeat("!", 20_000) + "1"},
		{name: "assign.js", src: "x = " + strings.Repeat("a=", 15_000) + "1", want: "syntax error"},
		{name: "plus.js", src: "x = 1" + strings.Repeat("+1", 20_000)},
		{name: "object.js", src: "a = {" + strings.Repeat("a:{}/1,", 70_000) + "}", want: "could not be parsed in time"},
		{name: "statements.js", src: strings.Repeat("a=1;", 100_000)},
		{name: "declarations.js", src: strings.Repeat("var a;", 80_000), symbols: 80_000},
		{name: "keyof.ts", src: "type A = " + strings.Repeat("keyof ", 8_000) + "B", symbols: 1},
		{name: "less.ts", src: "x = " + strings.Repeat("a<", 200_000) + "b", want: "syntax error"},
		{name: "choice.ts", src: "x = " + strings.Repeat("a ? (b): c => ", 300) + "d", want: "syntax error"},
		{name: "element.tsx", src: "x = " + strings.Repeat("<a", 200_000), want: "syntax error"},
	} {
		list, err := List(c.name, []byte(c.src))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) || len(list) != c.symbols {
			t.Errorf("%s: %d symbols, %v; want %d, %q", c.name, len(list), err, c.symbols, c.want)
		}
	}
}

func TestABlockIsWholeLines(t *testing.T) {
	src := []byte("const a = 1, b = 2;\nclass A { m() {} }\n  const c = 3; // c\nlet d = 4;\r\nfunction e() {}; f()\n")
	list, err := List("a.js", src)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range list {
		from, to, err := s.Block(src)
		if got[s.Name] = string(src[from:to]); err != nil {
			got[s.Name] = "shared"
		}
	}
	want := map[string]string{"a": "shared", "b": "shared", "A": "class A { m() {} }", "A.m": "shared", "c": "  const c = 3; // c", "d": "let d = 4;", "e": "shared"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// FuzzList looks for files that a parser fails on, or whose symbols lie outside or
// across each other.
func FuzzList(f *testing.F) {
	names := []string{"a.go", "a.rs", "a.py", "a.ts", "a.tsx", "a.js"}
	for i, seed := range []string{
		"package a\n\n// T is one.\ntype T struct{ a int }\n\nfunc (t *T) m() {}\nvar a, b = 1, 2 // both\n",
		"/// A\n#[a] #[b] // c\npub struct A<T>(T);\nimpl<T> B for A<T> {\n    fn m(&self) {}\n}\n",
		"# c\n@a\nclass A:\n    # d\n    def f(self): pass\n    x: int = 1\nif x:\n    def g(): pass\n",
		"/** A */\n@a() @b\nexport class A<T> {\n  @c() m(): void {}\n  n = () => 1;\n}\ntype B = 1\n",
		"export default () => <a b={1}>c</a>;\nenum E { A }\n",
		"// c\nexport const a = 1, b = function () {};\nclass C { static #d = 1; get e() {} }\n",
	} {
		f.Add(i, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, which int, src []byte) {
		name := names[(which%len(names)+len(names))%len(names)]
		list, err := List(name, src)
		if err != nil && strings.Contains(err.Error(), "the parser failed") {
			t.Fatalf("%s: the parser panicked", name)
		}
		checkBounds(t, src, list)
	})
}
