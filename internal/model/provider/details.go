package provider

import (
	"bytes"
	"encoding/json"
	"strings"
)

// chatDetails are the thoughts of a reply as OpenRouter and others pass them on
// from whoever runs the model: a list of objects, with signatures and with what
// nobody else can read. A stream sends them in pieces.
type chatDetails struct {
	list []*chatDetail
	part *part // of the draft that they were put into
}

type chatDetail struct {
	fields map[string]json.RawMessage
	// texts are those fields that come in pieces.
	texts map[string]*strings.Builder
}

// add joins each piece with the one before it if both are of the same thought.
func (d *chatDetails) add(pieces []json.RawMessage) {
	for _, raw := range pieces {
		var piece map[string]json.RawMessage
		if json.Unmarshal(raw, &piece) != nil || piece == nil {
			continue
		}
		if n := len(d.list); n == 0 || !d.list[n-1].continues(piece) {
			d.list = append(d.list, &chatDetail{map[string]json.RawMessage{}, map[string]*strings.Builder{}})
		}
		d.list[len(d.list)-1].join(piece)
	}
}

func (d *chatDetail) continues(piece map[string]json.RawMessage) bool {
	for _, name := range []string{"type", "index"} {
		if !bytes.Equal(d.fields[name], piece[name]) {
			return false
		}
	}
	id, has := piece["id"]
	return piece["data"] == nil && (!has || d.fields["id"] == nil || bytes.Equal(id, d.fields["id"]))
}

func (d *chatDetail) join(piece map[string]json.RawMessage) {
	for name, value := range piece {
		var text string
		switch {
		case string(value) == "null":
		case (name == "text" || name == "summary") && json.Unmarshal(value, &text) == nil:
			if d.texts[name] == nil {
				d.texts[name] = &strings.Builder{}
			}
			d.texts[name].WriteString(text)
		default:
			d.fields[name] = value
		}
	}
}

// put puts the details that came so far into a draft.
func (d *chatDetails) put(to *draft) {
	if len(d.list) == 0 {
		return
	}
	if d.part == nil {
		d.part = to.add(thoughtPart, "")
		d.part.name = "reasoning_details"
	}
	all := make([]map[string]json.RawMessage, len(d.list))
	for i, detail := range d.list {
		for name, text := range detail.texts {
			detail.fields[name], _ = json.Marshal(text.String()) // a text can always be written
		}
		all[i] = detail.fields
	}
	d.part.raw, _ = json.Marshal(all) // as what was read
}
