package join

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// jsonEdit changes a JSON file in place: whatever it does not set keeps its
// bytes, comments included.
type jsonEdit struct {
	text []byte
	root node
	err  error
}

func editJSON(text []byte) *jsonEdit {
	if len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\uFEFF")))) == 0 {
		text = []byte("{}\n")
	}
	e := &jsonEdit{text: text}
	e.read()
	if e.err == nil && e.root.kind != '{' {
		e.err = fmt.Errorf("it is not an object in braces")
	}
	return e
}

func (e *jsonEdit) read() { e.root, e.err = readJSON(e.text) }

// at finds the value at a path.
func (e *jsonEdit) at(path ...string) (node, bool) {
	n := e.root
	for _, key := range path {
		next, ok := n.member(key)
		if !ok {
			return node{}, false
		}
		n = next
	}
	return n, true
}

// get is the value at a path as Go has it; nil if there is none.
func (e *jsonEdit) get(path ...string) any {
	if e.err != nil {
		return nil
	}
	n, ok := e.at(path...)
	if !ok {
		return nil
	}
	return plainJSON(e.text, n)
}

// set puts a value at a path. Objects on the way are made if they are missing.
func (e *jsonEdit) set(value any, path ...string) {
	if e.err != nil {
		return
	}
	n := e.root
	for i, key := range path {
		if n.kind != '{' {
			e.err = fmt.Errorf("%s is not an object in braces", strings.Join(path[:i], "."))
			return
		}
		next, ok := n.member(key)
		if !ok {
			for _, k := range slices.Backward(path[i+1:]) {
				value = object{{k, value}}
			}
			e.insert(n, key, value)
			return
		}
		n = next
	}
	e.replace(n, value)
}

// add puts a value at the end of the list at a path, or in the place of the first
// item that is one of ours.
func (e *jsonEdit) add(value any, ours func(item any) bool, path ...string) {
	if e.err != nil {
		return
	}
	n, ok := e.at(path...)
	switch {
	case !ok:
		e.set([]any{value}, path...)
		return
	case n.kind != '[':
		e.err = fmt.Errorf("%s is not a list", strings.Join(path, "."))
		return
	}
	for _, item := range n.items {
		if ours(plainJSON(e.text, item)) {
			e.replace(item, value)
			return
		}
	}
	e.insert(n, "", value)
}

func (e *jsonEdit) replace(n node, value any) {
	e.splice(n.start, n.end, e.ends(e.format(value, e.indentAt(n.start), false)))
}

// insert adds a member to an object, or an item to a list if the key is empty.
func (e *jsonEdit) insert(n node, key string, value any) {
	starts, last := n.children()
	flat := len(starts) > 0 && !bytes.Contains(e.text[n.start:n.end], []byte("\n"))
	indent := e.indentAt(n.start) + e.unit()
	if len(starts) > 0 && !flat && e.first(starts[len(starts)-1]) {
		indent = e.indentAt(starts[len(starts)-1])
	}
	text := e.format(value, indent, flat)
	if n.kind == '{' {
		text = encodeJSON(key) + ": " + text
	}
	switch {
	case flat && n.comma:
		e.splice(n.content, n.content, " "+text)
	case flat:
		e.splice(last.end, last.end, ", "+text)
	default:
		text = "\n" + indent + text
		if !bytes.Contains(e.text[n.content:n.end], []byte("\n")) {
			text += "\n" + e.indentAt(n.start)
		}
		text = e.ends(text)
		comma := len(starts) > 0 && !n.comma
		tail := slices.Clone(e.text[n.content:])
		head := slices.Clone(e.text[:n.content])
		if comma {
			head = slices.Insert(head, last.end, ',')
		}
		e.text = slices.Concat(head, []byte(text), tail)
		e.read()
	}
}

func (e *jsonEdit) splice(from, to int, text string) {
	e.text = slices.Concat(e.text[:from], []byte(text), e.text[to:])
	e.read()
}

// ends gives a text the line ends of the file.
func (e *jsonEdit) ends(text string) string {
	if bytes.Contains(e.text, []byte("\r\n")) {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// indentAt is the white space before the line that a place is in.
func (e *jsonEdit) indentAt(at int) string {
	line := e.text[bytes.LastIndexByte(e.text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// first reports whether only white space is before a place in its line.
func (e *jsonEdit) first(at int) bool {
	line := e.text[bytes.LastIndexByte(e.text[:at], '\n')+1 : at]
	return len(bytes.TrimSpace(line)) == 0
}

// unit is by how much the file indents.
func (e *jsonEdit) unit() string {
	if len(e.root.members) > 0 && e.first(e.root.members[0].start) {
		if indent := e.indentAt(e.root.members[0].start); indent != "" {
			return indent
		}
	}
	return "  "
}

func (e *jsonEdit) format(value any, indent string, flat bool) string {
	text := encodeJSON(value)
	if flat {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), indent, e.unit()) != nil {
		return text
	}
	return b.String()
}

// object is a JSON object whose keys keep their order.
type object []entry

type entry struct {
	key   string
	value any
}

// MarshalJSON writes the keys in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(encodeJSON(e.key) + ":" + encodeJSON(e.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encodeJSON is what json.Marshal would be if people did not read the files: < and
// & stay as they are.
func encodeJSON(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // only texts, numbers, lists and objects are written
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// encodeList writes texts on one line, as TOML and YAML have them too.
func encodeList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = encodeJSON(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
