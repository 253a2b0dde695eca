package rulebook

import (
	"context"

	"parley"
	"parley/internal/access"
	"parley/internal/config"
)

// RuleThere is the rule that a client agent breaks which is in the team already.
const RuleThere = "there_already"

// AddClient makes the file of a client agent, an agent that works outside of the hub, and
// reads the files again. It returns the name as the team spells it. One that is there
// already is refused by RuleThere, since it would keep its own profile.
func (s *Service) AddClient(ctx context.Context, c access.Caller, name, description, profile string) (string, error) {
	if err := s.access.PeopleOnly(ctx, c, "add agents", "add "+parley.Clip(name, 64)); err != nil {
		return "", err
	}
	if c.Team != s.team {
		return "", errNoFiles()
	}
	if err := parley.CheckName(name); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, found := s.dir.Lookup(c.Team, parley.FoldName(name)); found {
		if e.Kind != parley.Client {
			return "", parley.Errorf(parley.Conflict, "%s is a %s of this team, who cannot join from outside.", e.Name, e.Kind).WithHint("Choose another name.")
		}
		return "", parley.Errorf(parley.Conflict, "%s is there already; its profile and its description stay as they are.", e.Name).
			WithRule(RuleThere).WithHint("Its file and its rules change them.")
	}
	if description == "" {
		return "", parley.Errorf(parley.Invalid, "%s is new.", name).WithHint("Say in a sentence for the others what it is for.")
	}
	if err := parley.CheckText(description); err != nil {
		return "", err
	}
	file, err := config.AddClient(s.files.Current().Dir, config.NewClient{Name: name, Description: description, Toolsets: []string{"contact"}, Profile: profile})
	if err != nil {
		return "", err
	}
	ctx = context.WithoutCancel(ctx) // the file is already written
	_, err = s.files.Reload(ctx, c.Agent)
	e, found := s.dir.Lookup(c.Team, parley.FoldName(name))
	if err != nil || !found {
		return "", parley.Errorf(parley.Conflict, "%s was written, but the hub could not apply the files.", file).
			WithHint("parley doctor says what is wrong with them.").WithCause(err)
	}
	return e.Name, nil
}
