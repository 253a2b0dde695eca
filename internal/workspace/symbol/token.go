package symbol

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// sort is what a token is.
type sort uint8

const (
	nothing sort = iota // beyond the last token
	word                // a name or a keyword
	value               // a number, a text, a regular expression, an element of JSX
	mark                // an operator or another sign
	opening             // one of ( [ {
	closing             // one of ) ] }
)

// token is a piece of a file. Space and comments are none.
type token struct {
	sort     sort
	from, to int
	// pair is the token that a bracket belongs to.
	pair int
	// fresh says that a line ends between the token before and this one.
	fresh bool
}

// source is a file taken apart. A scanner of each language fills it; every bracket
// in it has its pair, or the scanner has failed.
type source struct {
	src      []byte
	at       int // where the scanner is
	tokens   []token
	comments []span
	open     []int // brackets that are not closed yet
	fresh    bool  // a line has ended since the last token
	byIndent bool  // blocks are told by their indent
}

// span is a piece of a file.
type span struct{ from, to int }

// mistake is a syntax error at an offset.
type mistake int

func (m mistake) Error() string { return fmt.Sprintf("it has a syntax error near byte %d", int(m)) }

// inFile is an error in words for people, who count lines.
func inFile(err error, src []byte) error {
	if m, ok := err.(mistake); ok {
		return fmt.Errorf("it has a syntax error near line %d", lineAt(src, int(m)))
	}
	return err
}

// peek is the byte so far ahead, 0 beyond the end.
func (s *source) peek(ahead int) byte {
	if s.at+ahead < len(s.src) {
		return s.src[s.at+ahead]
	}
	return 0
}

func (s *source) has(prefix string) bool { return bytes.HasPrefix(s.src[s.at:], []byte(prefix)) }

// add makes a token of what lies between an offset and where the scanner is.
func (s *source) add(sort sort, from int) {
	s.tokens = append(s.tokens, token{sort: sort, from: from, to: s.at, pair: -1, fresh: s.fresh})
	s.fresh = false
}

// comment takes note of one from an offset to where the scanner is.
func (s *source) comment(from int) {
	s.comments = append(s.comments, span{from, from + len(bytes.TrimRight(s.src[from:s.at], " \t\r\n"))})
}

// lineComment goes to the end of the line.
func (s *source) lineComment() {
	from := s.at
	s.at = s.lineEnd()
	s.comment(from)
}

func (s *source) lineEnd() int {
	if i := bytes.IndexByte(s.src[s.at:], '\n'); i >= 0 {
		return s.at + i
	}
	return len(s.src)
}

// bracket adds one, and joins it to its pair.
func (s *source) bracket() error {
	from, c := s.at, s.src[s.at]
	s.at++
	if c == '(' || c == '[' || c == '{' {
		s.open = append(s.open, len(s.tokens))
		s.add(opening, from)
		return nil
	}
	if len(s.open) == 0 {
		return mistake(from)
	}
	first := s.open[len(s.open)-1]
	if b := s.src[s.tokens[first].from]; c != b+1 && c != b+2 { // as ASCII has them
		return mistake(from)
	}
	s.open = s.open[:len(s.open)-1]
	s.tokens[first].pair = len(s.tokens)
	s.add(closing, from)
	s.tokens[len(s.tokens)-1].pair = first
	return nil
}

// closed fails if a bracket is open at the end.
func (s *source) closed() error {
	if len(s.open) > 0 {
		return mistake(s.tokens[s.open[len(s.open)-1]].from)
	}
	return nil
}

// name goes to the end of a name.
func (s *source) name(also string) {
	for s.at < len(s.src) {
		r, size := utf8.DecodeRune(s.src[s.at:])
		if !isNamed(r) && !bytes.ContainsRune([]byte(also), r) {
			return
		}
		s.at += size
	}
}

func isNamed(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || r > unicode.MaxASCII && r != utf8.RuneError && unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nl, unicode.Pc)
}

// rune is the one where the scanner is.
func (s *source) rune() rune {
	r, _ := utf8.DecodeRune(s.src[s.at:])
	return r
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number goes to the end of one, however it is written. A point counts if a digit
// follows, so that 1..2 and 1.max(2) stay apart.
func (s *source) number() {
	for s.at < len(s.src) {
		c := s.src[s.at]
		exponent := (c == '+' || c == '-') && (s.src[s.at-1]|0x20) == 'e' && isDigit(s.peek(1)) && isDigit(s.peek(-2))
		if !isNamed(rune(c)) && !exponent && (c != '.' || !isDigit(s.peek(1))) {
			return
		}
		s.at++
	}
}

// quoted goes to the end of a text in which a backslash takes the next byte along.
// Where lines end it, it has to end before.
func (s *source) quoted(quote byte, lines bool) error {
	from := s.at
	for s.at++; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; {
		case c == '\\':
			s.at++
			if s.peek(0) == '\r' && s.peek(1) == '\n' {
				s.at++
			}
		case c == quote:
			s.at++
			return nil
		case c == '\n' && !lines:
			return mistake(from)
		}
	}
	return mistake(from)
}

// cursor reads tokens in their order. The first mistake ends it: it then stands at
// the end, and whoever reads on finds nothing.
type cursor struct {
	*source
	at, end int
	wrong   error
	symbols []Symbol
	depth   int
}

func (c *cursor) token() token { return c.tokenAt(c.at) }

func (c *cursor) tokenAt(i int) token {
	if i < 0 || i >= c.end {
		return token{fresh: true}
	}
	return c.tokens[i]
}

// text is that of the token so far ahead; empty beyond the end.
func (c *cursor) text(ahead int) string {
	t := c.tokenAt(c.at + ahead)
	return string(c.src[t.from:t.to])
}

// is says whether the next token is one of these words and signs. A text in quotes
// is none.
func (c *cursor) is(texts ...string) bool { return c.isAt(0, texts...) }

func (c *cursor) isAt(ahead int, texts ...string) bool {
	t := c.tokenAt(c.at + ahead)
	if t.sort == value || t.sort == nothing {
		return false
	}
	for _, text := range texts {
		if string(c.src[t.from:t.to]) == text {
			return true
		}
	}
	return false
}

// take steps over the next token if it is this one.
func (c *cursor) take(text string) bool {
	if !c.is(text) {
		return false
	}
	c.at++
	return true
}

// want steps over a token that has to be there.
func (c *cursor) want(text string) {
	if !c.take(text) {
		c.fail()
	}
}

// group steps over a bracket and all in it.
func (c *cursor) group(text string) {
	if !c.is(text) {
		c.fail()
		return
	}
	c.at = c.token().pair + 1
}

// wantName steps over a name.
func (c *cursor) wantName() string {
	if c.token().sort != word {
		c.fail()
		return ""
	}
	c.at++
	return c.text(-1)
}

// fail ends the reading with a mistake where the cursor is.
func (c *cursor) fail() {
	if c.wrong == nil {
		at := len(c.src)
		if c.at < len(c.tokens) {
			at = c.tokens[c.at].from
		}
		c.wrong = mistake(at)
	}
	c.at = c.end
}

// done says whether there is nothing more to read.
func (c *cursor) done() bool { return c.at >= c.end }

// last is where the token before the cursor ends.
func (c *cursor) last() int {
	if c.at > len(c.tokens) {
		return len(c.src)
	}
	return c.tokens[c.at-1].to
}

// scope is where a definition stands.
type scope struct {
	prefix string
	isType bool // functions in it are methods
}

// define adds a symbol that begins at a token, with the comments above it, and
// ends before the cursor.
func (c *cursor) define(kind, name string, first int, s scope) {
	if c.wrong != nil || name == "" {
		return
	}
	if s.isType && kind == "function" {
		kind = "method"
	}
	c.symbols = append(c.symbols, Symbol{Kind: kind, Name: s.prefix + name, from: c.leading(c.tokens[first].from), to: c.last()})
}

// within reads what a bracket holds, and steps over it.
func (c *cursor) within(text string, read func()) {
	if !c.is(text) {
		c.fail()
		return
	}
	end, after := c.end, c.token().pair+1
	c.at, c.end = c.at+1, after-1
	read()
	c.at, c.end = after, end
	if c.wrong != nil {
		c.at = c.end
	}
}

// result is what was read.
func (c *cursor) result() ([]Symbol, error) {
	if c.wrong != nil {
		return nil, inFile(c.wrong, c.src)
	}
	return c.symbols, nil
}
