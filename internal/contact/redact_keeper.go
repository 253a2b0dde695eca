package contact

import (
	"errors"
	"slices"
	"strings"

	"parley"
	"parley/internal/store"
)

// Keepers change what their messages say, wherever they are found by it. Package
// keeper does; it is told of here, since it knows this package.
type Keepers interface {
	Rewrite(tx *store.Tx, list []parley.Kept) error
	// Excerpts are how a message is shown where it is found and not shown whole.
	Excerpts(m parley.Kept) []string
}

// ScrubIn has redacted texts taken out of keepers too.
func (s *Service) ScrubIn(k Keepers) { s.keepers = k }

// findKept finds what keepers hold of the messages: copies of them, and other
// texts that contain theirs.
func (r *redaction) findKept(tx *store.Tx) error {
	r.kept = nil
	text := strings.TrimSpace(r.first.Body)
	if text == "" || r.s.keepers == nil {
		return nil
	}
	for _, id := range r.Messages {
		for _, text := range append([]string{text}, r.added...) {
			list, err := tx.KeptWith(r.first.Team, id, text)
			if err != nil {
				return err
			}
			r.addKept(list)
		}
	}
	return nil
}

func (r *redaction) addKept(list []parley.Kept) {
	for _, k := range list {
		if !slices.ContainsFunc(r.kept, func(other parley.Kept) bool { return other.ID == k.ID }) {
			r.kept = append(r.kept, k)
		}
	}
}

// excerpts are parts of the copies in keepers that stand by themselves in what was
// found there, and make them secrets too.
func (r *redaction) excerpts() (parts []string) {
	for _, k := range r.kept {
		if !slices.Contains(r.Messages, k.Message) {
			continue
		}
		for _, part := range r.s.keepers.Excerpts(k) {
			if len(part) >= telling && r.secrets.scrub(part, r.mark) == part {
				parts = append(parts, part)
			}
		}
	}
	r.secrets = newSecrets(slices.Concat(r.secrets, parts)...)
	return parts
}

// eraseKept takes the text out of keepers and their topics. A copy of a redacted
// message loses all of its own.
func (r *redaction) eraseKept(tx *store.Tx) error {
	var changed []parley.Kept
	var keepers []parley.KeeperID
	for _, k := range r.kept {
		text := r.secrets.scrub(k.Text, r.mark)
		if slices.Contains(r.Messages, k.Message) {
			text = r.mark
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
	if err := r.s.keepers.Rewrite(tx, changed); err != nil {
		return err
	}
	return r.eraseTopics(tx, keepers)
}

func (r *redaction) eraseTopics(tx *store.Tx, keepers []parley.KeeperID) error {
	for _, id := range keepers {
		k, err := tx.Keeper(id)
		if errors.Is(err, store.ErrNotFound) { // it was pruned meanwhile
			continue
		}
		if err != nil {
			return err
		}
		if topic := r.secrets.scrub(k.Topic, r.mark); topic != k.Topic {
			tx.SetTopic(id, topic)
		}
	}
	return nil
}
