package contact

import (
	"context"

	"parley"
)

// PeopleOnly keeps a right for people: everyone else is refused, turns too, and
// that is put on record with what was tried.
func (s *Service) PeopleOnly(ctx context.Context, c Caller, right, tried string) error {
	if s.isPerson(c) {
		return nil
	}
	return s.Denied(ctx, c, tried, errPeopleOnly(right))
}

// isPerson reports whether the caller is a person who speaks for themselves.
func (s *Service) isPerson(c Caller) bool {
	e, ok := s.dir.Entry(c.Agent)
	return ok && e.Kind == parley.Person && c.Token == 0
}

func errPeopleOnly(right string) *parley.Error {
	return parley.Errorf(parley.Denied, "Only people may %s.", right).WithRule(RulePeopleOnly).WithHint("Ask a person to do it.")
}
