package provider

import (
	"strings"

	"parley/internal/model"
)

// show passes on what can be shown of a reply, without the key: a provider that
// echoes it may do so in pieces, so what may be its beginning is held back.
type show struct {
	to    func(model.Delta)
	key   secret
	held  string
	shown bool
}

func (s *show) text(t string) {
	if s.to == nil || t == "" {
		return
	}
	t = s.key.hide(s.held + t)
	n := len(t) - s.key.keyPrefixLen(t)
	s.held = t[n:]
	s.pass(t[:n])
}

// end passes on what was held back and is not the key after all.
func (s *show) end() {
	held := s.held
	s.held = ""
	s.pass(held)
}

func (s *show) pass(t string) {
	if s.to != nil && t != "" {
		s.to(model.Delta{Text: t})
		s.shown = true
	}
}

func (s *show) restart() {
	s.held = ""
	if s.shown {
		s.to(model.Delta{Restart: true})
		s.shown = false
	}
}

// keyPrefixLen is how much of the end of a text may be the beginning of the key.
func (s secret) keyPrefixLen(text string) int {
	if len(s) < 4 { // as short as what is never hidden
		return 0
	}
	for n := min(len(s)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, string(s[:n])) {
			return n
		}
	}
	return 0
}
