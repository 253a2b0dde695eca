// Package memory is what agents write down for themselves: each its own MEMORY.md,
// which is part of its prompt from the next turn on. It is changed here and nowhere
// else, one change after the other, so that of two turns of an agent neither loses what
// the other wrote.
package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"parley"
	"parley/internal/store"
)

// MaxBytes is how large a MEMORY.md may become: all of it is in every prompt.
const MaxBytes = 32 << 10

// Files is the folder that a MEMORY.md is in. Package workspace implements it.
type Files interface {
	Keep(path string, change func(old string) (string, error), record func(...parley.Change) error) (string, error)
}

// Place is where an agent's memory is.
type Place struct {
	Files Files
	Path  string
}

// Service is that of one team. It is safe for concurrent use.
type Service struct {
	changing sync.Mutex // so that prompts hear of changes in the order of the file's

	Store store.Store
	// Find finds an agent's memory; false if it has none.
	Find func(parley.AgentID) (Place, bool)
	// Changed makes the new memory part of the agent's prompt.
	Changed func(agent parley.AgentID, text string)
}

// Note is something to remember.
type Note struct {
	Text string
	// Rewrite puts the text in the place of all that was there. Digest is that of what is
	// to be replaced.
	Rewrite bool
	Digest  string
	// Record stores the change before it is made.
	Record func(...parley.Change) error
}

// Kept is a memory after a change.
type Kept struct {
	Size   int
	Digest string
}

// Remember changes the memory of the agent whose turn it is.
func (s *Service) Remember(ctx context.Context, l parley.Lease, n Note) (Kept, error) {
	if err := n.check(); err != nil {
		return Kept{}, err
	}
	place, ok := s.Find(l.Agent)
	if !ok {
		return Kept{}, parley.Errorf(parley.Unavailable, "There is no MEMORY.md for you on this hub.").
			WithHint("Put what should be remembered into your result, and let a person look at your agent file.")
	}
	text, err := s.keep(l.Agent, place, n)
	if err != nil {
		return Kept{}, err
	}
	verb := "added to"
	if n.Rewrite {
		verb = "rewrote"
	}
	err = s.Store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		tx.Record(parley.Event{Team: l.Team, Kind: parley.EventAgent, Actor: l.Agent, Target: l.Agent, Task: l.Task,
			Detail: fmt.Sprintf("%s its MEMORY.md, now %d bytes", verb, len(text))})
		return nil
	})
	return Kept{Size: len(text), Digest: digest(text)}, err
}

func (s *Service) keep(agent parley.AgentID, at Place, n Note) (string, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	text, err := at.Files.Keep(at.Path, n.apply, n.Record)
	if err == nil {
		s.Changed(agent, text)
	}
	return text, err
}

func (n Note) check() error {
	switch {
	case strings.TrimSpace(n.Text) == "" && !n.Rewrite:
		return parley.Errorf(parley.Invalid, "There is nothing to remember: text is empty.")
	case n.Digest != "" && !n.Rewrite:
		return parley.Errorf(parley.Invalid, "digest is for a rewrite.").WithHint("Set rewrite, or leave digest out.")
	}
	return parley.CheckText(n.Text)
}

// apply makes the new memory. What imitates the hub is quoted, as it will stand in a
// prompt.
func (n Note) apply(old string) (string, error) {
	text := strings.TrimRight(parley.Quote(strings.ReplaceAll(n.Text, "\r\n", "\n")), "\n")
	if text != "" {
		text += "\n"
	}
	switch {
	case n.Rewrite && strings.TrimSpace(old) != "" && strings.TrimSpace(n.Digest) != digest(old):
		return "", parley.Errorf(parley.Conflict, "stale target: to rewrite MEMORY.md give the digest of what it says now, %s. It says:\n%s", digest(old), old)
	case !n.Rewrite && old != "":
		text = strings.TrimRight(old, "\n") + "\n" + text
	}
	if len(text) > MaxBytes {
		return "", parley.Errorf(parley.Limited, "MEMORY.md would have %d bytes; at most %d are allowed.", len(text), MaxBytes).
			WithHint("Rewrite it with what still matters.")
	}
	return text, nil
}

// digest identifies the content, as that of a file in the workspace does.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
