package symbol

import (
	"strings"

	sitter "github.com/odvcencio/gotreesitter"
	"github.com/odvcencio/gotreesitter/grammars"
)

// TypeScript and JavaScript have one way to be read and three grammars.
var (
	typeScript  = script(grammars.TypescriptLanguage)
	typeScriptX = script(grammars.TsxLanguage)
	javaScript  = script(grammars.JavascriptLanguage)
)

func script(language func() *sitter.Language) *grammar {
	return &grammar{
		language: language,
		between:  ".",
		leads:    []string{"comment", "decorator"},
		wraps:    []string{"export_statement", "ambient_declaration", "expression_statement", "lexical_declaration", "variable_declaration"},
		define:   defineScript,
	}
}

var scriptKinds = map[string]string{
	"function_declaration": "function", "generator_function_declaration": "function", "function_signature": "function",
	"class_declaration": "class", "abstract_class_declaration": "class", "interface_declaration": "interface",
	"type_alias_declaration": "type", "enum_declaration": "enum", "internal_module": "module", "module": "module",
	"method_definition": "function", "method_signature": "function", "abstract_method_signature": "function",
	"property_signature": "field",
}

func defineScript(t *tree, n *sitter.Node) definition {
	kind := n.Type(t.lang)
	switch kind {
	case "variable_declarator":
		return t.variable(n)
	case "public_field_definition", "field_definition":
		return t.classField(n)
	case "assignment_expression":
		return t.assigned(n)
	case "function_expression", "class", "arrow_function", "generator_function", "object", "call_expression":
		return t.exportedValue(n)
	}
	d := definition{kind: scriptKinds[kind], name: strings.Trim(t.methodName(n), `"'`)}
	switch d.kind {
	case "class", "interface":
		d.body, d.isType = t.field(n, "body"), true
	case "module":
		d.body = t.field(n, "body")
	}
	return d
}

// methodName is the last of the names before the parameters: of static async *run
// the grammar takes async for the name.
func (t *tree) methodName(n *sitter.Node) string {
	name := t.named(n)
	if name != "async" {
		return name
	}
	for i := range n.ChildCount() {
		if c := n.Child(i); c.Type(t.lang) == "property_identifier" {
			name = t.text(c)
		}
	}
	return name
}

// assigned is a function or a class that belongs to something else, such as
// module.exports.run or Server.prototype.run.
func (t *tree) assigned(n *sitter.Node) definition {
	left := t.field(n, "left")
	d := t.value(t.field(n, "right"))
	if left == nil || left.Type(t.lang) != "member_expression" || d.kind == "" {
		return definition{}
	}
	d.name = t.text(left)
	return d
}

// variable is a function or a class if that is what the name is bound to.
func (t *tree) variable(n *sitter.Node) definition {
	name := t.field(n, "name")
	if name == nil || name.Type(t.lang) != "identifier" {
		return definition{}
	}
	d := t.value(t.field(n, "value"))
	d.name = t.text(name)
	if d.kind == "" {
		d.kind = "variable"
		if parent := n.Parent(); parent != nil && strings.HasPrefix(t.text(parent), "const") {
			d.kind = "const"
		}
	}
	return d
}

func (t *tree) classField(n *sitter.Node) definition {
	name := t.field(n, "name")
	if name == nil {
		name = t.field(n, "property")
	}
	d := t.value(t.field(n, "value"))
	d.name = t.text(name)
	if d.kind == "" {
		d.kind = "field"
	}
	return d
}

// value says what a value makes of the name that it is bound to.
func (t *tree) value(n *sitter.Node) definition {
	if n == nil {
		return definition{}
	}
	switch n.Type(t.lang) {
	case "arrow_function", "function_expression", "generator_function":
		return definition{kind: "function"}
	case "class":
		return definition{kind: "class", body: t.field(n, "body"), isType: true}
	}
	return definition{}
}

// exportedValue is what export default has without a name of its own.
func (t *tree) exportedValue(n *sitter.Node) definition {
	parent := n.Parent()
	if parent == nil || parent.Type(t.lang) != "export_statement" {
		return definition{}
	}
	d := t.value(n)
	d.name = "default"
	if d.kind == "" {
		d.kind = "const"
	}
	return d
}
