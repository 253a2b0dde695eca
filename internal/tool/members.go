package tool

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"unicode/utf8"
)

// argument is one member of the object that a model wrote.
type argument struct {
	name  string
	value json.RawMessage // without white space around it
}

// arguments goes through the members of a valid JSON object in their order. A
// json.Decoder could do it too, at three times the allocations, and every contact
// comes through here.
func arguments(object json.RawMessage) iter.Seq[argument] {
	return func(yield func(argument) bool) {
		rest := space(object[1:]) // behind the brace
		for rest[0] != '}' {
			var a argument
			var name json.RawMessage
			name, rest = cutValue(rest)
			a.name = text(name)
			a.value, rest = cutValue(space(space(rest)[1:])) // behind the colon
			if !yield(a) {
				return
			}
			if rest = space(rest); rest[0] == ',' {
				rest = space(rest[1:])
			}
		}
	}
}

func space(json []byte) []byte { return bytes.TrimLeft(json, " \t\r\n") }

// text is what a string says.
func text(value json.RawMessage) string {
	bare := string(value[1 : len(value)-1])
	if strings.Contains(bare, `\`) || !utf8.ValidString(bare) {
		_ = json.Unmarshal(value, &bare) // it is a string
	}
	return bare
}

// cutValue cuts the value off with which a valid text begins.
func cutValue(raw []byte) (value json.RawMessage, rest []byte) {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i += stringLen(raw[i:]) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ' ', '\t', '\r', '\n', ':':
			continue
		default: // a number, true, false or null
			i += bytes.IndexAny(raw[i:], ",]} \t\r\n") - 1
		}
		if depth == 0 {
			return raw[:i+1], raw[i+1:]
		}
	}
	return raw, nil
}

// stringLen is the length of the string with which a valid text begins, with its
// quotes.
func stringLen(raw []byte) int {
	for i := 1; ; i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}
