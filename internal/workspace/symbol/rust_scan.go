package symbol

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanRust takes a Rust file apart.
func scanRust(src []byte) (*source, error) {
	s := &source{src: src}
	if s.has("#!") && !bytes.HasPrefix(bytes.TrimLeft(src[2:], " \t"), []byte("[")) {
		s.lineComment()
	}
	for s.at < len(src) {
		if err := s.rustToken(); err != nil {
			return nil, err
		}
	}
	return s, s.closed()
}

func (s *source) rustToken() error {
	from, c := s.at, s.src[s.at]
	switch {
	case c == '\n':
		s.fresh = true
		s.at++
	case s.has("//"):
		s.lineComment()
	case s.has("/*"):
		return s.nestedComment()
	case strings.IndexByte("()[]{}", c) >= 0:
		return s.bracket()
	case c == '"':
		return s.rustText(from)
	case c == '\'':
		return s.charOrLifetime(from)
	case isDigit(c):
		s.number()
		s.add(value, from)
	case isNamed(s.rune()):
		return s.rustWord(from)
	case s.has("->") || s.has("=>") || s.has("::"):
		s.at += 2
		s.add(mark, from)
	default:
		r, size := utf8.DecodeRune(s.src[s.at:])
		s.at += size
		if !unicode.IsSpace(r) && r != '\uFEFF' {
			s.add(mark, from)
		}
	}
	return nil
}

// nestedComment goes to the end of a comment, which may hold others.
func (s *source) nestedComment() error {
	from, depth := s.at, 0
	for s.at < len(s.src) {
		switch {
		case s.has("/*"):
			depth++
			s.at += 2
		case s.has("*/"):
			depth--
			s.at += 2
		default:
			s.at++
		}
		if depth == 0 {
			s.comment(from)
			return nil
		}
	}
	return mistake(from)
}

func (s *source) rustText(from int) error {
	if err := s.quoted('"', true); err != nil {
		return err
	}
	s.add(value, from)
	return nil
}

// charOrLifetime tells a character, which may be a quoted quote, from a lifetime.
func (s *source) charOrLifetime(from int) error {
	if s.peek(1) == '\\' {
		err := s.quoted('\'', false)
		s.add(value, from)
		return err
	}
	r, size := utf8.DecodeRune(s.src[min(s.at+1, len(s.src)):])
	if s.peek(1+size) == '\'' && size > 0 {
		s.at += size + 2
		s.add(value, from)
		return nil
	}
	if !isNamed(r) {
		return mistake(from)
	}
	s.at++
	s.name("")
	s.add(value, from)
	return nil
}

// rustWord is a name, or a text that begins like one: b"…", r#"…"#, b'…'.
func (s *source) rustWord(from int) error {
	s.name("")
	prefix := string(s.src[from:s.at])
	switch next := s.peek(0); {
	case next == '\'' && prefix == "b":
		return s.charOrLifetime(from)
	case next == '"' && (prefix == "b" || prefix == "c"):
		return s.rustText(from)
	case (next == '"' || next == '#') && (prefix == "r" || prefix == "br" || prefix == "cr"):
		return s.rawText(from)
	}
	s.add(word, from)
	return nil
}

// rawText is r#"…"#, with any number of #, or the name r#type.
func (s *source) rawText(from int) error {
	hashes := 0
	for s.peek(hashes) == '#' {
		hashes++
	}
	if s.peek(hashes) != '"' {
		if hashes == 1 {
			s.at++
			s.name("")
		}
		s.add(word, from)
		return nil
	}
	s.at += hashes + 1
	end := append([]byte{'"'}, bytes.Repeat([]byte("#"), hashes)...)
	i := bytes.Index(s.src[s.at:], end)
	if i < 0 {
		return mistake(from)
	}
	s.at += i + len(end)
	s.add(value, from)
	return nil
}
