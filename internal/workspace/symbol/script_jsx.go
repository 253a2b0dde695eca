package symbol

import (
	"bytes"
	"errors"
	"unicode"
)

var errNoElement = errors.New("no element")

// elementOrSign reads an element of JSX as one token. In TypeScript the same sign
// begins the parameters of a type: what does not read as an element is that.
func (s *scriptScanner) elementOrSign() error {
	from, tokens, comments, open, fresh := s.at, len(s.tokens), len(s.comments), len(s.open), s.fresh
	if !s.plain[from] {
		err := s.element()
		if err == nil {
			s.fresh = fresh
			s.add(value, from)
			return nil
		}
		s.tokens, s.comments, s.open = s.tokens[:tokens], s.comments[:comments], s.open[:open]
		s.at, s.fresh, s.plain[from] = from, fresh, true
	}
	if !s.typed {
		return mistake(from)
	}
	s.sign()
	return nil
}

// element goes to the end of <a b="c" {...d}>text {code} <e/></a>.
func (s *scriptScanner) element() error {
	if s.depth++; s.depth > maxNesting {
		return errNoElement
	}
	defer func() { s.depth-- }()
	s.at++
	name := s.tagName()
	if s.peek(0) == '<' {
		if err := s.typeArguments(); err != nil {
			return err
		}
	}
	whole, err := s.attributes(name)
	if err != nil || whole {
		return err
	}
	for s.at < len(s.src) {
		if s.work--; s.work < 0 {
			return errNoElement
		}
		switch c := s.src[s.at]; {
		case s.has("</"):
			return s.endTag(name)
		case c == '<':
			err = s.element()
		case c == '{':
			err = s.code()
		case c == '>' || c == '}': // no text may have them
			return errNoElement
		default:
			s.at++
		}
		if err != nil {
			return err
		}
	}
	return errNoElement
}

// tagName is that of an element, empty for a fragment.
func (s *scriptScanner) tagName() string {
	s.space()
	from := s.at
	s.name("$-.:")
	name := string(s.src[from:s.at])
	s.space()
	return name
}

// space steps over it and over comments.
func (s *scriptScanner) space() {
	for s.at < len(s.src) {
		switch {
		case unicode.IsSpace(rune(s.src[s.at])):
			s.at++
		case s.has("//"):
			s.at = s.lineEnd()
		case s.has("/*"):
			i := bytes.Index(s.src[s.at+2:], []byte("*/"))
			if i < 0 {
				return
			}
			s.at += i + 4
		default:
			return
		}
	}
}

// typeArguments are those of a component in TypeScript: <List<string> a={b}/>.
func (s *scriptScanner) typeArguments() error {
	for depth := 0; s.at < len(s.src) && s.work > 0; s.at++ {
		s.work--
		switch s.src[s.at] {
		case '<':
			depth++
		case '>':
			if s.src[s.at-1] != '=' {
				depth--
			}
		case ';', '`':
			return errNoElement
		}
		if depth == 0 {
			s.at++
			return nil
		}
	}
	return errNoElement
}

// attributes goes to the end of a tag, and says whether it is the whole element.
func (s *scriptScanner) attributes(name string) (whole bool, err error) {
	for s.at < len(s.src) {
		if s.work--; s.work < 0 {
			return false, errNoElement
		}
		s.space()
		c := s.peek(0)
		switch {
		case s.has("/>") && name != "":
			s.at += 2
			return true, nil
		case c == '>':
			s.at++
			return false, nil
		case name == "":
			return false, errNoElement
		case c == '{':
			err = s.code()
		case c == '=':
			s.at++
			err = s.attribute()
		case isNamed(s.rune()) || c == '$':
			s.name("$-.:")
		default:
			return false, errNoElement
		}
		if err != nil {
			return false, err
		}
	}
	return false, errNoElement
}

// attribute is the value of one.
func (s *scriptScanner) attribute() error {
	s.space()
	switch c := s.peek(0); {
	case c == '"' || c == '\'':
		i := bytes.IndexByte(s.src[s.at+1:], c)
		if i < 0 {
			return errNoElement
		}
		s.at += i + 2
		return nil
	case c == '{':
		return s.code()
	case c == '<':
		return s.element()
	}
	return errNoElement
}

// endTag is </name>.
func (s *scriptScanner) endTag(name string) error {
	s.at += 2
	if s.tagName() != name || s.peek(0) != '>' {
		return errNoElement
	}
	s.at++
	return nil
}
