package contact

import (
	"errors"
	"fmt"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// attach makes room for a text that is longer than a message may be: the message
// becomes its beginning, and the whole is returned, to be stored beside it. A text
// that fits is left alone.
func (s *Service) attach(c access.Caller, message *string, context string) (whole string, err error) {
	limit := s.dir.Limits(c.Agent).MessageBytes
	switch n := len(*message); {
	case n+len(context) <= limit:
		return "", nil
	case !s.access.IsPerson(c.Agent):
		return "", access.ErrPeopleOnly("attach a text to a message")
	case n > parley.AttachmentBytes:
		return "", parley.Errorf(parley.Limited, "The text has %d bytes; an attachment has at most %d.", n, parley.AttachmentBytes).
			WithRule("attachment_bytes").WithHint("Put it into a file of the workspace and say where that is.")
	}
	whole = *message
	if err := parley.CheckText(whole); err != nil {
		return "", err
	}
	*message = beginning(whole, limit-len(context), fmt.Sprintf(
		beginningNote+"%d bytes; read_attachment reads all of it.]", len(whole)))
	return whole, nil
}

// copyAttachment gives a copy of a message the attachment of the first, if it has one.
func copyAttachment(tx *store.Tx, from, to parley.MessageID) error {
	whole, err := tx.Attachment(from)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err == nil {
		tx.InsertAttachment(to, whole)
	}
	return err
}
