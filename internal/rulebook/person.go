package rulebook

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/config"
)

// AddPerson adds a person to the people of parley.yaml and reads the files again.
func (s *Service) AddPerson(ctx context.Context, c access.Caller, name string) error {
	if err := s.access.PeopleOnly(ctx, c, "add people", "add "+parley.Clip(name, 64)); err != nil {
		return err
	}
	if c.Team != s.team {
		return errNoFiles()
	}
	if err := parley.CheckName(name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, found := s.dir.Lookup(c.Team, parley.FoldName(name)); found {
		return parley.Errorf(parley.Conflict, "%s is already in the team.", e.Name).
			WithHint("For a further token: parley token create %s", parley.Quote(e.Name))
	}
	if _, err := config.ChangeTeamFile(s.files.Current(), func(file []byte) ([]byte, error) { return config.AddPerson(file, name) }); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // the file is already written
	_, err := s.files.Reload(ctx, c.Agent)
	if _, found := s.dir.Lookup(c.Team, parley.FoldName(name)); err != nil || !found {
		return parley.Errorf(parley.Conflict, "%s was written to %s, but the hub could not apply the files.", name, config.TeamFile).
			WithHint("parley doctor says what is wrong with them.").WithCause(err)
	}
	return nil
}
