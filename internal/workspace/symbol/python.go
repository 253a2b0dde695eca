package symbol

import (
	"strings"
)

// readPython reads the definitions of a Python file, and those of its classes.
// What functions hold is not read. What is defined under a condition is defined all
// the same.
func readPython(src []byte) ([]Symbol, error) {
	s, err := scanPython(src)
	if err != nil {
		return nil, inFile(err, src)
	}
	r := &pythonReader{cursor: cursor{source: s, end: len(s.tokens)}}
	r.splitLines()
	if r.wrong == nil {
		r.block(0, len(r.lines), scope{})
	}
	return r.result()
}

// pythonReader reads statements by their lines.
type pythonReader struct {
	cursor
	lines []pythonLine
}

// pythonLine is a statement's, however many lines it is written on, or several
// statements with semicolons between them.
type pythonLine struct {
	from, to int // tokens
	depth    int // how many blocks it stands in
}

// splitLines finds the lines and how deep each stands. Only a line that ends with
// a colon is followed by a deeper one, and it always is.
func (r *pythonReader) splitLines() {
	var indents []string
	opens := true // the first line is at the beginning of a block, too
	for i := 0; i < r.end; {
		next := i + 1
		for next < r.end && !r.tokens[next].fresh {
			next++
		}
		indent := r.indent(r.tokens[i].from)
		deeper := len(indents) == 0 || len(indent) > len(indents[len(indents)-1])
		for !deeper && len(indents) > 1 && indent != indents[len(indents)-1] {
			indents = indents[:len(indents)-1]
		}
		if deeper {
			if len(indents) > 0 && !strings.HasPrefix(indent, indents[len(indents)-1]) || len(indents) > 100 || len(indents) == 0 && indent != "" {
				opens = false
			}
			indents = append(indents, indent)
		}
		if deeper != opens || indent != indents[len(indents)-1] {
			r.at = i
			r.fail()
			return
		}
		r.lines = append(r.lines, pythonLine{i, next, len(indents) - 1})
		opens = string(r.src[r.tokens[next-1].from:r.tokens[next-1].to]) == ":"
		i = next
	}
	if opens && len(r.lines) > 0 {
		r.fail()
	}
}

// block reads the lines of one block, from one line up to another.
func (r *pythonReader) block(from, to int, s scope) {
	decorated := -1
	for i := from; i < to && r.wrong == nil; {
		line := r.lines[i]
		next := i + 1
		for next < to && r.lines[next].depth > line.depth {
			next++
		}
		r.at, r.end = line.from, line.to
		switch {
		case r.is("@"):
			if decorated < 0 {
				decorated = line.from
			}
		case r.is("def") || r.is("async") && r.isAt(1, "def"):
			r.definition("function", decorated, i, next, s)
			decorated = -1
		case r.is("class"):
			r.definition("class", decorated, i, next, s)
			decorated = -1
		case decorated >= 0:
			r.fail() // nothing else has decorators
		case r.is("if", "elif", "else", "try", "except", "finally", "with"):
			if r.colon(); r.at < line.to {
				r.statements(s)
			} else {
				r.block(i+1, next, s)
			}
		case next == i+1:
			r.statements(s)
		}
		i = next
	}
	if decorated >= 0 {
		r.fail()
	}
}

// definition is a function or a class, from its line up to another.
func (r *pythonReader) definition(kind string, first, i, next int, s scope) {
	line := r.lines[i]
	if first < 0 {
		first = line.from
	}
	r.take("async")
	r.at++
	name := r.wantName()
	if r.is("[") {
		r.group("[")
	}
	if r.is("(") {
		r.group("(")
	} else if kind == "function" {
		r.fail()
	}
	r.colon()
	body := r.at
	if r.wrong != nil {
		return
	}
	r.at = r.lines[next-1].to
	r.define(kind, name, first, s)
	if next > i+1 {
		r.symbols[len(r.symbols)-1].to = r.trailing(r.lines[i+1])
	}
	inside := scope{prefix: s.prefix + name + ".", isType: true}
	if kind != "class" {
		return
	}
	if r.at = body; body < line.to {
		r.statements(inside)
	} else {
		r.block(i+1, next, inside)
	}
}

// trailing is where a block ends whose last token is before the cursor: behind the
// comments that are indented at least as deep as its first line.
func (r *pythonReader) trailing(line pythonLine) int {
	end, next := r.last(), len(r.src)
	if r.at < len(r.tokens) {
		next = r.tokens[r.at].from
	}
	indent := r.indent(r.tokens[line.from].from)
	for _, c := range r.comments[r.commentsBefore(end):r.commentsBefore(next)] {
		if r.beginsLine(c.from) {
			if len(r.indent(c.from)) < len(indent) {
				break
			}
			end = c.to
		}
	}
	return end
}

// colon goes behind the one that ends a line's head.
func (r *pythonReader) colon() {
	for !r.done() && !r.is(":") {
		if r.token().sort == opening {
			r.at = r.token().pair
		}
		r.at++
	}
	r.want(":")
}

// statements reads the simple ones of a line, of which assignments to a name and
// types are definitions.
func (r *pythonReader) statements(s scope) {
	for !r.done() {
		first, kind, name := r.at, "", ""
		switch {
		case r.token().sort != word || pythonKeywords[r.text(0)]:
		case r.is("type") && r.tokenAt(r.at+1).sort == word && r.isAt(2, "=", "["):
			kind, name = "type", r.text(1)
		case r.isAt(1, "=", ":"):
			kind, name = "variable", r.text(0)
		}
		for !r.done() && !r.is(";") {
			if r.token().sort == opening {
				r.at = r.token().pair
			}
			r.at++
		}
		if kind != "" {
			r.define(kind, name, first, s)
		}
		r.take(";")
	}
}

// pythonKeywords are those that a colon may follow at once.
var pythonKeywords = map[string]bool{"else": true, "try": true, "finally": true, "except": true, "lambda": true}
