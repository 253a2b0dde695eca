// Package hosting shows the teams that a hub serves. Adding and removing a team is an act
// of the owner of the hub's data folder, where the list of teams is kept. So no door can
// do that; the people of the hub's own team can only make the hub read the list again.
package hosting

import (
	"context"

	"parley"
	"parley/internal/access"
)

// Team is a team of the hub.
type Team struct {
	ID   parley.TeamID // 0 if the hub does not serve it at present
	Name string
	// Folder is where its files are, for those who look after the hub.
	Folder string
	Own    bool // the team that the hub was started with
	// Person is who the command line acts as.
	Person string
	Agents []string
	Paused bool
	// Problems are the mistakes in its files, or why it is not served. Warnings are
	// settings that have no effect.
	Problems, Warnings []string
}

// Served says whether the hub serves the team now.
func (t Team) Served() bool { return t.ID != 0 }

// Teams are the teams of a running hub.
type Teams interface {
	// List is in a fixed order, the hub's own team first.
	List(ctx context.Context) ([]Team, error)
	// Reread reads the list of teams and brings the hub into line with it.
	Reread(ctx context.Context) error
}

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	access *access.Control
	own    parley.TeamID
	teams  Teams
}

func New(control *access.Control, own parley.TeamID, teams Teams) *Service {
	return &Service{access: control, own: own, teams: teams}
}

// Owns reports whether the caller is one of the people of the hub's own team.
func (s *Service) Owns(c access.Caller) bool { return c.Team == s.own && s.access.IsPerson(c.Agent) }

// List shows the teams. People of the hub's own team see all of them; others see
// theirs, as if it were alone.
func (s *Service) List(ctx context.Context, c access.Caller) ([]Team, error) {
	if err := s.access.PeopleOnly(ctx, c, "see the teams of a hub", "teams"); err != nil {
		return nil, err
	}
	all, err := s.teams.List(ctx)
	if err != nil || c.Team == s.own {
		return all, err
	}
	for _, t := range all {
		if t.ID == c.Team {
			t.Folder, t.Warnings = "", nil
			return []Team{t}, nil
		}
	}
	return nil, nil
}

// Reread makes the hub read its list of teams now, instead of at its next look.
func (s *Service) Reread(ctx context.Context, c access.Caller) ([]Team, error) {
	if err := s.access.PeopleOnly(ctx, c, "look after a hub", "teams"); err != nil {
		return nil, err
	}
	if c.Team != s.own {
		return nil, s.access.RecordDenied(ctx, c, "teams", parley.Errorf(parley.Denied, "Only people of the hub's own team may do that."))
	}
	if err := s.teams.Reread(ctx); err != nil {
		return nil, err
	}
	return s.teams.List(ctx)
}
