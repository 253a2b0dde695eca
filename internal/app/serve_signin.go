package app

import (
	"maps"
	"net/http"

	"parley/internal/signin"
)

// newSignin makes the door by which browsers sign in.
func (s *serving) newSignin() *signin.Door {
	return &signin.Door{Sessions: s.hub.Sessions, Gate: s.gate, Log: s.cfg.Log}
}

// doors are all those beside the API, by their paths.
func (s *serving) doors() map[string]http.Handler {
	doors := map[string]http.Handler{"/mcp": s.mcp}
	s.signin = s.newSignin()
	handler := s.signin.Handler()
	maps.Copy(doors, map[string]http.Handler{signin.Path: handler, signin.SignOutPath: handler})
	s.page = s.newPage()
	for _, path := range s.page.Paths() {
		doors[path] = s.page
	}
	return doors
}
