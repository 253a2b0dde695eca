package symbol

import (
	"strings"

	sitter "github.com/odvcencio/gotreesitter"
	"github.com/odvcencio/gotreesitter/grammars"
)

var rust = &grammar{
	language: grammars.RustLanguage,
	between:  "::",
	leads:    []string{"line_comment", "block_comment", "attribute_item"},
	passes:   []string{"foreign_mod_item", "declaration_list"},
	define:   defineRust,
}

var rustKinds = map[string]string{
	"function_item": "function", "function_signature_item": "function", "struct_item": "struct", "enum_item": "enum",
	"union_item": "union", "type_item": "type", "associated_type": "type", "const_item": "const", "static_item": "variable",
	"macro_definition": "macro", "trait_item": "trait", "mod_item": "module",
}

func defineRust(t *tree, n *sitter.Node) definition {
	kind := n.Type(t.lang)
	if kind == "impl_item" {
		return t.implementation(n)
	}
	d := definition{kind: rustKinds[kind], name: t.named(n)}
	if d.kind == "trait" || d.kind == "module" {
		d.body, d.isType = t.field(n, "body"), d.kind == "trait"
	}
	return d
}

// implementation is named after the trait and the type, what is in it after the
// type alone.
func (t *tree) implementation(n *sitter.Node) definition {
	of := withoutParameters(t.text(t.field(n, "type")))
	d := definition{kind: "impl", name: of, inside: of, body: t.field(n, "body"), isType: true}
	if trait := t.field(n, "trait"); trait != nil {
		d.name = strings.Join(strings.Fields(t.text(trait)), " ") + " for " + of
	}
	return d
}

// withoutParameters turns Agent<T> into Agent.
func withoutParameters(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return strings.TrimSpace(name)
}
