package join

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// node is one value of a JSON text and its place. Comments and commas after the
// last value are accepted, as the clients' own readers do.
type node struct {
	kind       byte // '{', '[', or 0 for a text, a number, a truth value, null
	start, end int  // of its bytes
	members    []member
	items      []node
	comma      bool // a comma stands after the last member or item
	// content is where the last member, item, comma or comment ends; right after
	// the opening bracket if there is none.
	content int
}

type member struct {
	key   string
	start int // of its key
	value node
}

func (n node) member(key string) (node, bool) {
	i := slices.IndexFunc(n.members, func(m member) bool { return m.key == key })
	if i < 0 {
		return node{}, false
	}
	return n.members[i].value, true
}

// children are the places of what an object or a list holds.
func (n node) children() (starts []int, last node) {
	for _, m := range n.members {
		starts, last = append(starts, m.start), m.value
	}
	for _, item := range n.items {
		starts, last = append(starts, item.start), item
	}
	return starts, last
}

// jsonReader finds the places of all values. It stops at the first mistake.
type jsonReader struct {
	text []byte
	at   int
	last int // the end of the last comment or token
	err  error
}

const deepest = 200

// readJSON reads a whole text. An empty one is an empty object.
func readJSON(text []byte) (node, error) {
	if !utf8.Valid(text) {
		return node{}, fmt.Errorf("it is not UTF-8 text")
	}
	r := &jsonReader{text: text}
	if bytes.HasPrefix(text, []byte("\uFEFF")) {
		r.at = len("\uFEFF")
	}
	r.space()
	root := r.value(0)
	r.space()
	if r.err == nil && r.at < len(text) {
		r.fail("something follows the end of the document")
	}
	return root, r.err
}

func (r *jsonReader) fail(format string, args ...any) {
	if r.err == nil {
		at := min(r.at, len(r.text))
		line := 1 + bytes.Count(r.text[:at], []byte("\n"))
		what := fmt.Sprintf(format, args...)
		if at == len(r.text) {
			what = "the file ends too early"
		}
		r.err = fmt.Errorf("line %d: %s", line, what)
	}
	r.at = len(r.text)
}

func (r *jsonReader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// space skips white space and comments.
func (r *jsonReader) space() {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.at++
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			r.at += n
			r.last = r.at
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest, []byte("*/"))
			if n < 2 {
				r.fail("a comment is never closed")
				return
			}
			r.at += n + 2
			r.last = r.at
		default:
			return
		}
	}
}

func (r *jsonReader) value(depth int) node {
	n := node{start: r.at}
	switch c := r.peek(); {
	case depth > deepest:
		r.fail("it is nested too deeply")
	case c == '{' || c == '[':
		n.kind = c
		r.list(&n, depth)
	case c == '"':
		r.quoted()
	default:
		for r.at < len(r.text) && strings.IndexByte(" \t\r\n,]}/", r.text[r.at]) < 0 {
			r.at++
		}
		if !json.Valid(r.text[n.start:r.at]) {
			r.fail("a value is expected, not %q", excerpt(r.text[n.start:]))
		}
	}
	n.end, r.last = r.at, r.at
	return n
}

func excerpt(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	if len(line) > 20 {
		line = strings.ToValidUTF8(line[:20], "") + "…"
	}
	return line
}

// quoted reads a string and returns what it says.
func (r *jsonReader) quoted() string {
	start := r.at
	for r.at++; r.at < len(r.text) && r.text[r.at] != '"' && r.text[r.at] != '\n'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	var s string
	if r.at > len(r.text) || json.Unmarshal(r.text[start:r.at], &s) != nil {
		r.at = start
		r.fail("a text is not closed or not valid")
	}
	return s
}

// list reads the members of an object or the items of a list.
func (r *jsonReader) list(n *node, depth int) {
	closing := byte('}')
	if n.kind == '[' {
		closing = ']'
	}
	r.at++
	r.last = r.at
	for r.err == nil {
		r.space()
		n.content = r.last
		switch {
		case r.peek() == closing:
			r.at++
			return
		case (len(n.members) > 0 || len(n.items) > 0) && !n.comma:
			r.fail("a comma or %q is expected", closing)
			return
		}
		n.comma = false
		r.child(n, depth)
		r.space()
		if r.peek() == ',' {
			r.at++
			r.last, n.comma = r.at, true
		}
	}
}

func (r *jsonReader) child(n *node, depth int) {
	if n.kind == '[' {
		n.items = append(n.items, r.value(depth+1))
		return
	}
	m := member{start: r.at}
	if r.peek() != '"' {
		r.fail("a key in quotes is expected")
		return
	}
	m.key = r.quoted()
	if _, twice := n.member(m.key); twice {
		r.fail("the key %q is there twice", m.key)
		return
	}
	r.space()
	if r.peek() != ':' {
		r.fail("a colon is expected after %q", m.key)
		return
	}
	r.at++
	r.space()
	m.value = r.value(depth + 1)
	n.members = append(n.members, m)
}

// plainJSON is a text with comments as JSON for the standard library's reader.
func plainJSON(text []byte, n node) any {
	switch n.kind {
	case '{':
		m := make(map[string]any, len(n.members))
		for _, e := range n.members {
			m[e.key] = plainJSON(text, e.value)
		}
		return m
	case '[':
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = plainJSON(text, item)
		}
		return list
	}
	var v any
	_ = json.Unmarshal(text[n.start:n.end], &v) // the reader has checked it
	return v
}
