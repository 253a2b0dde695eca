package reading

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
)

// Named finds a participant of the caller's team by its folded name.
func (s *Service) Named(c access.Caller, folded string) (name string, id parley.AgentID, ok bool) {
	e, ok := s.dir.Lookup(c.Team, folded)
	return e.Name, e.ID, ok
}

// IsPerson reports whether the caller is a person of the team, as the files have it now.
func (s *Service) IsPerson(c access.Caller) bool {
	e, ok := s.dir.Entry(c.Agent)
	return ok && !e.Retired && e.Kind == parley.Person && e.Team == c.Team
}

// Addressee is somebody or something that can be written to.
type Addressee struct {
	Name string // with the @ or # before it
	Kind parley.AgentKind
	Note string // what it is for
}

// Complete finds whom the beginning of a name may mean: @ begins participants, #
// channels. Names that begin with it come first, then those that hold it.
func (s *Service) Complete(ctx context.Context, c access.Caller, word string, limit int) (list []Addressee, err error) {
	if rest, isChannel := strings.CutPrefix(word, "#"); isChannel {
		groups, err := s.Groups(ctx, c)
		for _, g := range groups {
			list = append(list, Addressee{Name: g.Place(), Note: g.Topic})
		}
		return best(list, rest, limit), err
	}
	for _, id := range s.dir.Everyone(c.Team) {
		if e, ok := s.dir.Entry(id); ok && id != c.Agent {
			list = append(list, Addressee{Name: "@" + e.Name, Kind: e.Kind, Note: e.Description})
		}
	}
	return best(list, strings.TrimPrefix(word, "@"), limit), nil
}

// best are the first of those whose names hold a word, by how well they fit.
func best(list []Addressee, word string, limit int) []Addressee {
	word = parley.FoldName(word)
	fit := func(a Addressee) int { return strings.Index(parley.FoldName(a.Name[1:]), word) }
	list = slices.DeleteFunc(list, func(a Addressee) bool { return fit(a) < 0 })
	slices.SortFunc(list, func(a, b Addressee) int {
		return cmp.Or(cmp.Compare(min(1, fit(a)), min(1, fit(b))), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(limit, len(list))]
}
