package page

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley"
)

// Payload is a call as a person reads it who decides about it: all of it.
type Payload struct {
	Fields []Field
	Raw    string // the arguments as they are stored
	Lines  int
	Bytes  int
}

// Field is one value of the arguments, with the way to it.
type Field struct {
	Name  string
	Text  string
	Long  bool // it stands in a block of its own
	Plain bool // the value is a text; else it is JSON
	Again bool // the same name was given before
}

// Lines is how many lines the text has.
func (f Field) Lines() int { return 1 + strings.Count(strings.TrimSuffix(f.Text, "\n"), "\n") }

// Bytes is how long the text is.
func (f Field) Bytes() int { return len(f.Text) }

const (
	shortField = 160
	mostFields = 400
	mostDepth  = 8
)

// payloadOf takes the arguments apart, so that the texts in them are read as texts. What
// is no object, or has too many values for that, is shown as JSON. Nothing is left out.
func payloadOf(a parley.Approval) Payload {
	p := Payload{Raw: a.Args, Bytes: len(a.Args)}
	if ok := p.take("", json.RawMessage(a.Args), 0); !ok || len(p.Fields) > mostFields {
		p.Fields = []Field{jsonField("", []byte(a.Args))}
	}
	seen := map[string]bool{}
	for i, f := range p.Fields {
		p.Lines += f.Lines()
		p.Fields[i].Again = seen[f.Name]
		seen[f.Name] = true
	}
	return p
}

// take adds a value, or those in it. It keeps the order, and names that are given twice.
func (p *Payload) take(name string, value json.RawMessage, depth int) bool {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || len(p.Fields) > mostFields {
		return false
	}
	switch {
	case value[0] == '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return false
		}
		p.Fields = append(p.Fields, Field{Name: name, Text: text, Plain: true, Long: strings.Contains(text, "\n") || utf8.RuneCountInString(text) > shortField})
		return true
	case value[0] != '{' && value[0] != '[' || depth == mostDepth || len(value) == 2 && name != "":
		p.Fields = append(p.Fields, jsonField(name, value))
		return json.Valid(value)
	}
	return p.within(name, value, depth)
}

func (p *Payload) within(name string, value json.RawMessage, depth int) bool {
	in := json.NewDecoder(bytes.NewReader(value))
	open, err := in.Token()
	for i := 0; err == nil && in.More(); i++ {
		at := name + "[" + strconv.Itoa(i) + "]"
		if open == json.Delim('{') {
			key, _ := in.Token() // a name is always a text
			at, _ = key.(string)
			if name != "" {
				at = name + "." + at
			}
		}
		var item json.RawMessage
		if err = in.Decode(&item); err == nil && !p.take(at, item, depth+1) {
			return false
		}
	}
	if err == nil {
		_, err = in.Token()
	}
	return err == nil && !in.More()
}

func jsonField(name string, value []byte) Field {
	var b bytes.Buffer
	if json.Indent(&b, value, "", "  ") != nil {
		b.Reset()
		b.Write(value)
	}
	text := b.String()
	return Field{Name: name, Text: text, Long: strings.Contains(text, "\n") || utf8.RuneCountInString(text) > shortField}
}
