package redaction

import (
	"errors"
	"slices"
	"strings"

	"parley"
	"parley/internal/store"
)

// findKept finds what keepers hold of the messages: copies of them, and other
// texts that contain theirs.
func (f *finding) findKept(tx *store.Tx) error {
	body := strings.TrimSpace(f.message.Body)
	if body == "" {
		return nil
	}
	for _, id := range f.messages {
		for _, text := range append([]string{body}, f.added...) {
			list, err := tx.KeptContaining(f.team, id, text)
			if err != nil {
				return err
			}
			f.addKept(list)
		}
	}
	return nil
}

func (f *finding) addKept(list []parley.KeptMessage) {
	for _, k := range list {
		if !slices.ContainsFunc(f.kept, func(other parley.KeptMessage) bool { return other.ID == k.ID }) {
			f.kept = append(f.kept, k)
		}
	}
}

// addExcerpts finds parts of the message and of its copies in keepers that stand by
// themselves where they were found, and makes them secrets too.
func (f *finding) addExcerpts() (parts []string) {
	whole := parley.KeptMessage{Message: f.message.ID, Text: parley.Quote(f.document)}
	pieces := parley.Pieces(f.document)
	for _, k := range append([]parley.KeptMessage{whole}, f.kept...) {
		if !slices.Contains(f.messages, k.Message) {
			continue
		}
		for _, part := range f.s.keepers.Excerpts(k) {
			if len(part) >= distinctive && f.secrets.scrub(part, f.mark) == part {
				parts = append(parts, part)
			}
		}
	}
	pieces = slices.DeleteFunc(pieces, func(piece string) bool { return len(piece) < distinctive })
	f.secrets = newSecrets(slices.Concat(f.secrets.texts, parts, pieces)...)
	return parts
}

// eraseKept takes the text out of keepers and their topics. A copy of a redacted
// message loses all of its own.
func (e *erasure) eraseKept() error {
	var changed []parley.KeptMessage
	var keepers []parley.KeeperID
	for _, k := range e.found.kept {
		text := e.found.secrets.scrub(k.Text, e.found.mark)
		if slices.Contains(e.found.messages, k.Message) {
			text = e.found.mark
		}
		if text == k.Text {
			continue
		}
		k.Text = text
		changed = append(changed, k)
		if !slices.Contains(keepers, k.Keeper) {
			keepers = append(keepers, k.Keeper)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	if err := e.found.s.keepers.Rewrite(e.tx, changed); err != nil {
		return err
	}
	return e.eraseTopics(keepers)
}

func (e *erasure) eraseTopics(keepers []parley.KeeperID) error {
	for _, id := range keepers {
		k, err := e.tx.Keeper(id)
		if errors.Is(err, store.ErrNotFound) { // it was pruned meanwhile
			continue
		}
		if err != nil {
			return err
		}
		if topic := e.found.secrets.scrub(k.Topic, e.found.mark); topic != k.Topic {
			if err := e.found.s.keepers.Rename(e.tx, id, topic); err != nil {
				return err
			}
		}
	}
	return nil
}
