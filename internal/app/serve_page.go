package app

import (
	"parley/internal/page"
)

// newPage makes the door for browsers. They come in by s.signin.
func (s *serving) newPage() *page.Door {
	return page.New(page.Config{
		Reading: s.hub.Reading, Contacts: s.hub.Contacts, Channels: s.hub.Channels, Keepers: s.hub.Keepers, Changes: s.hub.Changes, Tools: s.hub.Tools,
		Tokens: s.hub.Tokens, Sessions: s.hub.Sessions, Rules: s.teams.rules, Signin: s.signin, Gate: s.gate, Log: s.cfg.Log, Version: Version(),
	})
}
