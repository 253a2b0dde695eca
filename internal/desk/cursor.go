package desk

import (
	"encoding/base64"
	"encoding/binary"
	"slices"

	"parley"
)

// A cursor names the messages of a batch, so that giving it back says which of them
// arrived. It is no secret: it can only mark messages for whoever gives it.

// cursorOf encodes the ids of messages, sorted, as the differences between them.
func cursorOf(ids []parley.MessageID) string {
	if len(ids) == 0 {
		return ""
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	var b []byte
	before := parley.MessageID(0)
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id-before))
		before = id
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// idsOf decodes a cursor. The empty one names nothing.
func idsOf(cursor string) (ids []parley.MessageID, err error) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return nil, errCursor()
	}
	id := uint64(0)
	for len(b) > 0 {
		step, n := binary.Uvarint(b)
		if n <= 0 || step == 0 || id+step > 1<<62 || id+step < id || len(ids) == most {
			return nil, errCursor()
		}
		id, b = id+step, b[n:]
		ids = append(ids, parley.MessageID(id))
	}
	return ids, nil
}

// errCursor is a conflict: which texts are cursors cannot be said beforehand.
func errCursor() *parley.Error {
	return parley.Errorf(parley.Conflict, "This is not a cursor.").WithHint("Give back the cursor of the last batch as it was, or none.")
}
