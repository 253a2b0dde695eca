package yamlfile

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"parley"
)

// Key is one key that a mapping may have, and what to do with its value.
type Key struct {
	Name string
	Read Reader
	// Explicit keys must have a value; the others count as absent without one.
	Explicit bool
	// Hidden keys are not offered when another one is misspelt.
	Hidden bool
}

// Reader takes a value, or says what is wrong with it.
type Reader func(Value) []Mistake

// Into makes a Reader that stores what read returns, unless there is a mistake.
func Into[T any](dst *T, read func(Value) (T, []Mistake)) Reader {
	return func(v Value) []Mistake {
		got, found := read(v)
		if found == nil {
			*dst = got
		}
		return found
	}
}

// Choice makes a Reader of one of a closed set of words.
func Choice[T ~string](dst *T, words ...T) Reader {
	return func(v Value) []Mistake {
		s, found := v.Trimmed()
		if found != nil {
			return found
		}
		if !slices.Contains(words, T(s)) {
			known := make([]string, len(words))
			for i, w := range words {
				known[i] = string(w)
			}
			return v.Wrong("%q is not a choice here. %s", s, Suggest(s, known))
		}
		*dst = T(s)
		return nil
	}
}

// Any accepts every value and leaves it alone.
func Any(Value) []Mistake { return nil }

// Fields are the values of a mapping that are present, by their keys.
type Fields map[string]Value

// Has reports whether the key is present.
func (f Fields) Has(key string) bool {
	_, ok := f[key]
	return ok
}

// Lines are the lines of the keys that are present.
func (f Fields) Lines() map[string]int {
	lines := make(map[string]int, len(f))
	for key, v := range f {
		lines[key] = v.line
	}
	return lines
}

// Fields reads a mapping by the table of its keys, in the order of the file.
func (v Value) Fields(keys []Key) (Fields, []Mistake) {
	fields := Fields{}
	found := v.read(keys, func(e Value) { fields[e.Key] = e })
	return fields, found
}

// Read is Fields for who only wants to know on which line each present key is.
func (v Value) Read(keys []Key, present func(key string, line int)) []Mistake {
	return v.read(keys, func(e Value) { present(e.Key, e.line) })
}

func (v Value) read(keys []Key, present func(Value)) []Mistake {
	entries, found := v.Entries("keys and values, like name: text")
	for _, e := range entries {
		i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == e.Key })
		switch {
		case i < 0:
			found = append(found, e.unknownKey(keys)...)
		case !e.Absent() || keys[i].Explicit:
			present(e)
			found = append(found, keys[i].Read(e)...)
		}
	}
	return found
}

func (v Value) unknownKey(keys []Key) []Mistake {
	var known []string
	for _, k := range keys {
		if !k.Hidden {
			known = append(known, k.Name)
		}
	}
	return v.WrongKey("Unknown key %q. %s", v.Key, Suggest(v.Key, known))
}

// Suggest completes a message about an unknown word.
func Suggest(word string, known []string) string {
	if near := parley.Nearest(word, known, 1); len(near) > 0 {
		return "Did you mean " + near[0] + "?"
	}
	return "Known are " + strings.Join(known, ", ") + "."
}

// Entries are the values of a mapping with any keys, in the order of the file.
// Anything else is refused as not what was expected.
func (v Value) Entries(expected string) ([]Value, []Mistake) {
	if m, ok := v.node.(plainMapping); ok {
		return m, nil
	}
	m, ok := v.node.(*ast.MappingNode)
	if !ok {
		return nil, v.expected(expected)
	}
	entries := make([]Value, len(m.Values))
	for i, pair := range m.Values {
		key, e := newValue(pair.Key), newValue(pair.Value)
		if _, ok := pair.Key.(*ast.MergeKeyNode); ok {
			return nil, key.Wrong("<< is not supported. Write the keys out.")
		}
		var found []Mistake
		if e.Key, found = key.Text(); found != nil {
			return nil, found
		}
		if e.keyColumn = key.column; e.line != key.line {
			e.line, e.column = key.line, key.column
		}
		entries[i] = e
	}
	return entries, nil
}
