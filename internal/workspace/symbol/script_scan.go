package symbol

import (
	"bytes"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scriptScanner takes a TypeScript or JavaScript file apart.
//
// Two signs mean different things where a value may stand and behind one: / begins
// a regular expression or divides, < begins an element of JSX or compares. Which it
// is follows from the token before.
type scriptScanner struct {
	*source
	typed bool // TypeScript
	jsx   bool // elements may stand among the code
	// plain are the places where an element was tried and there is none.
	plain map[int]bool
	depth int // of elements and templates within each other
	work  int // bounds what is tried in vain
}

func scanScript(src []byte, typed, jsx bool) (*source, error) {
	s := &scriptScanner{source: &source{src: src, fresh: true}, typed: typed, jsx: jsx, plain: map[int]bool{}, work: 20*len(src) + 1000}
	if s.has("#!") {
		s.lineComment()
	}
	for s.at < len(src) {
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	return s.source, s.closed()
}

func (s *scriptScanner) next() error {
	from, c := s.at, s.src[s.at]
	if s.work--; s.work < 0 {
		return errors.New("it could not be parsed in time")
	}
	switch {
	case c == '\n':
		s.fresh = true
		s.at++
	case s.has("//"):
		s.lineComment()
	case s.has("/*"):
		return s.blockComment()
	case strings.IndexByte("()[]{}", c) >= 0:
		return s.bracket()
	case c == '"' || c == '\'':
		err := s.quoted(c, false)
		s.add(value, from)
		return err
	case c == '`':
		return s.template()
	case isDigit(c) || c == '.' && isDigit(s.peek(1)):
		s.at++
		s.number()
		if s.peek(0) == '.' && bytes.IndexByte(s.src[from:s.at], '.') < 0 { // 1.
			s.at++
		}
		s.add(value, from)
	case isNamed(s.rune()) || c == '$' || c == '#' || c == '\\':
		return s.word()
	case c == '/' && s.beforeValue():
		return s.regexp()
	case c == '<' && s.jsx && s.beforeValue():
		return s.elementOrSign()
	default:
		s.sign()
	}
	return nil
}

func (s *scriptScanner) blockComment() error {
	from := s.at
	i := bytes.Index(s.src[from+2:], []byte("*/"))
	if i < 0 {
		return mistake(from)
	}
	s.at = from + i + 4
	s.comment(from)
	s.fresh = s.fresh || bytes.IndexByte(s.src[from:s.at], '\n') >= 0
	return nil
}

// word is a name, also a private one or one with an escape.
func (s *scriptScanner) word() error {
	from := s.at
	if s.peek(0) == '#' {
		s.at++
	}
	s.name("$\\\u200c\u200d")
	for s.peek(0) == '{' && bytes.HasSuffix(s.src[from:s.at], []byte(`\u`)) {
		i := bytes.IndexByte(s.src[s.at:], '}')
		if i < 0 {
			break
		}
		s.at += i + 1
		s.name("$\\")
	}
	if s.at == from+1 && !isNamed(rune(s.src[from])) && s.src[from] != '$' {
		return mistake(from)
	}
	s.add(word, from)
	return nil
}

// scriptSigns are those of several bytes that must not be taken apart, the longer
// ones first. Those of several angle brackets are: they may belong to types.
var scriptSigns = []string{"...", "===", "!==", "**=", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", "++", "--", "&&", "||", "??", "?.", "**", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="}

func (s *scriptScanner) sign() {
	from := s.at
	for _, sign := range scriptSigns {
		if s.has(sign) && !(sign == "?." && isDigit(s.peek(2))) {
			s.at += len(sign)
			s.add(mark, from)
			return
		}
	}
	r, size := utf8.DecodeRune(s.src[s.at:])
	s.at += size
	if r == '<' && s.peek(0) == '<' { // neither of which is an element
		s.add(mark, from)
		from = s.at
		s.at++
	}
	switch {
	case r == '\u2028' || r == '\u2029':
		s.fresh = true
	case !unicode.IsSpace(r) && r != '\uFEFF':
		s.add(mark, from)
	}
}

// beforeValue says whether a value may stand next.
func (s *scriptScanner) beforeValue() bool {
	i := len(s.tokens) - 1
	if i < 0 {
		return true
	}
	text := s.textOf(i)
	switch t := s.tokens[i]; t.sort {
	case value:
		return false
	case word:
		return s.leadsToValue(i, text)
	case closing:
		switch text {
		case ")":
			return s.endsCondition(t.pair)
		case "}":
			return !s.isObject(t.pair)
		}
		return false
	default:
		if text == "++" || text == "--" || text == "!" { // behind a value or before one
			return s.fresh || s.tokens[i].fresh || !s.afterValue(i)
		}
		return true
	}
}

// afterValue says whether the token before another ends a value.
func (s *scriptScanner) afterValue(i int) bool {
	tokens, fresh := s.tokens, s.fresh
	s.tokens, s.fresh = tokens[:i], false
	defer func() { s.tokens, s.fresh = tokens, fresh }()
	return !s.beforeValue()
}

func (s *source) textOf(i int) string {
	if i < 0 {
		return ""
	}
	return string(s.src[s.tokens[i].from:s.tokens[i].to])
}

// leadsToValue tells keywords from names and from properties named like them.
func (s *scriptScanner) leadsToValue(i int, text string) bool {
	if before := s.textOf(i - 1); before == "." || before == "?." {
		return false
	}
	switch text {
	case "return", "typeof", "instanceof", "in", "new", "delete", "void", "throw", "case", "do", "else", "yield", "await", "default", "extends":
		return true
	case "of": // of a loop, or a name
		return i > 0 && (s.tokens[i-1].sort == word || s.tokens[i-1].sort == closing)
	}
	return false
}

// endsCondition says whether a parenthesis is that of if, while and the like, so
// that a statement follows.
func (s *scriptScanner) endsCondition(open int) bool {
	switch s.textOf(open - 1) {
	case "if", "while", "for", "with":
		before := s.textOf(open - 2)
		return before != "." && before != "?."
	case "await":
		return s.textOf(open-2) == "for"
	}
	return false
}

// isObject tells the brace of a value from that of a block.
func (s *scriptScanner) isObject(open int) bool {
	if open == 0 {
		return false
	}
	text := s.textOf(open - 1)
	switch t := s.tokens[open-1]; t.sort {
	case word:
		return text != "do" && text != "else" && text != "default" && s.leadsToValue(open-1, text)
	case opening:
		return text != "{"
	case mark:
		return text != ";" && text != "=>" && text != ":" && text != ">" || text == ":" && s.inObject(open)
	}
	return false
}

// inObject says whether a brace behind a colon stands in an object, or chooses.
func (s *scriptScanner) inObject(open int) bool {
	for i := open - 2; i >= 0 && s.work > 0; i-- {
		s.work--
		switch t := s.tokens[i]; {
		case t.sort == closing:
			i = t.pair
		case t.sort == opening:
			return s.textOf(i) != "{" || s.isObject(i)
		case s.textOf(i) == "?":
			return true
		case s.textOf(i) == ";" || s.textOf(i) == "case" || s.textOf(i) == "default":
			return false
		}
	}
	return false
}

// regexp goes to the end of a regular expression. A slash in brackets is one of
// its own.
func (s *scriptScanner) regexp() error {
	from, class := s.at, false
	for s.at++; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; {
		case c == '\n':
			return mistake(from)
		case c == '\\':
			s.at++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.at++
			s.name("$")
			s.add(value, from)
			return nil
		}
	}
	return mistake(from)
}

// template goes to the end of a text in backquotes. It is one token, whatever code
// it holds.
func (s *scriptScanner) template() error {
	from, fresh := s.at, s.fresh
	for s.at++; s.at < len(s.src); {
		switch {
		case s.peek(0) == '\\':
			s.at += 2
		case s.peek(0) == '`':
			s.at++
			s.fresh = fresh
			s.add(value, from)
			return nil
		case s.has("${"):
			s.at++
			if err := s.code(); err != nil {
				return err
			}
		default:
			s.at++
		}
	}
	return mistake(from)
}

// code goes behind the brace that closes the one it stands at. The tokens between
// are no concern of the file's structure.
func (s *scriptScanner) code() error {
	tokens, open := len(s.tokens), len(s.open)
	if s.depth++; s.depth > maxNesting {
		return errors.New("it is nested too deeply")
	}
	defer func() {
		s.tokens = s.tokens[:tokens]
		s.depth--
	}()
	for {
		if s.at >= len(s.src) {
			return mistake(len(s.src))
		}
		if err := s.next(); err != nil {
			return err
		}
		if len(s.open) == open {
			return nil
		}
	}
}
