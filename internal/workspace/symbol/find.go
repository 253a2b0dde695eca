package symbol

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"parley"
)

// Query names one symbol.
type Query struct {
	// Kind may be empty, for any.
	Kind string
	// Name is qualified, or the last part alone where that is clear.
	Name string
	// Line, if it is not 0, is one of the symbol's lines: it chooses among several
	// of one name.
	Line int
}

// Find returns the one symbol that a query names. Several are an error, and so
// is none: it names what is near.
func Find(list []Symbol, q Query) (Symbol, error) {
	found := q.among(list, Symbol.hasName)
	if len(found) == 0 {
		found = q.among(list, Symbol.endsIn)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Symbol{}, q.notFound(list)
	}
	return Symbol{}, parley.Errorf(parley.Conflict, "ambiguous target: %s matches %s.", q, lines(found)).
		WithHint("Give the qualified name, the kind, or the line where it begins as line.")
}

func (q Query) among(list []Symbol, matches func(Symbol, string) bool) (found []Symbol) {
	for _, s := range list {
		if (q.Kind == "" || q.Kind == s.Kind) && matches(s, plain(q.Name)) && (q.Line == 0 || q.Line == s.Line) {
			found = append(found, s)
		}
	}
	return found
}

func (q Query) String() string { return strings.TrimSpace(q.Kind + " " + q.Name) }

func (q Query) notFound(list []Symbol) error {
	err := parley.Errorf(parley.NotFound, "not found: there is no %s in this file.", parley.Clip(q.String(), 200))
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
		if plain(s.Name) == plain(q.Name) || s.endsIn(plain(q.Name)) {
			return err.WithHint("There is %s. Look with list_symbols.", lines([]Symbol{s}))
		}
	}
	if near := parley.Nearest(q.Name, names, 3); len(near) > 0 {
		return err.WithHint("Near are: %s.", strings.Join(near, ", "))
	}
	return err.WithHint("Look with list_symbols.")
}

// hasName compares whole names. A definition of several names has each.
func (s Symbol) hasName(name string) bool {
	if plain(s.Name) == name {
		return true
	}
	for part := range strings.SplitSeq(s.Name, ", ") {
		if plain(part) == name {
			return true
		}
	}
	return false
}

func (s Symbol) endsIn(name string) bool { return strings.HasSuffix(plain(s.Name), "."+name) }

var pointer = regexp.MustCompile(`^\(\*?([\pL_][\pL\pN_]*)\)\.`)

// plain makes (*Server).Run, Server::Run and Server.Run one.
func plain(name string) string {
	name = strings.TrimSuffix(strings.TrimSpace(name), "()")
	name = pointer.ReplaceAllString(name, "$1.")
	return strings.TrimPrefix(strings.ReplaceAll(name, "::", "."), "*")
}

// lines lists symbols with theirs; many are cut.
func lines(list []Symbol) string {
	var texts []string
	for i, s := range list {
		if i == 8 {
			texts = append(texts, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		texts = append(texts, fmt.Sprintf("%s %s (lines %d-%d)", s.Kind, s.Name, s.Line, s.End))
	}
	return strings.Join(texts, ", ")
}

// Block is where the symbol's lines begin and end in its file, the last line end
// not included. A symbol that shares a line with something else has no block.
func (s Symbol) Block(src []byte) (from, to int, err error) {
	from = bytes.LastIndexByte(src[:s.from], '\n') + 1
	to = len(src)
	if i := bytes.IndexByte(src[s.to:], '\n'); i >= 0 {
		to = s.to + i
	}
	if to > s.to && src[to-1] == '\r' {
		to--
	}
	before, after := bytes.TrimSpace(src[from:s.from]), bytes.TrimLeft(src[s.to:to], " \t;,")
	alone := len(before) == 0 && (len(after) == 0 || bytes.HasPrefix(after, []byte("//")) || bytes.HasPrefix(after, []byte("# ")))
	if !alone {
		return 0, 0, parley.Errorf(parley.Invalid, "%s %s shares its lines with something else.", s.Kind, parley.Clip(s.Name, 200)).
			WithHint("Replace it by its exact text.")
	}
	return from, to, nil
}
