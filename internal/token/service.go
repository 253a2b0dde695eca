package token

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
	"parley/internal/store"
)

// Service is how people make, list and revoke the tokens of their team. It is safe
// for concurrent use. Nobody else may; what was tried is on record.
type Service struct {
	store  store.Store
	dir    *directory.Directory
	access *access.Control
}

func NewService(s store.Store, dir *directory.Directory, control *access.Control) *Service {
	return &Service{store: s, dir: dir, access: control}
}

// Request asks for a token.
type Request struct {
	For   string // who is to have it
	Label string
	// Expires is after how long it ends; 0 is never.
	Expires time.Duration
	// Once refuses a repeat by RuleShown instead of giving the token a new secret: whoever
	// asks has seen the first one, which would end.
	Once bool
}

// RuleShown is the rule that a repeat breaks after which the secret shown would be dead.
const RuleShown = "shown_once"

// Made is a new token. Secret is the token itself, which nobody can read again.
type Made struct {
	parley.Token
	Owner  string
	Secret string
}

const (
	maxLabel = 80
	// longestLife keeps times from overflowing; a longer one is certainly meant to
	// be none.
	longestLife = 100 * 365 * 24 * time.Hour
)

// Create makes a token for a client agent or a person of the caller's team.
//
// If the answer was lost and the request is made again under its key, the same token
// gets a new secret: nobody has the first one.
func (s *Service) Create(ctx context.Context, c access.Caller, r Request) (Made, error) {
	return s.create(ctx, c, r, false)
}

// errFirst says that a request was not made before.
var errFirst = errors.New("the first time")

// create makes a token, or only replaces one that was made before under the caller's
// key.
func (s *Service) create(ctx context.Context, c access.Caller, r Request, onlyAgain bool) (Made, error) {
	if err := s.access.PeopleOnly(ctx, c, "make tokens", "make a token for "+parley.Clip(r.For, 64)); err != nil {
		return Made{}, err
	}
	owner, err := s.owner(c, r)
	if err != nil {
		return Made{}, err
	}
	made := Made{Owner: owner.Name, Secret: New()}
	hash := Hash(made.Secret)
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		id, again, err := c.Repeated(tx, "token for %d, %q, %d", owner.ID, r.Label, r.Expires)
		if err != nil {
			return err
		}
		switch {
		case again && r.Once:
			return parley.Errorf(parley.Conflict, "The token of %s was shown once already.", owner.Name).WithRule(RuleShown)
		case again:
			made.Token, err = replace(tx, c.Team, parley.TokenID(id), hash)
			return err
		case onlyAgain:
			return errFirst
		}
		if err := s.mayMake(tx, c, owner); err != nil {
			return err
		}
		t := parley.Token{Agent: owner.ID, Label: r.Label, CreatedBy: c.Agent}
		if r.Expires > 0 {
			t.ExpiresAt = tx.Now.Add(r.Expires)
		}
		tx.InsertToken(hash, t)
		if made.Token, err = tx.TokenByHash(hash); err != nil {
			return err
		}
		c.Made(tx, int64(made.ID))
		tx.Record(parley.Event{Team: c.Team, Kind: parley.EventTokenCreated, Actor: c.Agent, Target: owner.ID, Detail: made.Name()})
		return nil
	})
	return made, s.access.RecordDenied(ctx, c, "make a token for "+owner.Name, err)
}

// mayMake keeps people from acting as each other: whoever makes a token could use it.
// So somebody else makes the first one of a person, who has to join, and any further one
// only the person and whoever runs the hub, who has its files anyway.
func (s *Service) mayMake(tx *store.Tx, c access.Caller, owner directory.Entry) error {
	runs, _ := s.dir.Person(c.Team)
	if owner.Kind != parley.Person || owner.ID == c.Agent || runs.ID == c.Agent {
		return nil
	}
	all, err := tx.Tokens(c.Team)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(t parley.Token) bool { return t.Agent == owner.ID }) {
		return parley.Errorf(parley.Denied, "%s has had a token before, and only they can make another one.", owner.Name).
			WithRule(access.RulePeopleOnly).WithHint("So can %s, who runs the hub.", runs.Name)
	}
	return nil
}

// replace gives a token that was made under a key another secret.
func replace(tx *store.Tx, team parley.TeamID, id parley.TokenID, hash string) (parley.Token, error) {
	t, err := tx.LockToken(team, id)
	switch {
	case err != nil:
		return t, access.NotFound(err, "%s", id)
	case t.UsedAt != 0 || !t.Valid(tx.Now):
		return t, parley.Errorf(parley.Conflict, "%s was made before under this key, and is in use or has ended.", t.Name()).
			WithHint("Use a new key to make another one.")
	}
	tx.ReplaceToken(id, hash)
	return t, nil
}

func (s *Service) owner(c access.Caller, r Request) (directory.Entry, error) {
	e, err := s.dir.Find(c.Team, r.For)
	switch {
	case err != nil:
		return e, err
	case e.Kind != parley.Person && e.Kind != parley.Client:
		return e, parley.Errorf(parley.Conflict, "%s needs no token: the hub runs it.", e.Name).
			WithHint("Tokens are for people, and for agents with kind: client in their file.")
	case r.Expires < 0 || r.Expires > longestLife:
		return e, parley.Errorf(parley.Invalid, "A token cannot end then.").WithHint("Give a time from now on, or none.")
	}
	return e, CheckLabel(r.Label)
}

// CheckLabel refuses what cannot be shown on a line.
func CheckLabel(label string) error {
	if utf8.RuneCountInString(label) > maxLabel || !utf8.ValidString(label) || strings.ContainsFunc(label, unicode.IsControl) {
		return parley.Errorf(parley.Invalid, "The label is not a line of at most %d characters.", maxLabel)
	}
	if strings.Contains(label, Prefix) {
		return parley.Errorf(parley.Invalid, "The label contains what looks like a token.").WithHint("Labels are shown to everybody who may see tokens.")
	}
	return nil
}

// Listed is a token as people see it.
type Listed struct {
	parley.Token
	Owner, By, Revoker string
	// Ended is why it cannot be used: revoked, expired or removed; empty if it can.
	Ended string
}

// List shows the tokens of the caller's team: those that can be used, or all.
func (s *Service) List(ctx context.Context, c access.Caller, all bool) (list []Listed, err error) {
	if err := s.access.PeopleOnly(ctx, c, "see tokens", "list the tokens"); err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list = nil
		tokens, err := tx.Tokens(c.Team)
		if err != nil {
			return err
		}
		agents, err := tx.Agents(c.Team)
		if err != nil {
			return err
		}
		by := make(map[parley.AgentID]parley.Agent, len(agents))
		for _, a := range agents {
			by[a.ID] = a
		}
		for _, t := range tokens {
			l := Listed{Token: t, Owner: by[t.Agent].Name, By: by[t.CreatedBy].Name, Revoker: by[t.RevokedBy].Name, Ended: ended(t, by[t.Agent], tx.Now)}
			if all || l.Ended == "" {
				list = append(list, l)
			}
		}
		return nil
	})
	return list, err
}

func ended(t parley.Token, owner parley.Agent, now parley.Micros) string {
	switch {
	case t.RevokedAt != 0:
		return "revoked"
	case !t.Valid(now):
		return "expired"
	case owner.Removed:
		return "removed"
	}
	return ""
}

// Revoke ends a token of the caller's team at once, at every hub of the database.
// Repeating it changes nothing.
func (s *Service) Revoke(ctx context.Context, c access.Caller, id parley.TokenID) (Listed, error) {
	if err := s.access.PeopleOnly(ctx, c, "revoke tokens", "revoke "+id.String()); err != nil {
		return Listed{}, err
	}
	var out Listed
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		out = Listed{}
		t, err := tx.LockToken(c.Team, id)
		if err != nil {
			return access.NotFound(err, "%s", id)
		}
		owner, err := tx.Agent(t.Agent)
		if err != nil {
			return err
		}
		out = Listed{Token: t, Owner: owner.Name, Ended: "revoked"}
		if t.RevokedAt != 0 {
			return nil
		}
		out.RevokedAt, out.RevokedBy = tx.Now, c.Agent
		tx.RevokeToken(t, c.Agent)
		tx.Record(parley.Event{Team: c.Team, Kind: parley.EventTokenRevoked, Actor: c.Agent, Target: t.Agent, Detail: t.Name()})
		return nil
	})
	return out, err
}

// Roster adds people to the files of a team.
type Roster interface {
	AddPerson(ctx context.Context, c access.Caller, name string) error
}

// AddPerson adds a person to the team's files and makes a token for them.
func (s *Service) AddPerson(ctx context.Context, c access.Caller, files Roster, name string) (Made, error) {
	err := files.AddPerson(ctx, c, name)
	if parley.KindOf(err) == parley.Conflict && c.Key != "" {
		if made, failed := s.create(ctx, c, Request{For: name}, true); failed == nil {
			return made, nil // the answer to the first time was lost
		}
	}
	if err != nil {
		return Made{}, err
	}
	return s.Create(ctx, c, Request{For: name})
}
