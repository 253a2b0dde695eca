package symbol

// typeExpr steps over a type of TypeScript.
func (r *scriptReader) typeExpr() {
	if r.depth++; r.depth > maxNesting {
		r.fail()
	}
	defer func() { r.depth-- }()
	r.union()
	if r.is("extends") && !r.token().fresh && !r.inBound {
		r.at++
		r.inBound = true
		r.typeExpr()
		r.inBound = false
		r.want("?")
		r.typeExpr()
		r.want(":")
		r.typeExpr()
	}
}

func (r *scriptReader) union() {
	for {
		for r.take("|") || r.take("&") {
		}
		if r.typeOperand(); !r.is("|", "&") {
			return
		}
	}
}

// typeOperand is a type without an operator between two.
func (r *scriptReader) typeOperand() {
	r.step()
	next := r.tokenAt(r.at + 1)
	operand := next.sort == word || next.sort == value || next.sort == opening || r.isAt(1, "<", "-")
	switch t := r.token(); {
	case r.is("asserts") && next.sort == word && !next.fresh:
		r.at += 2
		if r.take("is") {
			r.typeExpr()
		}
		return
	case r.is("keyof", "unique", "readonly", "typeof", "new", "abstract") && operand && !r.isAt(1, "extends", "is"):
		r.at++
		r.typeOperand()
		return
	case r.is("infer") && next.sort == word:
		r.at += 2
		r.inferred()
		return
	case r.is("import") && r.isAt(1, "("):
		r.at++
		r.group("(")
	case r.is("<"):
		r.typeParameters()
		r.functionType()
		return
	case r.is("("):
		if r.isFunctionType() {
			r.functionType()
			return
		}
		r.group("(")
	case r.is("{", "["):
		r.group(r.text(0))
	case r.take("-"):
		r.at++
	case t.sort == word || t.sort == value:
		if r.at++; r.is("is") && !r.token().fresh && t.sort == word {
			r.at++
			r.typeExpr()
			return
		}
	default:
		r.fail()
	}
	r.typeSuffix()
}

// step counts one, and ends the reading after too many: what is tried and taken
// back may be tried again.
func (r *scriptReader) step() {
	if r.work--; r.work < 0 {
		r.fail()
	}
}

// inferred is the bound of a type that is inferred. If a question mark follows, it
// was the condition instead, except where no condition may stand.
func (r *scriptReader) inferred() {
	at := r.at
	if !r.is("extends") || r.token().fresh {
		return
	}
	r.at++
	if r.union(); r.is("?") && !r.inBound {
		r.at = at
	}
}

// isFunctionType tells the parameters of a function from a type in parentheses,
// which an arrow may follow too: that of the function whose result it is.
func (r *scriptReader) isFunctionType() bool {
	saved := r.at
	defer func() { r.at = saved }()
	r.at++
	switch {
	case r.is(")", "..."):
		return true
	case r.is("{", "["):
		r.at = r.token().pair + 1
	case r.token().sort == word:
		r.at++
	default:
		return false
	}
	return r.is(":", ",", "?", "=") || r.is(")") && r.isAt(1, "=>")
}

// functionType is the parameters and the result, which may be a choice anywhere.
func (r *scriptReader) functionType() {
	inBound := r.inBound
	r.inBound = false
	r.group("(")
	r.want("=>")
	r.typeExpr()
	r.inBound = inBound
}

// typeSuffix is what makes a type of another: .Name, <T>, [].
func (r *scriptReader) typeSuffix() {
	for !r.done() {
		switch {
		case r.is("."):
			r.at += 2
		case r.is("<") && !r.token().fresh:
			r.typeParameters()
		case r.is("[") && !r.token().fresh:
			r.group("[")
		default:
			return
		}
	}
}

// typeParameters steps over what stands in angle brackets.
func (r *scriptReader) typeParameters() {
	if r.depth++; r.depth > maxNesting {
		r.fail()
	}
	inBound := r.inBound
	r.inBound = false
	defer func() { r.depth, r.inBound = r.depth-1, inBound }()
	r.want("<")
	for !r.done() && !r.is(">") {
		// Modifiers of a parameter: const, in, out.
		for r.is("const", "in", "out") && r.tokenAt(r.at+1).sort == word && !r.isAt(1, "extends") {
			r.at++
		}
		if r.union(); r.take("extends") {
			r.inBound = true
			r.typeExpr()
			r.inBound = false
			if r.take("?") {
				r.typeExpr()
				r.want(":")
				r.typeExpr()
			}
		}
		if r.take("=") {
			r.typeExpr()
		}
		if !r.take(",") && !r.is(">") {
			r.fail()
		}
	}
	r.want(">")
}

// typed is the type behind a colon, if there is one.
func (r *scriptReader) typed() {
	if r.take(":") {
		r.typeExpr()
	}
}
