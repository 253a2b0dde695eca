package symbol

import (
	"fmt"
	"strings"
	"testing"
)

// What stands above a definition belongs to it also if several share a line, and
// what only looks like a comment does not.
func TestWhatBelongsToADefinition(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a.ts", "class A {\n  @A() @B()\n  m() {}\n}\n", "1-4 A, 2-3 A.m"},
		{"a.ts", "class A {\n  x() {} // of x\n  /** y */ @C()\n  y() {}\n}\n", "1-5 A, 2-2 A.x, 3-4 A.y"},
		{"a.js", "f(); // of f\n/* g */ // more of g\nfunction g() {}\n", "2-3 g"},
		{"a.ts", "class A {\n  static async *g() {}\n  async() {}\n  async *h() {}\n}\n", "1-5 A, 2-2 A.g, 3-3 A.async, 4-4 A.h"},
		{"a.js", "// r\nmodule.exports.run = () => {\n};\nmodule.exports = 1;\nA.prototype.m = function () {};\nexports.C = class {\n  n() {}\n};\n", "1-3 module.exports.run, 5-5 A.prototype.m, 6-8 exports.C, 7-7 exports.C.n"},
		{"a.rs", "#[a] #[b]\nfn x() {}\n", "1-2 x"},
		{"a.rs", "/// S\n#[derive(Debug)] // for the log\n#[serde(default)]\nstruct S;\nfn a() {} // of a\nfn b() {}\n", "1-4 S, 5-5 a, 6-6 b"},
		{"a.py", "DOC = \"\"\"\n# heading\"\"\"\ndef f():\n    pass\n", "1-2 DOC, 3-4 f"},
		{"a.py", "class A:\n    # x\n    # and more\n    def x(self): pass\n", "1-4 A, 2-4 A.x"},
	} {
		list, err := List(c.name, []byte(c.src))
		var got []string
		for _, s := range list {
			got = append(got, fmt.Sprintf("%d-%d %s", s.Line, s.End, s.Name))
		}
		if err != nil || strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %v, %v\n%s", c.name, got, err, c.src)
		}
	}
}
