package session

import (
	"context"
	"errors"
	"net/url"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/store"
	"parley/internal/token"
)

// Service makes one-time links and keeps the sessions of browsers. It is safe for
// concurrent use.
type Service struct {
	store  store.Store
	dir    *directory.Directory
	access *access.Control
}

func New(s store.Store, dir *directory.Directory, control *access.Control) *Service {
	return &Service{store: s, dir: dir, access: control}
}

// Link signs a person in once.
type Link struct {
	Code    string
	Expires parley.Micros
}

// SigninPath is where a browser signs in.
const SigninPath = "/signin"

// Path is the link without the address of the hub.
func (l Link) Path() string { return SigninPath + "?" + url.Values{"code": {l.Code}}.Encode() }

// Link makes a link for the caller, who is a person: nobody makes one for somebody
// else. by is the token that the caller has, which ends what comes of the link.
//
// A request that is repeated under its key makes another link: nobody has the first.
func (s *Service) Link(ctx context.Context, c access.Caller, by parley.TokenID) (Link, error) {
	if err := s.access.PeopleOnly(ctx, c, "sign in to the page", "make a link for signing in"); err != nil {
		return Link{}, err
	}
	l := Link{Code: newSecret()}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		if _, _, err := c.Repeated(tx, "link"); err != nil {
			return err
		}
		l.Expires = tx.Now.Add(linkTime)
		removeOld(tx)
		tx.InsertLink(token.Hash(l.Code), parley.SigninLink{Agent: c.Agent, Token: by, ExpiresAt: l.Expires})
		return nil
	})
	return l, err
}

// removeOld removes what has ended long ago. Whoever makes something new clears away,
// so that this does not grow.
func removeOld(tx *store.Tx) { tx.RemoveOldSessions(tx.Now.Add(-linkKept)) }

// Opened is a new session. Secret is for the browser, and nobody can read it again.
type Opened struct {
	parley.Session
	Owner  parley.Agent
	Secret string
}

// Open uses a link up and opens a session. Of several who open the same link at once,
// one gets in.
func (s *Service) Open(ctx context.Context, code, userAgent string) (Opened, error) {
	if !wellFormed(code) {
		return Opened{}, errUnknown()
	}
	hash := token.Hash(code)
	return s.open(ctx, func(tx *store.Tx) (parley.Session, error) {
		l, err := tx.LockLink(hash)
		if err := checkLink(tx, l, err); err != nil {
			return parley.Session{}, err
		}
		tx.SetLinkUsed(hash)
		return parley.Session{Agent: l.Agent, Token: l.Token, Browser: browserLine(userAgent)}, nil
	})
}

// Whose says whom a link would sign in, and uses nothing up.
func (s *Service) Whose(ctx context.Context, code string) (name string, err error) {
	if !wellFormed(code) {
		return "", errUnknown()
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		l, found, err := tx.LinkOf(token.Hash(code))
		name = found
		return checkLink(tx, l, err)
	})
	return name, err
}

// checkLink says why a link that was looked up cannot be opened.
func checkLink(tx *store.Tx, l parley.SigninLink, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return errUnknown()
	case err != nil:
		return err
	case l.UsedAt != 0:
		return errUsed()
	case l.ExpiresAt <= tx.Now:
		return errExpired()
	}
	return nil
}

// OpenWithToken opens a session for the owner of a token, who has to be a person. The
// session ends with the token.
func (s *Service) OpenWithToken(ctx context.Context, secret, userAgent string) (Opened, error) {
	u, err := token.Look(ctx, s.store, secret)
	if err != nil {
		return Opened{}, err
	}
	if u.Owner.Kind != parley.Person {
		c := access.Caller{Team: u.Owner.Team, Agent: u.Owner.ID}
		return Opened{}, s.access.RecordDenied(ctx, c, "sign in to the page", errAgent(u.Owner.Name).WithRule(access.RulePeopleOnly))
	}
	if u.Token.UsedAt == 0 {
		if err := u.First(ctx, s.store, secret); err != nil {
			return Opened{}, err
		}
	}
	return s.open(ctx, func(*store.Tx) (parley.Session, error) {
		return parley.Session{Agent: u.Owner.ID, Token: u.Token.ID, Browser: browserLine(userAgent)}, nil
	})
}

// open stores a session that a person may have. What allows it is decided within the
// transaction, so that it holds when the session is there.
func (s *Service) open(ctx context.Context, allow func(*store.Tx) (parley.Session, error)) (Opened, error) {
	o := Opened{Secret: newSecret()}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		wanted, err := allow(tx)
		if err != nil {
			return err
		}
		if !s.knows(wanted.Agent) {
			return ErrElsewhere()
		}
		removeOld(tx)
		tx.InsertSession(token.Hash(o.Secret), wanted)
		o.Session, o.Owner, err = tx.SessionOwner(token.Hash(o.Secret))
		if errors.Is(err, store.ErrNotFound) {
			return errRevoked() // its owner or its token ended in this moment
		}
		if err != nil {
			return err
		}
		tx.Record(parley.Event{Team: o.Owner.Team, Kind: parley.EventSessionOpened, Actor: o.Agent, Target: o.Agent, Detail: describe(o.Session)})
		return nil
	})
	if err != nil {
		return Opened{}, err
	}
	return o, nil
}

// knows reports whether this hub's files have a person. Another hub of the same
// database may know somebody whose rules this one does not.
func (s *Service) knows(id parley.AgentID) bool {
	e, ok := s.dir.Entry(id)
	return ok && !e.Retired && e.Kind == parley.Person
}

// describe is a session for the record.
func describe(s parley.Session) string {
	if s.Browser == "" {
		return s.ID.String()
	}
	return s.ID.String() + " (" + s.Browser + ")"
}

// Listed is a session as people see it.
type Listed struct {
	parley.Session
	Owner string
}

// List shows the sessions of the caller's team, as it shows tokens. Only people may.
func (s *Service) List(ctx context.Context, c access.Caller) (list []Listed, err error) {
	if err := s.access.PeopleOnly(ctx, c, "see sessions", "list the sessions"); err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		list, err = s.sessions(tx, c)
		return err
	})
	return list, err
}

func (s *Service) sessions(tx *store.Tx, c access.Caller) ([]Listed, error) {
	all, err := tx.Sessions(c.Team)
	list := make([]Listed, 0, len(all))
	for _, one := range all {
		e, _ := s.dir.Entry(one.Agent)
		list = append(list, Listed{Session: one, Owner: e.Name})
	}
	return list, err
}

// End ends a session of the caller's team at once, at every hub of the database.
func (s *Service) End(ctx context.Context, c access.Caller, id parley.SessionID) (Listed, error) {
	ended, again, err := s.end(ctx, c, id.String(), func(l Listed) bool { return l.ID == id })
	switch {
	case err != nil:
		return Listed{}, err
	case len(ended) > 0:
		return ended[0], nil
	case again:
		return Listed{Session: parley.Session{ID: id}}, nil // the answer to the first time was lost
	}
	return Listed{}, parley.Errorf(parley.NotFound, "%s not found.", id).WithHint("It may have ended already. See: parley session list")
}

// EndAll ends all sessions of the caller, but for one; 0 is none.
func (s *Service) EndAll(ctx context.Context, c access.Caller, but parley.SessionID) ([]Listed, error) {
	ended, _, err := s.end(ctx, c, "all sessions", func(l Listed) bool { return l.Agent == c.Agent && l.ID != but })
	return ended, err
}

// end ends some sessions. again says that it was asked to before, under the same key.
func (s *Service) end(ctx context.Context, c access.Caller, what string, which func(Listed) bool) (ended []Listed, again bool, err error) {
	if err := s.access.PeopleOnly(ctx, c, "end sessions", "end "+what); err != nil {
		return nil, false, err
	}
	err = s.store.Update(ctx, func(tx *store.Tx) (err error) {
		ended = nil
		if _, again, err = c.Repeated(tx, "end %s", what); err != nil {
			return err
		}
		list, err := s.sessions(tx, c)
		if err != nil {
			return err
		}
		for _, l := range list {
			if !which(l) {
				continue
			}
			tx.RemoveSession(l.ID)
			tx.Record(parley.Event{Team: c.Team, Kind: parley.EventSessionEnded, Actor: c.Agent, Target: l.Agent, Detail: describe(l.Session)})
			ended = append(ended, l)
		}
		return nil
	})
	return ended, again, err
}
