package provider

import (
	"bytes"
	"encoding/json"
)

// chatDetails are the thoughts of a reply as OpenRouter and others pass them on
// from whoever runs the model: a list of objects, with signatures and with what
// nobody else can read. A stream sends them in pieces.
type chatDetails struct {
	list []chatDetail
	at   *part
}

type chatDetail map[string]json.RawMessage

// add joins a piece with the one before it, if both are of the same thought.
func (d *chatDetails) add(pieces []json.RawMessage) {
	for _, raw := range pieces {
		var piece chatDetail
		if json.Unmarshal(raw, &piece) != nil || piece == nil {
			continue
		}
		if n := len(d.list); n > 0 && d.list[n-1].continues(piece) {
			d.list[n-1].join(piece)
		} else {
			d.list = append(d.list, piece)
		}
	}
}

func (d chatDetail) continues(piece chatDetail) bool {
	for _, name := range []string{"type", "index"} {
		if !bytes.Equal(d[name], piece[name]) {
			return false
		}
	}
	id, has := piece["id"]
	return piece["data"] == nil && (!has || d["id"] == nil || bytes.Equal(id, d["id"]))
}

func (d chatDetail) join(piece chatDetail) {
	for name, value := range piece {
		var before, after string
		if (name == "text" || name == "summary") && json.Unmarshal(value, &after) == nil {
			_ = json.Unmarshal(d[name], &before) // nothing, if there is none
			value, _ = json.Marshal(before + after)
		}
		if !bytes.Equal(value, []byte("null")) {
			d[name] = value
		}
	}
}

// part puts the details into a draft, at the place where they began.
func (d *chatDetails) part(to *draft) {
	if d.at == nil {
		d.at = to.add(thoughtPart, "")
		d.at.name = "reasoning_details"
	}
	if raw, err := json.Marshal(d.list); err == nil {
		d.at.raw = raw
	}
}
