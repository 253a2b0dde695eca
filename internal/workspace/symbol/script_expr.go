package symbol

import "strings"

// expression is what was read as one.
type expression struct {
	// kind is "function" or "class" if it is just that, or the assignment of one.
	kind string
	body int // the brace of a class
	// left ends what a value is assigned to, if that is a property; 0 otherwise.
	left int
	// ends says that no operator can follow: it is a function with an arrow.
	ends bool
	// bare says that it is nothing but a name.
	bare bool
}

// expr reads an expression as operands with operators between them, and so knows
// where a line end ends it. With alone a comma ends it, too.
func (r *scriptReader) expr(alone bool) expression {
	if r.depth++; r.depth > maxNesting {
		r.fail()
	}
	defer func() { r.depth-- }()
	e := r.operand()
	property, whole := false, true
	for !r.done() {
		switch {
		case r.is(","):
			if alone {
				return e
			}
			r.at++
			r.operand()
			e, whole = expression{}, false
		case e.ends:
			return e
		case r.is("?"):
			r.choice()
			e, whole = expression{}, false
		case r.is("="):
			left := r.last()
			r.at++
			right := r.expr(true)
			e = expression{}
			if property && whole && right.left == 0 {
				e = expression{kind: right.kind, body: right.body, left: left}
			}
			whole = false
		case r.suffix():
			property = r.tokenAt(r.at-1).sort == word && r.tokenAt(r.at-2).sort == mark
			e = expression{}
		case r.binary():
			r.operand()
			e, whole = expression{}, false
		default:
			return e
		}
	}
	return e
}

// choice is ? b : c.
func (r *scriptReader) choice() {
	r.at++
	r.choosing++
	r.expr(true)
	r.choosing--
	r.want(":")
	r.expr(true)
}

// reserved are the words that cannot be a value.
var reserved = map[string]bool{"if": true, "else": true, "for": true, "while": true, "do": true, "switch": true, "case": true, "return": true,
	"break": true, "continue": true, "const": true, "var": true, "throw": true, "try": true, "catch": true, "finally": true, "with": true,
	"export": true, "default": true, "extends": true, "in": true, "instanceof": true, "enum": true, "debugger": true}

// operand is a value with the signs before it, without those behind it.
func (r *scriptReader) operand() expression {
	if !r.prefix() {
		return r.value()
	}
	for r.prefix() {
		r.at++
	}
	return expression{ends: r.value().ends}
}

func (r *scriptReader) value() expression {
	r.step()
	next := r.tokenAt(r.at + 1)
	switch t := r.token(); {
	case r.is("@"):
		r.decorators()
		return r.classValue()
	case r.is("class"):
		return r.classValue()
	case r.is("function") || r.is("async") && r.isAt(1, "function") && !next.fresh:
		r.functionHead()
		r.group("{")
		return expression{kind: "function"}
	case r.is("async") && !next.fresh && (next.sort == word && r.isAt(2, "=>") || r.isAt(1, "(", "<")):
		r.at++
		return r.value()
	case r.is("import") && !r.isAt(1, "(", "."):
		r.fail()
	case t.sort == word && !reserved[r.text(0)]:
		if r.at++; r.is("=>") {
			return r.arrow()
		}
		return expression{bare: true}
	case t.sort == value:
		r.at++
	case r.is("("):
		return r.parenthesis()
	case r.is("[", "{"):
		r.group(r.text(0))
	case r.is("<") && r.isTyped: // a type before a value or before parameters
		r.typeParameters()
		if e := r.operand(); e.ends {
			return e
		}
	default:
		r.fail()
	}
	return expression{}
}

// prefix says whether the next token is a sign or word before a value.
func (r *scriptReader) prefix() bool {
	if r.is("!", "~", "+", "-", "++", "--", "...") {
		return true
	}
	next := r.tokenAt(r.at + 1)
	switch {
	case r.is("typeof", "void", "delete"):
		return true
	case r.is("new"):
		return !r.isAt(1, ".")
	case r.is("await", "yield"):
		return next.sort == word && !r.isAt(1, "in", "of", "instanceof") || next.sort == value || next.sort == opening || r.isAt(1, "!", "+", "-", "~", "<", "*")
	case r.is("*"):
		return r.at > 0 && r.textOf(r.at-1) == "yield"
	}
	return false
}

// parenthesis is an expression in one, or the parameters of a function.
func (r *scriptReader) parenthesis() expression {
	r.group("(")
	if r.is("=>") {
		return r.arrow()
	}
	if !r.isTyped || !r.is(":") {
		return expression{}
	}
	// A type, or the other side of a choice. As in the language, it is a type if the
	// choice has its colon all the same.
	saved := r.cursor
	r.at++
	if r.typeExpr(); r.is("=>") {
		if e := r.arrow(); r.wrong == nil && (r.choosing == 0 || r.is(":")) {
			return e
		}
	}
	r.cursor = saved
	return expression{}
}

func (r *scriptReader) arrow() expression {
	r.at++
	if r.is("{") {
		r.group("{")
	} else {
		r.expr(true)
	}
	return expression{kind: "function", ends: true}
}

// functionHead steps over all of a function but its body, and returns its name.
func (r *scriptReader) functionHead() (name string) {
	r.take("async")
	r.want("function")
	r.take("*")
	if r.token().sort == word {
		name = r.wantName()
	}
	r.parameters()
	return name
}

// parameters steps over those of a function and the type that it returns.
func (r *scriptReader) parameters() {
	if r.is("<") {
		r.typeParameters()
	}
	r.group("(")
	r.typed()
}

func (r *scriptReader) classValue() expression {
	r.classHead()
	body := r.at
	r.group("{")
	return expression{kind: "class", body: body}
}

// classHead steps over all of a class but its body, and returns its name.
func (r *scriptReader) classHead() (name string) {
	r.take("abstract")
	r.want("class")
	if r.token().sort == word && !r.is("extends") && !(r.is("implements") && !r.isAt(1, "{", "extends", "implements")) {
		name = r.wantName()
	}
	if r.is("<") {
		r.typeParameters()
	}
	if r.take("extends") {
		r.operand()
		for !r.done() && !r.is("{") {
			if r.is("<") && r.isTyped {
				r.typeParameters()
			} else if !r.suffix() {
				break
			}
		}
	}
	if r.take("implements") {
		r.types()
	}
	return name
}

// types are several with commas between them.
func (r *scriptReader) types() {
	for {
		if r.typeExpr(); !r.take(",") {
			return
		}
	}
}

// suffix steps over what stands behind a value and belongs to it: a call, a
// property, a type.
func (r *scriptReader) suffix() bool {
	t := r.token()
	switch {
	case r.is("."), r.is("?.") && r.tokenAt(r.at+1).sort == word:
		r.at++
		r.wantName()
	case r.is("?."):
		if r.at++; r.tokenAt(r.at).sort == value {
			r.at++
		} else {
			r.group(r.text(0))
		}
	case r.is("(", "["):
		r.group(r.text(0))
	case t.sort == value && r.src[t.from] == '`':
		r.at++
	case !t.fresh && (r.is("++", "--") || r.is("!") && r.isTyped):
		r.at++
	case !t.fresh && r.is("as", "satisfies") && r.isTyped:
		if r.at++; !r.take("const") {
			r.typeExpr()
		}
	case r.is("<") && r.isTyped:
		return r.typeArguments()
	default:
		return false
	}
	return true
}

// typeArguments steps over those of a call, if that is what an angle bracket
// begins. As in the language, what follows decides: f<T>(x) calls, a < b > c does
// not.
func (r *scriptReader) typeArguments() bool {
	saved := r.cursor
	r.typeParameters()
	next := r.token()
	switch {
	case r.wrong != nil:
	case r.is("("), next.sort == value && r.src[next.from] == '`':
		return true
	case r.is("<", ">", "+", "-"):
	case next.fresh || next.sort == nothing || next.sort == closing || r.is("in", "instanceof", "as", "satisfies"):
		return true
	case next.sort == mark && !r.is("!", "~", "++", "--", "@"):
		return true
	}
	r.cursor = saved
	return false
}

const binarySigns = " + - * / % ** == != === !== < <= > & | ^ && || ?? += -= *= /= %= **= &= |= ^= &&= ||= ??= "

// binary steps over an operator between two values. Those of angle brackets come
// sign by sign.
func (r *scriptReader) binary() bool {
	t := r.token()
	if t.sort == word && r.is("in", "instanceof") {
		r.at++
		return true
	}
	if t.sort != mark || !strings.Contains(binarySigns, " "+r.text(0)+" ") {
		return false
	}
	angle := r.is("<", ">")
	r.at++
	for angle && r.is("<", ">", "=", "==", "<=") && r.token().from == r.last() {
		r.at++
	}
	return true
}
