package gate

import (
	"net/http"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/session"
)

// Session finds the caller by the cookie of a browser and nothing else, in one indexed
// read. What waits ends with the session, as with a token.
func (g *Gate) Session(r *http.Request) (access.Caller, parley.Session, error) {
	heard := g.tokens.signals()
	use, err := session.Look(r.Context(), g.cfg.Store, session.Cookie{Secure: g.Secure(r)}.Read(r))
	if err == nil && g.cfg.Known != nil && !g.cfg.Known(use.Owner.ID) {
		err = session.ErrElsewhere()
	}
	if err != nil {
		return access.Caller{}, parley.Session{}, err
	}
	by := pass{session: use.Session.ID}
	if err := g.visits.admit(visitOf(r.Context()), by, use.Owner.ID, time.Now()); err != nil {
		return access.Caller{}, parley.Session{}, err
	}
	if g.tokens.signals() != heard {
		g.lookAgain()
	}
	g.uses.note(by, use.Session.UsedAt, use.At)
	return access.Caller{Team: use.Owner.Team, Agent: use.Owner.ID}, use.Session, nil
}
