package provider

import (
	"crypto/rand"
	"encoding/json"
	"strings"

	"parley/internal/model"
)

// draft is a reply in the making. The reader of a format fills it.
type draft struct {
	parts []*part
	show  func(text string) // is given text as it comes
	end   ending            // "" until the reply says why it ended
	usage model.Usage
	cost  float64 // in dollars, if the provider tells
	// refusal is what the model said instead of answering.
	refusal string
}

// ending is why a reply ended.
type ending string

const (
	done     ending = "done"     // with its text, or with its calls
	cut      ending = "cut"      // at the limit of tokens
	filtered ending = "filtered" // because of its content
	failed   ending = "failed"   // the provider gave up
)

type partKind int

const (
	textPart partKind = iota
	thoughtPart
	callPart
)

// part is one of the things that a reply consists of, in their order.
type part struct {
	kind partKind
	body strings.Builder // the text, or a call's arguments
	id   string          // of a call
	name string          // of a call; of a thought, the field that it came in
	// signature proves to the provider that the part is its own.
	signature string
	// raw is a thought that nobody else can read. It goes back as it came.
	raw json.RawMessage
}

func (d *draft) add(kind partKind, text string) *part {
	p := &part{kind: kind}
	p.body.WriteString(text)
	d.parts = append(d.parts, p)
	return p
}

// write adds to the part under way, or begins another. What is signed is
// complete.
func (d *draft) write(kind partKind, text string) {
	if text == "" {
		return
	}
	if n := len(d.parts); n > 0 && d.parts[n-1].kind == kind && d.parts[n-1].signature == "" && d.parts[n-1].raw == nil {
		d.parts[n-1].body.WriteString(text)
	} else {
		d.add(kind, text)
	}
	if kind == textPart {
		d.show(text)
	}
}

// call begins a call. Some providers give it no id.
func (d *draft) call(id, name, args string) *part {
	if id == "" {
		id = "call_" + rand.Text()[:16]
	}
	p := d.add(callPart, args)
	p.id, p.name = id, name
	return p
}

// reply is what was gathered, in our words.
func (d *draft) reply() (r model.Reply) {
	var text strings.Builder
	for _, p := range d.parts {
		switch p.kind {
		case callPart:
			r.Calls = append(r.Calls, model.Call{ID: p.id, Name: p.name, Args: argsOf(p.body.String())})
		case textPart:
			text.WriteString(p.body.String())
		}
	}
	r.Text = text.String()
	return r
}

// argsOf makes arguments that can be stored. What is not JSON becomes a text,
// which no tool takes: the model is told that it has to send an object.
func argsOf(input string) json.RawMessage {
	input = strings.TrimSpace(input)
	switch {
	case input == "" || input == "null":
		return json.RawMessage("{}")
	case json.Valid([]byte(input)):
		return json.RawMessage(input)
	}
	text, err := json.Marshal(input)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return text
}
