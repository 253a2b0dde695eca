package httpapi

import (
	"context"
	"net/http"

	"parley"
	"parley/api"
	"parley/internal/gate"
	"parley/internal/session"
)

func (s *Server) registerSessions() {
	const tag = "Sessions"
	const people = " Only people may do this."
	handle(s, operation{id: "create-link", method: http.MethodPost, path: "/v1/links", tag: tag,
		summary: "Make a link for signing in",
		description: "Makes a link that signs you in to the page with a browser, once, within ten minutes. The session ends with the token of this request." + people +
			" The same key makes another link: nobody has the first if its response was lost."}, s.createLink)
	handle(s, operation{id: "list-sessions", method: http.MethodGet, path: "/v1/sessions", tag: tag,
		summary: "List sessions", description: "The browsers in which people of your team have signed in." + people}, s.listSessions)
	handle(s, operation{id: "end-session", method: http.MethodDelete, path: "/v1/sessions/{id}", tag: tag,
		summary: "End a session", description: "Signs a browser out at once. What waits in it ends too." + people, errors: []parley.Kind{parley.NotFound}}, s.endSession)
	handle(s, operation{id: "end-sessions", method: http.MethodDelete, path: "/v1/sessions", tag: tag,
		summary: "End all your sessions", description: "Signs all your browsers out at once, not those of others. The response has those that were ended." + people}, s.endSessions)
}

func (s *Server) createLink(ctx context.Context, _ *struct{}) (api.Link, error) {
	l, err := s.cfg.Sessions.Link(ctx, caller(ctx), gate.Token(ctx))
	if err != nil {
		return api.Link{}, err
	}
	return api.Link{Path: l.Path(), Expires: instant(l.Expires)}, nil
}

func (s *Server) listSessions(ctx context.Context, _ *struct{}) (api.SessionList, error) {
	list, err := s.cfg.Sessions.List(ctx, caller(ctx))
	return sessionsOf(list), err
}

func (s *Server) endSession(ctx context.Context, in *struct {
	ID string `path:"id" example:"session-7" doc:"The session's id."`
}) (api.Session, error) {
	id, err := parley.ParseSessionID(in.ID)
	if err != nil {
		return api.Session{}, err
	}
	l, err := s.cfg.Sessions.End(ctx, caller(ctx), id)
	return sessionOf(l), err
}

func (s *Server) endSessions(ctx context.Context, _ *struct{}) (api.SessionList, error) {
	list, err := s.cfg.Sessions.EndAll(ctx, caller(ctx), 0)
	return sessionsOf(list), err
}

func sessionsOf(list []session.Listed) api.SessionList {
	out := api.SessionList{Sessions: make([]api.Session, 0, len(list))}
	for _, l := range list {
		out.Sessions = append(out.Sessions, sessionOf(l))
	}
	return out
}

func sessionOf(l session.Listed) api.Session {
	out := api.Session{ID: l.ID.String(), For: l.Owner, Browser: l.Browser, Created: instant(l.CreatedAt), Used: instant(l.UsedAt), Expires: instant(l.ExpiresAt())}
	if l.Token != 0 {
		out.Token = l.Token.String()
	}
	return out
}
