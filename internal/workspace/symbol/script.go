package symbol

import "strings"

// TypeScript and JavaScript have one way to be read. Only TypeScript has types, and
// only where it has no elements of JSX do angle brackets mean types alone.
func readTypeScript(src []byte) ([]Symbol, error)  { return readScript(src, true, false) }
func readTypeScriptX(src []byte) ([]Symbol, error) { return readScript(src, true, true) }
func readJavaScript(src []byte) ([]Symbol, error)  { return readScript(src, false, true) }

// readScript reads the definitions of a file, and those of its classes, interfaces
// and modules. What functions and objects hold is not read.
func readScript(src []byte, typed, jsx bool) ([]Symbol, error) {
	s, err := scanScript(src, typed, jsx)
	if err != nil {
		return nil, inFile(err, src)
	}
	r := &scriptReader{cursor: cursor{source: s, end: len(s.tokens)}, isTyped: typed, work: 3*len(s.tokens) + 10_000}
	r.statements(scope{})
	return r.result()
}

type scriptReader struct {
	cursor
	isTyped  bool
	work     int  // bounds what is tried in vain
	choosing int  // how many choices, b of a ? b : c, the cursor is in
	inBound  bool // the cursor is in a type behind extends, where no choice may stand
}

func (r *scriptReader) statements(s scope) {
	for !r.done() {
		r.statement(s)
	}
}

// statement reads one. Whatever it cannot be ends the reading: what comes after it
// would be a guess.
func (r *scriptReader) statement(s scope) {
	if r.depth++; r.depth > maxNesting {
		r.fail()
	}
	defer func() { r.depth-- }()
	if r.take(";") {
		return
	}
	first := r.at
	r.decorators()
	exported := r.is("export") && r.at+1 < r.end
	if exported {
		if r.at++; r.exportOnly(first, s) {
			return
		}
		r.decorators()
	}
	if r.is("declare") && r.nextIsWord() {
		r.at++
	}
	if r.declaration(first, s) {
		return
	}
	if first != r.at {
		r.fail() // nothing else is exported or has decorators
	}
	r.other(first, s)
}

// nextIsWord says whether a word follows the next one on its line.
func (r *scriptReader) nextIsWord() bool {
	t := r.tokenAt(r.at + 1)
	return t.sort == word && !t.fresh
}

// decorators steps over @a.b(c) and the like.
func (r *scriptReader) decorators() {
	for r.take("@") {
		if r.is("(") {
			r.group("(")
			continue
		}
		r.wantName()
		for r.is(".") {
			r.at++
			r.wantName()
		}
		if r.is("<") {
			r.typeParameters()
		}
		if r.is("(") {
			r.group("(")
		}
	}
}

// exportOnly reads what an export has besides declarations.
func (r *scriptReader) exportOnly(first int, s scope) bool {
	if r.is("type") && r.isAt(1, "{", "*") {
		r.at++
	}
	switch {
	case r.is("default"):
		r.at++
		r.exportDefault(first, s)
	case r.is("{", "*"):
		r.clause()
	case r.take("="):
		r.expr(false)
		r.endStatement()
	case r.is("as"):
		r.at += 3 // as namespace Name
		r.endStatement()
	case r.is("import"):
		r.importing()
	default:
		return false
	}
	return true
}

// exportDefault is a declaration, perhaps without a name, or a value. The name of
// something else is no definition.
func (r *scriptReader) exportDefault(first int, s scope) {
	r.decorators()
	if r.is("function", "class", "async", "abstract", "interface") && r.declaration(first, s) {
		return
	}
	e := r.expr(false)
	r.endStatement()
	if e.kind == "" || e.left > 0 {
		e.kind = "const"
	}
	if !e.bare {
		r.defineValue(e, "default", first, s)
	}
}

// clause is what import and export have before the name of a file, and that.
func (r *scriptReader) clause() {
	for !r.done() && r.token().sort != value {
		switch {
		case r.is("{"):
			r.group("{")
			if !r.is("from", ",") {
				r.endStatement() // export { a }
				return
			}
		case r.token().sort == word || r.is(",", "*"):
			if r.at++; r.is("=") {
				r.at++
				r.expr(false)
				r.endStatement()
				return
			}
			if r.isAt(-1, "as") && r.token().sort == value {
				r.at++ // as "a name"
			}
		default:
			r.fail()
		}
	}
	r.at++
	if r.is("with", "assert") && r.isAt(1, "{") && !r.token().fresh {
		r.at++
		r.group("{")
	}
	r.endStatement()
}

func (r *scriptReader) importing() {
	if r.isAt(1, "(", ".") {
		r.expr(false)
		r.endStatement()
		return
	}
	r.at++
	r.clause()
}

// endStatement steps over a semicolon, or makes sure that none is needed. One on
// the next line begins that: those who write none otherwise put it there.
func (r *scriptReader) endStatement() {
	switch {
	case r.done() || r.token().fresh:
	case !r.take(";"):
		r.fail()
	}
}

// nested reads a statement that is part of another. What it defines is its own.
func (r *scriptReader) nested() {
	n := len(r.symbols)
	if r.done() {
		r.fail()
	}
	r.statement(scope{})
	r.symbols = r.symbols[:n]
}

// other reads a statement that is no declaration.
func (r *scriptReader) other(first int, s scope) {
	switch {
	case r.is("{"):
		r.group("{")
	case r.is("import"):
		r.importing()
	case r.is("if"):
		r.at++
		r.group("(")
		if r.nested(); r.take("else") {
			r.nested()
		}
	case r.is("for", "while", "with"):
		r.at++
		r.take("await")
		r.group("(")
		r.nested()
	case r.is("do"):
		r.at++
		r.nested()
		r.want("while")
		r.group("(")
		r.take(";")
	case r.is("try"):
		r.try()
	case r.is("switch"):
		r.at++
		r.group("(")
		r.group("{")
	case r.is("return", "throw", "break", "continue", "debugger"):
		if r.at++; !r.done() && !r.token().fresh && !r.is(";") {
			r.expr(false)
		}
		r.endStatement()
	case r.token().sort == word && r.isAt(1, ":"):
		r.at += 2
		r.nested()
	default:
		r.assignment(first, s)
	}
}

func (r *scriptReader) try() {
	r.at++
	r.group("{")
	if r.take("catch") {
		if r.is("(") {
			r.group("(")
		}
		r.group("{")
	}
	if r.take("finally") {
		r.group("{")
	}
}

// assignment is an expression. One that gives a function or a class to something
// else, such as module.exports.run or Server.prototype.run, defines that.
func (r *scriptReader) assignment(first int, s scope) {
	e := r.expr(false)
	r.endStatement()
	if e.left > 0 && e.kind != "" && r.wrong == nil {
		name := strings.Join(strings.Fields(string(r.src[r.tokens[first].from:e.left])), "")
		r.defineValue(e, name, first, s)
	}
}

// defineValue adds what is bound to a value; a class holds further definitions.
func (r *scriptReader) defineValue(e expression, name string, first int, s scope) {
	r.define(e.kind, name, first, s)
	if e.kind == "class" && r.wrong == nil {
		r.hold(e.body, name, s, r.members)
	}
}

// hold reads what is in the braces of a definition, and returns to the cursor.
func (r *scriptReader) hold(body int, name string, s scope, read func(scope)) {
	at := r.at
	r.at = body
	r.within("{", func() { read(scope{prefix: s.prefix + name + ".", isType: true}) })
	if r.wrong == nil {
		r.at = at
	}
}
