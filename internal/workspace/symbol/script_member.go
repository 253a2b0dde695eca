package symbol

// members reads those of a class.
func (r *scriptReader) members(s scope) {
	for !r.done() {
		if r.take(";") {
			continue
		}
		first := r.at
		if r.decorators(); r.is("static") && r.isAt(1, "{") {
			r.at++
			r.group("{")
			continue
		}
		r.member(first, s, false)
	}
}

// signatures reads those of an interface.
func (r *scriptReader) signatures(s scope) {
	for !r.done() {
		if !r.take(";") && !r.take(",") {
			r.member(r.at, s, true)
		}
	}
}

// member is a method or a field. What has no name, such as the signature of a call
// or an index, is stepped over.
func (r *scriptReader) member(first int, s scope, signature bool) {
	for r.memberModifier() {
		r.at++
	}
	r.take("*")
	name := r.memberName(signature)
	if !r.take("?") {
		r.take("!")
	}
	if !r.is("(", "<") {
		r.field(name, first, s)
		r.endMember(signature)
		return
	}
	r.parameters()
	if r.is("{") && !signature {
		r.group("{")
		r.define("function", name, first, s)
		return
	}
	if !r.isTyped {
		r.fail()
	}
	r.define("function", name, first, s)
	r.endMember(signature)
}

// memberModifier tells a modifier from a member of that name.
func (r *scriptReader) memberModifier() bool {
	next := r.tokenAt(r.at + 1)
	if next.sort != word && next.sort != value && !r.isAt(1, "[", "*") {
		return false
	}
	if r.is("static", "get", "set") {
		return true
	}
	return !next.fresh && r.is("public", "private", "protected", "readonly", "abstract", "override", "declare", "accessor", "async")
}

// memberName is empty for what has none.
func (r *scriptReader) memberName(signature bool) string {
	t := r.token()
	switch {
	case signature && (r.is("(", "<") || r.is("new") && r.isAt(1, "(", "<")):
		r.take("new")
		return ""
	case r.is("["):
		index := r.tokenAt(r.at+1).sort == word && r.isAt(2, ":")
		if r.group("["); index {
			return ""
		}
		if r.wrong != nil {
			return ""
		}
		return string(r.src[t.from:r.last()])
	case t.sort == word || t.sort == value:
		r.at++
		return r.unquoted(t)
	}
	r.fail()
	return ""
}

// unquoted is the text of a name, which may stand in quotes.
func (r *scriptReader) unquoted(t token) string {
	if t.sort == value && (r.src[t.from] == '"' || r.src[t.from] == '\'') {
		return string(r.src[t.from+1 : t.to-1])
	}
	return string(r.src[t.from:t.to])
}

// field is a member that is no method, unless its value is a function.
func (r *scriptReader) field(name string, first int, s scope) {
	var e expression
	if r.isTyped {
		r.typed()
	}
	if r.take("=") {
		e = r.expr(true)
	}
	if e.kind == "" || e.left > 0 {
		e.kind = "field"
	}
	r.defineValue(e, name, first, s)
}

// endMember steps over what ends one, or makes sure that a line end does.
func (r *scriptReader) endMember(signature bool) {
	if !(signature && r.take(",")) {
		r.endStatement()
	}
}
