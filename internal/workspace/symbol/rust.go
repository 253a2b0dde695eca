package symbol

import "strings"

// readRust reads the items of a Rust file, and those of modules, implementations
// and traits. What functions hold is not read.
func readRust(src []byte) ([]Symbol, error) {
	s, err := scanRust(src)
	if err != nil {
		return nil, inFile(err, src)
	}
	r := &rustReader{cursor{source: s, end: len(s.tokens)}}
	r.items(scope{})
	return r.result()
}

type rustReader struct{ cursor }

func (r *rustReader) items(s scope) {
	for !r.done() {
		r.item(s)
	}
}

// item reads one. Whatever is none of those of the language ends the reading: what
// comes after it would be a guess.
func (r *rustReader) item(s scope) {
	first := r.at
	for r.is("#") {
		r.at++
		if r.take("!") {
			r.group("[") // about what it stands in
			return
		}
		r.group("[")
	}
	if r.take(";") || r.done() && r.wrong == nil {
		return
	}
	foreign := r.modifiers()
	switch {
	case r.is("fn"):
		r.plain("function", first, s)
	case r.is("struct"):
		r.plain("struct", first, s)
	case r.is("enum"):
		r.plain("enum", first, s)
	case r.is("union") && r.tokenAt(r.at+1).sort == word:
		r.plain("union", first, s)
	case r.is("type"):
		r.ended("type", first, s)
	case r.is("const"):
		r.ended("const", first, s)
	case r.is("static"):
		r.ended("variable", first, s)
	case r.is("trait"):
		r.holder("trait", first, s)
	case r.is("mod"):
		r.holder("module", first, s)
	case r.is("impl"):
		r.implementation(first, s)
	case r.is("use", "extern"):
		r.statement()
	case r.is("{") && foreign:
		r.within("{", func() { r.items(s) })
	default:
		r.macro(first, s)
	}
}

// modifiers steps over what may stand before a keyword, and says whether the last
// of it was extern, perhaps with the name of an interface.
func (r *rustReader) modifiers() (foreign bool) {
	for {
		next := r.tokenAt(r.at + 1)
		switch {
		case r.is("pub"):
			if r.at++; r.is("(") {
				r.group("(")
			}
		case r.is("extern") && next.sort == value:
			r.at += 2
			foreign = true
		case r.is("extern") && (r.isAt(1, "fn") || next.sort == opening):
			r.at++
			foreign = true
		case r.is("const") && (r.isAt(1, "unsafe", "async", "fn", "extern", "trait", "impl", "gen")):
			r.at++
		case r.is("unsafe", "async", "default", "safe", "auto", "gen", "crate") && next.sort == word:
			r.at++
		default:
			return foreign
		}
	}
}

// plain is a definition that ends with its body or with a semicolon.
func (r *rustReader) plain(kind string, first int, s scope) {
	r.at++
	name := r.wantName()
	if r.header(); r.is("{") {
		r.group("{")
	} else {
		r.want(";")
	}
	r.define(kind, name, first, s)
}

// header steps over parameters, types and conditions to the body, or to what ends
// the definition without one. A brace within angle brackets is a constant.
func (r *rustReader) header() {
	angles := 0
	for !r.done() && !(angles == 0 && r.is("{", ";", "=")) {
		switch {
		case r.is("<"):
			angles++
		case r.is(">"):
			angles--
		case r.is("=>", ";", "}") || angles < 0:
			r.fail()
		}
		r.skip()
	}
}

// skip steps over one token, or over a bracket with all in it.
func (r *rustReader) skip() {
	if r.token().sort == opening {
		r.at = r.token().pair
	}
	r.at++
}

// statement goes behind the next semicolon.
func (r *rustReader) statement() {
	for !r.done() && !r.is(";") {
		r.skip()
	}
	r.want(";")
}

// ended is a definition that ends with a semicolon.
func (r *rustReader) ended(kind string, first int, s scope) {
	r.at++
	if kind == "variable" {
		r.take("mut")
	}
	name := r.wantName()
	r.statement()
	r.define(kind, name, first, s)
}

// holder is a definition that holds others.
func (r *rustReader) holder(kind string, first int, s scope) {
	r.at++
	name := r.wantName()
	if r.header(); r.is("=") || r.is(";") {
		r.statement() // an alias, or a module in another file
		r.define(kind, name, first, s)
		return
	}
	r.body(kind, name, name, first, s)
}

// body defines what has one, and reads it.
func (r *rustReader) body(kind, name, inside string, first int, s scope) {
	body := r.at
	r.group("{")
	r.define(kind, name, first, s)
	if r.wrong == nil {
		r.at = body
		r.within("{", func() { r.items(scope{prefix: s.prefix + inside + "::", isType: kind != "module"}) })
	}
}

// implementation is named after the trait and the type, what is in it after the
// type alone.
func (r *rustReader) implementation(first int, s scope) {
	r.at++
	if r.is("<") {
		r.angles()
	}
	r.take("const")
	r.take("!")
	from, trait := r.at, ""
	for angles := 0; !r.done() && !(angles == 0 && r.is("{", "where")); r.skip() {
		switch {
		case r.is("<"):
			angles++
		case r.is(">"):
			angles--
		case r.is("for") && angles == 0 && trait == "":
			trait, from = r.between(from, r.at), r.at+1
		}
	}
	of := r.between(from, r.at)
	if bare := withoutParameters(of); bare != "" {
		of = bare
	}
	r.header()
	name := of
	if trait != "" {
		name = trait + " for " + of
	}
	r.body("impl", name, of, first, s)
}

// angles steps over parameters in angle brackets.
func (r *rustReader) angles() {
	for depth := 0; !r.done(); {
		switch {
		case r.is("<"):
			depth++
		case r.is(">"):
			depth--
		}
		if r.skip(); depth == 0 {
			return
		}
	}
	r.fail()
}

// between is the text from one token up to another, on one line.
func (r *rustReader) between(from, to int) string {
	if from >= to || to > r.end {
		r.fail()
		return ""
	}
	return strings.Join(strings.Fields(string(r.src[r.tokens[from].from:r.tokens[to-1].to])), " ")
}

// withoutParameters turns Agent<T> into Agent.
func withoutParameters(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return strings.TrimSpace(name)
}

// macro is the definition of one, or a call, which may define anything.
func (r *rustReader) macro(first int, s scope) {
	defines := r.is("macro_rules", "macro") && (r.isAt(1, "!") || r.tokenAt(r.at+1).sort == word)
	r.take("::")
	for r.token().sort == word && r.isAt(1, "::") {
		r.at += 2
	}
	r.wantName()
	if !r.take("!") && !defines {
		r.fail()
	}
	name := ""
	if r.token().sort == word {
		name = r.wantName()
	}
	braces := r.is("{")
	if r.token().sort != opening {
		r.fail()
		return
	}
	r.skip()
	if defines && !braces && r.is("{") { // macro name($x:expr) { … }
		braces = true
		r.skip()
	}
	if !braces {
		r.want(";")
	}
	if defines {
		r.define("macro", name, first, s)
	}
}
