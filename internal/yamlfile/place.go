package yamlfile

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Place is where a key stands in a text.
type Place struct {
	Line, Column int // of the key, from 0
	// Comment stands behind the key or its value on the same line, with its #.
	Comment string
}

// Places finds the keys of a mapping, for a program that edits the lines. It
// reports false unless each key has a line of its own.
func Places(text string) (map[string]Place, bool) {
	file, err := parser.ParseBytes([]byte(text), parser.ParseComments)
	if err != nil {
		return nil, false
	}
	places := map[string]Place{}
	taken := map[int]bool{}
	for _, doc := range file.Docs {
		m, ok := doc.Body.(*ast.MappingNode)
		if !ok {
			continue
		}
		if m.IsFlowStyle {
			return nil, false
		}
		for _, pair := range m.Values {
			at := pair.Key.GetToken().Position
			if taken[at.Line] {
				return nil, false
			}
			taken[at.Line] = true
			places[pair.Key.GetToken().Value] = Place{Line: at.Line - 1, Column: at.Column - 1, Comment: inlineComment(pair)}
		}
	}
	return places, true
}

func inlineComment(pair *ast.MappingValueNode) string {
	line := pair.Key.GetToken().Position.Line
	for _, n := range []ast.Node{pair.Value, pair.Key} {
		group := n.GetComment()
		if group == nil || len(group.Comments) == 0 {
			continue
		}
		if t := group.Comments[0].GetToken(); t != nil && t.Position.Line == line {
			return "#" + t.Value
		}
	}
	return ""
}
