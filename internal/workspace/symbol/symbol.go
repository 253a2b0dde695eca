// Package symbol finds the definitions in a source file, with the lines that
// belong to each: its doc comment, its attributes or decorators, and its body.
//
// Go is read by its own parser. The others are taken apart into tokens, and these
// are read as far as definitions go: what is in a function is only looked at for
// its texts, comments and brackets. A file that cannot be read without errors, or
// not in time, has no symbols here: an edit by name in it would be a guess, so
// whoever asks is told to go by text.
package symbol

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"parley"
)

// Symbol is one definition.
type Symbol struct {
	// Kind is one of Kinds.
	Kind string
	// Name is qualified by what it stands in: Server.Run, Agent::new, Outer.Inner.
	// One definition of several names has them all: a, b.
	Name string
	// Line and End are the first and the last line, counted from 1.
	Line, End int
	// from and to are the bytes of what the lines are taken from.
	from, to int
}

// Kinds are the kinds of all languages.
func Kinds() []string {
	return []string{"function", "method", "class", "struct", "enum", "union", "interface", "trait", "impl",
		"type", "const", "variable", "field", "macro", "module"}
}

// maxSource bounds what is parsed: the time of a parser is not always in
// proportion to its input.
const maxSource = 512 << 10

// maxNesting bounds brackets within brackets. Parsers recurse, and a stack that
// overflows cannot be caught.
const maxNesting = 500

// language reads the symbols of one language.
type language struct {
	name string
	read func(src []byte) ([]Symbol, error)
}

// languages are by the ending of a file's name.
var languages = map[string]language{
	".go": {"Go", readGo},
	".rs": {"Rust", readRust},
	".py": {"Python", readPython}, ".pyi": {"Python", readPython},
	".ts": {"TypeScript", readTypeScript}, ".mts": {"TypeScript", readTypeScript}, ".cts": {"TypeScript", readTypeScript},
	".tsx": {"TypeScript", readTypeScriptX},
	".js":  {"JavaScript", readJavaScript}, ".mjs": {"JavaScript", readJavaScript}, ".cjs": {"JavaScript", readJavaScript},
	".jsx": {"JavaScript", readJavaScript},
}

// Language is that of a file by its name; empty if it is none of ours.
func Language(name string) string { return languages[strings.ToLower(path.Ext(name))].name }

// List finds the symbols of a file in the order of their lines. The error says
// why it has none to rely on, in words for a model.
func List(name string, src []byte) (list []Symbol, err error) {
	lang, ok := languages[strings.ToLower(path.Ext(name))]
	switch {
	case !ok:
		return nil, parley.Errorf(parley.Invalid, "Symbols are not known for %s.", path.Base(name)).
			WithHint("There are symbols for Go, Rust, Python, TypeScript and JavaScript. Use the exact text instead.")
	case len(src) > maxSource:
		return nil, unreadable(lang.name, "it is larger than 512 KiB")
	case nesting(src) > maxNesting:
		return nil, unreadable(lang.name, "its brackets are nested too deeply")
	}
	defer func() {
		if recover() != nil {
			list, err = nil, unreadable(lang.name, "the parser failed")
		}
	}()
	list, err = lang.read(src)
	if err != nil {
		return nil, unreadable(lang.name, err.Error())
	}
	slices.SortStableFunc(list, func(a, b Symbol) int { return a.from - b.from })
	number(list, src)
	return list, nil
}

// Check says whether a file reads without errors; nil too for a language that is
// none of ours.
func Check(name string, src []byte) error {
	if Language(name) == "" {
		return nil
	}
	_, err := List(name, src)
	return err
}

func unreadable(language, why string) *parley.Error {
	return parley.Errorf(parley.Invalid, "The symbols of this %s file cannot be told: %s.", language, why).
		WithHint("Use the exact text instead.")
}

func lineAt(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(offset, len(src))], []byte("\n"))
}

// number gives symbols their lines. It counts line ends once, for a file of many
// symbols on few lines.
func number(list []Symbol, src []byte) {
	var ends []int
	for i, b := range src {
		if b == '\n' {
			ends = append(ends, i)
		}
	}
	line := func(offset int) int {
		before, _ := slices.BinarySearch(ends, offset)
		return before + 1
	}
	for i, s := range list {
		list[i].Line, list[i].End = line(s.from), line(max(s.to-1, s.from))
	}
}

// nesting is how deep brackets stand in each other at most. Those in texts and
// comments count too, which only makes it careful.
func nesting(src []byte) int {
	depth, deepest := 0, 0
	for _, b := range src {
		switch b {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return deepest
}
