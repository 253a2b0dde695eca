package symbol

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What looks like a bracket, a comment, a text or the end of a statement and is
// none. Each file gets a definition named last at its end: who is misled loses it.
// Nothing is wanted of those that cannot be read.
func TestWhatMisleads(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		// Rust
		{"a.rs", "fn a<'a>(x: &'a str) -> char { match x { \"}\" => '}', _ => '\\'' } }", "1-1 a"},
		{"a.rs", "fn a() { let s = r#\"}\"{\"#; let b = b'{'; let c = br##\"\"#}\"##; let l: &'static str = \"\\\"}\"; }", "1-1 a"},
		{"a.rs", "/* { /* nested } */ { */ fn a() { 'outer: loop { break 'outer; } }", "1-1 a"},
		{"a.rs", "fn r#type() {}\nfn b(r: u8) -> u8 { r }", "1-1 r#type, 2-2 b"},
		{"a.rs", "struct A<const N: usize = { 1 + 2 }>([u8; N]);\nfn b() -> [u8; { 2 }] { [0; 2] }", "1-1 A, 2-2 b"},
		{"a.rs", "impl<T> Trait<{ 1 }> for Foo<T> where for<'a> T: Fn(&'a u8) -> bool, {\n fn m() {}\n}", "1-3 Trait<{ 1 }> for Foo, 2-2 Foo::m"},
		{"a.rs", "macro_rules! m { ($a:ty) => { impl X for $a {} }; }\nm!(u8);\nm! { u8 }\nthread_local!{static A: u8 = 1;}", "1-1 m"},
		{"a.rs", "const fn a() {}\nconst A: fn() -> u8 = || { 1 };\npub(in crate::x) const unsafe extern \"C\" fn b() {}\nextern \"C\" { static C: u8; fn d(); }", "1-1 a, 2-2 A, 3-3 b, 4-4 C, 4-4 d"},
		{"a.rs", "#![allow(x)]\n//! about the file\n#[cfg(test)]\nmod t { #![x] use super::*; fn a() {} }\nextern crate y;\nuse a::{b, c};", "3-4 t, 4-4 t::a"},

		// Python
		{"a.py", "def a(x={'}': ')'}, *, y=(\n)):\n    s = '''\ndef b():\n    '''\n    return s\n", "1-6 a"},
		{"a.py", "def a():\n    return f\"{x['{']}{y!r:>{width}}{{\" f'{z:%H:%M}' rf\"\\{x}\" f\"{d[\"k\"]}\"\n", "1-2 a"},
		{"a.py", "def a(): return '\\'' \"# no comment\" r'\\'\ndef b(): return b'\\\\'\n", ""},
		{"a.py", "x = 1 + \\\n  2\nif x: y = 2; z = 3\nclass A: b = 1\n", "1-2 x, 3-3 y, 3-3 z, 4-4 A, 4-4 A.b"},
		{"a.py", "async  def a():\n\tif x:\n\t\tpass\n\n# of b\ndef b(): pass\n", "1-3 a, 5-6 b"},
		{"a.py", "class A:\n    def f(self):\n        pass\n        # end of f\n    # of g\n    def g(self): ...\n", "1-6 A, 2-4 A.f, 5-6 A.g"},
		{"a.py", "match x:\n    case 1:\n        y = 1\nmatch = 2\ntype = 3\ntype X = int\nprint(a, b)\nz: int\nq.r = 1\na, b = 1, 2\nc += 1\n", "4-4 match, 5-5 type, 6-6 X, 8-8 z"},
		{"a.py", "try:\n    import a\nexcept ImportError:\n    a = None\nelse:\n    b = 1\nfinally:\n    c = 2\nfor i in x:\n    d = 3\n", "4-4 a, 6-6 b, 8-8 c"},
		{"a.py", "def f(a: int = (lambda: 1)()) -> dict[str, int]: return {1: 2}\n", "1-1 f"},

		// JavaScript
		{"a.js", "function a() { return `}${b(`{${{c: '}'}.c}`)}{` }", "1-1 a"},
		{"a.js", "function a() { if (x) /}/.test(x); return y / 2 / {a: 1}.a; }", "1-1 a"},
		{"a.js", "function a(x) { x++ / 2; return [/[/}]/g, a[0] / b / c, (d) / e, typeof /{/] }", "1-1 a"},
		{"a.js", "const a = { b: 1 } / 2, c = x => /}/.test(x)\nvar d = a\n/b/c\n", "1-1 a, 1-1 c, 2-3 d"},
		{"a.js", "const a = () => {\n}\nconst b = a\n;[1].map(a)\nconst c = x\n  .then(y)\n  ?.z`t`\nlet d\nlet e = d ? function () {} : () => 1\n++d\n", "1-2 a, 3-3 b, 5-7 c, 8-8 d, 9-9 e"},
		{"a.js", "const a = <p b='}' c={d ? <q/> : \"{\"}>it's {`}`} // text <></> </p>\nfunction b() { return x < y && z > (w) }", "1-1 a, 2-2 b"},
		{"a.js", "if (a) { var b = 1 } else function c() {}\nfor (const d of /x/) e()\ndo f(); while (g)\nlabel: for (;;) {}\ntry {} catch {} finally {}\nclass H { static { i() } 'j k'() {} [l]() {} get m() {} get = 1; static n = class { o() {} } }",
			"6-6 H, 6-6 H.j k, 6-6 H.[l], 6-6 H.m, 6-6 H.get, 6-6 H.n, 6-6 H.n.o"},
		{"a.js", "import a, { b } from 'c' with { type: 'json' }\nimport * as d from \"e\"\nexport * as f from 'g'\nexport { h as default }\nimport('i').then()\nexport default async x => x\n", "6-6 default"},
		{"a.js", "new class A {}\n!function b() {}()\nconst c = new class { d() {} }, e = await f\nx.y = x.z = function () {}\nx['y'] = () => 1\nx.y[0].z = async () => {\n}\n", "3-3 c, 3-3 e, 6-7 x.y[0].z"},

		// TypeScript
		{"a.ts", "function a(): { b: '}' } | (() => {}) { return <any>c as D<{}>; }", "1-1 a"},
		{"a.ts", "const a = (b: C<D<E>>): ((f: G) => H) => {\n}\nconst i = j as K<L>\nconst m = new Map<N, O>\nconst p = q<r> (s)\nlet t: U<V>= w >> 1, x = y! / 2 / z\n", "1-2 a, 3-3 i, 4-4 m, 5-5 p, 6-6 t, 6-6 x"},
		{"a.ts", "type A<T> = T extends infer U extends { b: 1 } ? U\n  : (<V>() => V) extends <V>() => V ? 1 : 2\ntype B = | { c: 1 }\n  | keyof typeof d[number]\ntype = 1\n", "1-2 A, 3-4 B"},
		{"a.ts", "const a = b ? (c): d => e : f\nconst g = h ? (i) : j\nabstract class K<L = {}> extends M<{}>(N)<O> implements P<Q>, R {\n  private readonly s?: T = {};\n  [u: string]: V\n  declare w: x; constructor(y);\n  constructor(public y: Z) { super() }\n}\n",
			"1-1 a, 2-2 g, 3-8 K, 4-4 K.s, 6-6 K.w, 6-6 K.constructor, 7-7 K.constructor"},
		{"a.ts", "interface A extends B<{}> {\n  new (c): D, (e): F\n  <G>(h: G): void\n  readonly i: () => {}\n  get j(): K\n  l?(m): n is { o: p }\n}\ndeclare global { interface Q {} }\nnamespace R.S { const t = 1 }\nexport = U\n",
			"1-7 A, 4-4 A.i, 5-5 A.j, 6-6 A.l, 8-8 global, 8-8 global.Q, 9-9 R.S, 9-9 R.S.t"},
		{"a.tsx", "const a = <T,>(b: T) => <c d={<T>(e) => e}>{`}`}</c>\ntype F = <G>(h: G) => void\nconst i = <J<K> l='>' />\n", "1-1 a, 2-2 F, 3-3 i"},
	} {
		last := "\nfunction last() {}\n"
		switch {
		case strings.HasSuffix(c.name, ".rs"):
			last = "\nfn last() {}\n"
		case strings.HasSuffix(c.name, ".py"):
			last = "\ndef last(): pass\n"
		}
		list, err := List(c.name, []byte(c.src+last))
		if c.want == "" {
			if err == nil {
				t.Errorf("%s has symbols:\n%s", c.name, c.src)
			}
			continue
		}
		var got []string
		for _, s := range list {
			got = append(got, fmt.Sprintf("%d-%d %s", s.Line, s.End, s.Name))
		}
		if err != nil || len(got) == 0 || !strings.HasSuffix(got[len(got)-1], " last") || strings.Join(got[:len(got)-1], ", ") != c.want {
			t.Errorf("%s: %v, %v\n%s", c.name, strings.Join(got, ", "), err, c.src)
		}
	}
}

// A bracket more or less anywhere, and there are no symbols: whatever lies behind
// it might be within it.
func TestABracketTooManyOrTooFew(t *testing.T) {
	for name, scan := range map[string]func([]byte) (*source, error){
		"agent.rs": scanRust, "outer.py": scanPython,
		"service.ts": func(src []byte) (*source, error) { return scanScript(src, true, false) },
		"view.tsx":   func(src []byte) (*source, error) { return scanScript(src, true, true) },
		"script.js":  func(src []byte) (*source, error) { return scanScript(src, false, true) },
	} {
		src := read(t, name)
		s, err := scan(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range s.tokens {
			if k.pair < 0 {
				continue
			}
			bracket := src[k.from:k.to]
			for what, changed := range map[string][]byte{
				"less": slices.Concat(src[:k.from], src[k.to:]),
				"more": slices.Concat(src[:k.to], bracket, src[k.to:]),
			} {
				if list, err := List(name, changed); err == nil {
					t.Errorf("%s, one %s %s at line %d: %d symbols", name, bracket, what, lineAt(src, k.from), len(list))
				}
			}
		}
	}
}
