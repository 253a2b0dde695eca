package scripted

import (
	"fmt"
	"strconv"
	"strings"

	"parley"
)

// kind is what a token of an expression is.
type kind int

const (
	word kind = iota
	number
	quoted // "with \\ escapes" or `as it is`; text is the content
	open
	shut
)

type token struct {
	kind kind
	text string
}

// scan cuts an expression into tokens, up to its closing braces, and returns
// what comes after them.
func scan(text string) (tokens []token, rest string, err error) {
	all := text
	for {
		text = strings.TrimLeft(text, " \t\n")
		if after, ok := strings.CutPrefix(text, closing); ok {
			return tokens, after, nil
		}
		t, n, err := scanToken(text)
		if err != nil {
			return nil, "", fmt.Errorf("in {{%s: %w", parley.Clip(all, 60), err)
		}
		tokens, text = append(tokens, t), text[n:]
	}
}

// scanToken reads the token at the beginning of text and says how long it is.
func scanToken(text string) (token, int, error) {
	if text == "" {
		return token{}, 0, fmt.Errorf("%q is missing", closing)
	}
	switch c := text[0]; {
	case c == '(':
		return token{open, "("}, 1, nil
	case c == ')':
		return token{shut, ")"}, 1, nil
	case c == '"' || c == '`':
		return scanQuoted(text)
	case isDigit(c):
		n := span(text, isDigit)
		return token{number, text[:n]}, n, nil
	case isLetter(c):
		n := span(text, isLetter)
		return token{word, text[:n]}, n, nil
	default:
		return token{}, 0, fmt.Errorf("%q cannot stand here", []rune(text)[0])
	}
}

func scanQuoted(text string) (token, int, error) {
	source, err := strconv.QuotedPrefix(text)
	if err != nil {
		return token{}, 0, fmt.Errorf("a quoted text is not closed or has an unknown escape; between \" every \\ is written twice, between ` once")
	}
	content, err := strconv.Unquote(source)
	if err != nil {
		return token{}, 0, fmt.Errorf("%s cannot be read: %w", source, err)
	}
	return token{quoted, content}, len(source), nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// span is the length of the beginning of text that consists of such bytes.
func span(text string, in func(byte) bool) int {
	n := 0
	for n < len(text) && in(text[n]) {
		n++
	}
	return n
}
