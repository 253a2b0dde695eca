package change

import (
	"context"
	"slices"

	"parley"
	"parley/internal/access"
)

// Plan says what Undo would do now, and does nothing: which paths it would bring back, and
// which it would refuse. It refuses a task itself as Undo does.
func (s *Service) Plan(ctx context.Context, c access.Caller, id parley.TaskID, o Options) (Undone, error) {
	if err := s.Access.PeopleOnly(ctx, c, "undo what tasks have changed", "undo "+id.String()); err != nil {
		return Undone{}, err
	}
	if err := s.Sees(ctx, c, id); err != nil {
		return Undone{}, err
	}
	w, err := s.load(ctx, c, id, o.Only)
	if err != nil {
		return Undone{}, err
	}
	if err := w.mayUndo(id); err != nil {
		return Undone{}, err
	}
	u := undo{s: s, by: c.Agent, commands: o.Commands}
	u.plan(w)
	for _, one := range u.steps {
		u.out.Files = append(u.out.Files, UndoneFile{Path: one.file.path, What: whatWasDone(one)})
	}
	u.out.Before = len(u.out.Files) == 0 && len(u.out.Refused) == 0 && slices.ContainsFunc(w.files, func(f *file) bool { return len(f.undone) > 0 })
	return u.out, nil
}
