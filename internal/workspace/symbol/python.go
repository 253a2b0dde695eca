package symbol

import (
	sitter "github.com/odvcencio/gotreesitter"
	"github.com/odvcencio/gotreesitter/grammars"
)

var python = &grammar{
	language: grammars.PythonLanguage,
	between:  ".",
	leads:    []string{"comment"},
	comment:  "#", // the first one in a class is outside of its body
	wraps:    []string{"decorated_definition", "expression_statement"},
	// What is defined under a condition is defined all the same.
	passes: []string{"if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "finally_clause", "with_statement", "block"},
	define: definePython,
}

func definePython(t *tree, n *sitter.Node) definition {
	switch n.Type(t.lang) {
	case "function_definition":
		return definition{kind: "function", name: t.named(n)}
	case "class_definition":
		return definition{kind: "class", name: t.named(n), body: t.field(n, "body"), isType: true}
	case "type_alias_statement":
		return definition{kind: "type", name: t.aliasName(n)}
	case "assignment":
		if left := t.field(n, "left"); left != nil && left.Type(t.lang) == "identifier" {
			return definition{kind: "variable", name: t.text(left)}
		}
	}
	return definition{}
}

// aliasName is the first name in type Pair[T] = ….
func (t *tree) aliasName(n *sitter.Node) string {
	for at := t.field(n, "left"); at != nil; at = at.NamedChild(0) {
		if at.Type(t.lang) == "identifier" {
			return t.text(at)
		}
	}
	return ""
}
