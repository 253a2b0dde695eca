package jsonaction

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// objects finds the JSON objects in a text, whatever is around them, and mends
// those that are almost right. broken means that an object began with a key
// that actions have and could not be read.
func objects(text string) (found []fields, broken bool) {
	text = withoutThoughts(text)
	for tried := 0; tried < maxObjects; tried++ {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			return found, broken
		}
		text = text[i:]
		o, n := read(text)
		if o == nil {
			broken = broken || looksLikeAction(text)
			n = 1
		} else {
			found = append(found, o)
		}
		text = text[n:]
	}
	return found, broken
}

// withoutThoughts leaves out what a model thinks aloud before it answers: an
// action there is only being considered. Some models do not mark the beginning
// of their thoughts.
func withoutThoughts(text string) string {
	const begin, end = "<think>", "</think>"
	text = strings.TrimSpace(text)
	before, answer, ended := strings.Cut(text, end)
	switch {
	case strings.HasPrefix(text, begin):
		return answer
	case ended && !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "`") && !strings.Contains(before, begin):
		return answer
	}
	return text
}

// actionKey matches a key that only actions have, before the next brace.
var actionKey = regexp.MustCompile(`^\{[^{}]*["']?\b(action|tool|args|arguments)["']?\s*:`)

// looksLikeAction tells a broken action from a brace in prose. What is inside a
// broken one is not an action of its own.
func looksLikeAction(text string) bool {
	if actionKey.MatchString(text) {
		return true
	}
	mended, _ := mend(text)
	return slices.ContainsFunc(keysOf(mended), func(k string) bool { return actionKey.MatchString("{" + k + ":") })
}

// keysOf are the keys of an object, as far as it can be read.
func keysOf(object string) (keys []string) {
	d := json.NewDecoder(strings.NewReader(object))
	for depth, isKey := 0, false; ; {
		token, err := d.Token()
		if err != nil {
			return keys
		}
		text, isText := token.(string)
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if isText && isKey && depth == 1 {
			keys = append(keys, text)
		}
		isKey = !isText || !isKey
	}
}

// read reads the object at the beginning of a text and returns its length.
func read(text string) (fields, int) {
	d := json.NewDecoder(strings.NewReader(text))
	var o fields
	if d.Decode(&o) == nil && o != nil {
		return o, int(d.InputOffset())
	}
	mended, n := mend(text)
	o = nil
	if json.Unmarshal([]byte(mended), &o) != nil {
		return nil, 0
	}
	return o, n
}

// mender rewrites an almost-JSON object: text in single quotes, line breaks in
// texts, commas before a closing bracket, and the words of Python.
type mender struct {
	in    string
	at    int
	out   strings.Builder
	depth int
}

// mend returns the object at the beginning of a text, and how long it was. It
// ends where its braces end.
func mend(text string) (string, int) {
	m := &mender{in: text}
	for m.at < len(m.in) {
		c := m.in[m.at]
		switch {
		case c == '"' || c == '\'':
			m.quoted(c)
			continue
		case c == ',' && strings.IndexByte("}]", m.next(m.at+1)) >= 0:
			m.at++ // a comma too many
			continue
		case c == '{' || c == '[':
			m.depth++
		case c == '}' || c == ']':
			m.depth--
		case m.word("True", "true"), m.word("False", "false"), m.word("None", "null"):
			continue
		}
		m.out.WriteByte(c)
		m.at++
		if m.depth == 0 {
			break
		}
	}
	return m.out.String(), m.at
}

// next is the first byte from a place on that is not a space; 0 at the end.
func (m *mender) next(from int) byte {
	for ; from < len(m.in); from++ {
		if strings.IndexByte(" \t\r\n", m.in[from]) < 0 {
			return m.in[from]
		}
	}
	return 0
}

func (m *mender) word(from, to string) bool {
	if !strings.HasPrefix(m.in[m.at:], from) {
		return false
	}
	m.out.WriteString(to)
	m.at += len(from)
	return true
}

// quoted copies a quoted text. A single quote ends it only where a text can
// end; any other is an apostrophe.
func (m *mender) quoted(quote byte) {
	m.out.WriteByte('"')
	for m.at++; m.at < len(m.in); m.at++ {
		c := m.in[m.at]
		switch {
		case c == '\\' && m.at+1 < len(m.in):
			m.escape()
		case c == quote && (quote == '"' || strings.IndexByte(",:}]\x00", m.next(m.at+1)) >= 0):
			m.out.WriteByte('"')
			m.at++
			return
		case c == '"':
			m.out.WriteString(`\"`)
		case c < 0x20:
			fmt.Fprintf(&m.out, `\u%04x`, c)
		default:
			m.out.WriteByte(c)
		}
	}
}

// escape copies what follows a backslash. JSON has no \'.
func (m *mender) escape() {
	m.at++
	if m.in[m.at] != '\'' {
		m.out.WriteByte('\\')
	}
	m.out.WriteByte(m.in[m.at])
}
