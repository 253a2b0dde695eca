package symbol

// declaration reads one, if that is what comes, and says whether it was.
func (r *scriptReader) declaration(first int, s scope) bool {
	named := r.nextIsWord()
	switch {
	case r.is("function") || r.is("async") && named && r.isAt(1, "function"):
		r.function(first, s)
	case r.is("class") || r.is("abstract") && named && r.isAt(1, "class"):
		name := r.classHead()
		r.holder("class", name, first, s, r.members)
	case r.is("const", "let", "var", "using", "await") && r.variables(first, s):
	case !r.isTyped:
		return false
	case r.is("interface") && named:
		r.interfaceType(first, s)
	case r.is("type") && named && r.isAt(2, "=", "<"):
		r.alias(first, s)
	case r.is("enum") && named || r.is("const") && r.isAt(1, "enum"):
		r.take("const")
		r.at++
		name := r.wantName()
		r.group("{")
		r.define("enum", name, first, s)
	case r.is("namespace", "module") && !r.tokenAt(r.at+1).fresh && (named || r.tokenAt(r.at+1).sort == value) && r.isAt(2, "{", ".", ";"),
		r.is("module") && r.tokenAt(r.at+1).sort == value, r.is("global") && r.isAt(1, "{"):
		r.module(first, s)
	default:
		return false
	}
	return true
}

// function is one, or in TypeScript the head of one that is overloaded or somewhere
// else.
func (r *scriptReader) function(first int, s scope) {
	name := r.functionHead()
	if name == "" {
		name = "default"
	}
	if r.is("{") || !r.isTyped {
		r.group("{")
	} else {
		r.endStatement()
	}
	r.define("function", name, first, s)
}

// holder defines what has a body, and reads that.
func (r *scriptReader) holder(kind, name string, first int, s scope, read func(scope)) {
	if name == "" {
		name = "default"
	}
	body := r.at
	r.group("{")
	r.define(kind, name, first, s)
	if r.wrong == nil {
		r.hold(body, name, s, read)
	}
}

func (r *scriptReader) interfaceType(first int, s scope) {
	r.at++
	name := r.wantName()
	if r.is("<") {
		r.typeParameters()
	}
	if r.take("extends") {
		r.types()
	}
	r.holder("interface", name, first, s, r.signatures)
}

func (r *scriptReader) alias(first int, s scope) {
	r.at++
	name := r.wantName()
	if r.is("<") {
		r.typeParameters()
	}
	r.want("=")
	r.typeExpr()
	r.endStatement()
	r.define("type", name, first, s)
}

// module is a namespace, or what a file declares of another.
func (r *scriptReader) module(first int, s scope) {
	if !r.is("global") {
		r.at++
	}
	from := r.at
	for r.at++; r.is("."); r.at += 2 {
	}
	name := r.unquoted(token{sort: r.tokenAt(from).sort, from: r.tokenAt(from).from, to: r.last()})
	if !r.is("{") {
		r.endStatement()
		r.define("module", name, first, s)
		return
	}
	r.holder("module", name, first, s, func(in scope) {
		in.isType = false
		r.statements(in)
	})
}

// declared is one variable of a declaration.
type declared struct {
	expression
	name        string
	first, last int // tokens
}

// variables reads the declaration of some. Several share their lines, so each is
// just itself.
func (r *scriptReader) variables(first int, s scope) bool {
	kind := "variable"
	next := r.tokenAt(r.at + 1)
	switch {
	case r.is("const") && r.isAt(1, "enum"):
		return false
	case r.is("const"):
		kind = "const"
	case r.is("await") && !(r.isAt(1, "using") && r.isAt(3, "=")), r.is("using") && !(r.nextIsWord() && r.isAt(2, "=")):
		return false
	case r.is("let") && next.sort != word && !r.isAt(1, "[", "{"):
		return false
	}
	r.take("await")
	r.at++
	list := r.declarators(kind)
	r.endStatement()
	end := r.at
	for _, d := range list {
		if len(list) > 1 {
			first, r.at = d.first, d.last
		}
		if r.wrong == nil && d.name != "" {
			r.defineValue(d.expression, d.name, first, s)
		}
	}
	if r.wrong == nil {
		r.at = end
	}
	return true
}

func (r *scriptReader) declarators(kind string) (list []declared) {
	for {
		d := declared{first: r.at}
		if r.is("{", "[") {
			r.group(r.text(0))
		} else {
			d.name = r.wantName()
		}
		r.take("!")
		if r.isTyped {
			r.typed()
		}
		if r.take("=") {
			d.expression = r.expr(true)
		}
		if d.kind == "" || d.left > 0 {
			d.kind = kind
		}
		d.last = r.at
		list = append(list, d)
		if !r.take(",") {
			return list
		}
	}
}
