package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// Options say what to take back.
type Options struct {
	// Only leaves out the tasks below.
	Only bool
	// Partial takes back what it can. Without it nothing is done unless all can be.
	Partial bool
	// Commands takes back what commands changed too. That was found by looking before and
	// after, and may hold what somebody else wrote at that time.
	Commands bool
}

// Undone is what was taken back.
type Undone struct {
	Files []UndoneFile
	// Refused are the paths that stay as they are, with the reason.
	Refused []Refusal
	// Before says that it had been taken back earlier: there was nothing left to do.
	Before bool
	// Notes say whose changes these are, and what was not among them.
	Notes []string
}

// UndoneFile is a path that is now as it was before the task.
type UndoneFile struct {
	Path string
	What string // restored, removed, made again
}

// Refusal is a path that was not touched.
type Refusal struct {
	Path, Why string
	// Command says that it is refused only because a command changed it.
	Command bool
}

// Undo takes back what a task changed in files, with those that it goes on from and the
// tasks below. Only people do.
// Done again, it finds that there is nothing left.
func (s *Service) Undo(ctx context.Context, c access.Caller, id parley.TaskID, o Options) (Undone, error) {
	if err := s.Access.PeopleOnly(ctx, c, "undo what tasks have changed", "undo "+id.String()); err != nil {
		return Undone{}, err
	}
	if err := s.Sees(ctx, c, id); err != nil {
		return Undone{}, err
	}
	s.undoing.Lock()
	defer s.undoing.Unlock()
	w, err := s.load(ctx, c, id, o.Only)
	if err != nil {
		return Undone{}, err
	}
	if err := w.mayUndo(id); err != nil {
		return Undone{}, err
	}
	u := undo{s: s, by: c.Agent, commands: o.Commands}
	u.plan(w)
	if len(u.out.Refused) > 0 && !o.Partial {
		return Undone{}, u.refusal(id)
	}
	failed := u.apply(ctx)
	if err := u.store(context.WithoutCancel(ctx), c, w, id); err != nil {
		return u.out, err
	}
	u.out.Before = len(u.out.Files) == 0 && len(u.out.Refused) == 0 && slices.ContainsFunc(w.files, func(f *file) bool { return len(f.undone) > 0 })
	return u.out, failed
}

// undo is one run.
type undo struct {
	s        *Service
	by       parley.AgentID
	commands bool
	steps    []restoration
	done     []parley.Change // that are taken back now, or had been without a record
	out      Undone
}

// restoration brings one path back.
type restoration struct {
	file     *file
	from, to parley.FileState
	task     parley.TaskID // that keeps the content
	of       segment
}

// phase is when a path is brought back: folders come back before what is in them, and go after it.
func (s restoration) phase() int {
	switch {
	case s.to.Kind == parley.Folder:
		return 1
	case s.to.Kind == parley.NoFile:
		return 3
	case s.from.Kind == parley.Folder:
		return 4 // it has to be empty first
	}
	return 2
}

func (u *undo) plan(w work) {
	u.out.Notes = w.notes()
	for _, c := range w.unknown {
		u.refuse("a command of "+c.Task.String(), c.Doubt)
	}
	for _, f := range w.files {
		if len(f.segments) > 0 {
			u.planFile(f)
		}
	}
	slices.SortStableFunc(u.steps, func(a, b restoration) int {
		if n := a.phase() - b.phase(); n != 0 {
			return n
		}
		n := strings.Compare(a.file.path, b.file.path)
		if a.phase() >= 3 {
			n = -n
		}
		return n
	})
}

func (u *undo) refuse(path, why string) {
	u.out.Refused = append(u.out.Refused, Refusal{Path: path, Why: why})
}

// planFile decides about one path.
func (u *undo) planFile(f *file) {
	first, last := f.segments[0].before(), f.segments[len(f.segments)-1].after()
	one := restoration{file: f, from: last.After, to: first.Before, task: first.Task, of: slices.Concat(f.segments...)}
	if len(f.segments) == 1 && f.segments[0].nothing() {
		u.done = append(u.done, one.of...)
		return
	}
	files := u.s.files(last)
	if files == nil {
		u.refuse(f.path, "it is not on this machine but at "+last.Home+"; the hub that runs there can do it")
		return
	}
	now, err := files.Now(f.path)
	switch {
	case err != nil:
		u.refuse(f.path, parley.Public(err))
	case now.Same(one.to) && (len(f.segments) == 1 || one.to.Kind == parley.NoFile):
		u.done = append(u.done, one.of...) // somebody was here before, or it is as it was
	case one.obstacle(now) != "":
		u.refuse(f.path, one.obstacle(now))
	case f.byCommand() && !u.commands:
		u.out.Refused = append(u.out.Refused, Refusal{Path: f.path, Command: true,
			Why: "a command changed it, which was found by looking before and after, and it may be somebody else's work"})
	default:
		u.steps = append(u.steps, one)
	}
}

// obstacle is why a path cannot be brought back; empty if it can.
func (s restoration) obstacle(now parley.FileState) string {
	goes := s.from.Kind == parley.Folder && s.to.Kind == parley.NoFile && now.Kind == parley.Folder
	switch {
	case s.file.doubt != "":
		return s.file.doubt
	case len(s.file.segments) > 1:
		return "somebody else changed it between two changes of the task"
	case !goes && !now.Same(s.from):
		return changedSince(s.file, s.from)
	case s.to.Kind == parley.OtherFile:
		return "it was neither a file nor a folder nor a link"
	case (s.to.Kind == parley.RegularFile || s.to.Kind == parley.Link) && !s.to.Kept:
		return fmt.Sprintf("what it said before is not kept (%d bytes)", s.to.Size)
	}
	return ""
}

func changedSince(f *file, from parley.FileState) string {
	if len(f.rest) > 0 {
		return f.rest[0].Task.String() + " has changed it since"
	}
	if from.Kind == parley.RegularFile && from.Hash == "" {
		return fmt.Sprintf("it is too large to be compared (%d bytes)", from.Size)
	}
	return "it was changed since, outside of any task"
}

// mostNamed bounds how many paths an error names.
const mostNamed = 20

func (u *undo) refusal(id parley.TaskID) error {
	var b strings.Builder
	for i, r := range u.out.Refused {
		if i == mostNamed {
			fmt.Fprintf(&b, "\n  and %d more", len(u.out.Refused)-mostNamed)
			break
		}
		fmt.Fprintf(&b, "\n  %s: %s", QuotePath(r.Path), r.Why)
	}
	hint := "--partial undoes the rest and leaves these as they are."
	if slices.ContainsFunc(u.out.Refused, func(r Refusal) bool { return r.Command }) {
		hint = "Look at what commands changed with: parley task diff " + id.String() +
			". --yes (over HTTP \"commands\") undoes that too; --partial undoes the rest and leaves these as they are."
	}
	return parley.Errorf(parley.Conflict, "Nothing was undone, since not all of %s can be:%s", id, b.String()).WithHint("%s", hint)
}

// apply does the steps. After a failure the rest is left, and what was done is on record.
func (u *undo) apply(ctx context.Context) error {
	for _, one := range u.steps {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		done, err := u.restore(ctx, one)
		if err != nil {
			return parley.Errorf(parley.Conflict, "%s could not be brought back: %s", QuotePath(one.file.path), parley.Public(err)).
				WithHint("%d paths are as they were before. Undo again to go on.", len(u.out.Files)).WithCause(err)
		}
		if done {
			u.done = append(u.done, one.of...)
		}
	}
	return nil
}

func (u *undo) restore(ctx context.Context, one restoration) (done bool, err error) {
	to, files := one.to, u.s.files(one.of.after())
	if to.Kind == parley.RegularFile || to.Kind == parley.Link {
		err := u.s.Store.View(ctx, func(tx *store.Tx) (err error) {
			to.Content, err = tx.FileContent(one.task, to.Hash)
			return err
		})
		if errors.Is(err, store.ErrNotFound) {
			err = parley.Errorf(parley.NotFound, "What it said before is no longer kept.")
		}
		if err != nil {
			return false, err
		}
	}
	from, folder := one.from, one.from.Kind == parley.Folder && to.Kind == parley.NoFile
	if folder {
		if from, err = files.Now(one.file.path); err != nil || from.Kind != parley.Folder {
			return true, err
		}
	}
	switch err := files.Restore(one.file.path, from, to); {
	case err != nil && folder:
		// Others have put something there, so it stays; unless that is ours and was refused:
		// then the folder goes with it, another time.
		return !slices.ContainsFunc(u.out.Refused, func(r Refusal) bool { return strings.HasPrefix(r.Path, one.file.path+"/") }), nil
	case err != nil:
		return false, err
	}
	if one.file.byCommand() && !slices.Contains(u.out.Notes, byListing) {
		u.out.Notes = append(u.out.Notes, byListing)
	}
	u.out.Files = append(u.out.Files, UndoneFile{Path: one.file.path, What: whatWasDone(one)})
	return true, nil
}

func whatWasDone(s restoration) string {
	switch {
	case s.to.Kind == parley.NoFile:
		return "removed"
	case s.from.Kind == parley.NoFile:
		return "made again"
	}
	return "restored"
}

// store puts on record what was taken back, and by whom.
func (u *undo) store(ctx context.Context, c access.Caller, w work, id parley.TaskID) error {
	if len(u.done) == 0 {
		return nil
	}
	paths := make([]string, len(u.out.Files))
	for i, f := range u.out.Files {
		paths[i] = QuotePath(f.Path)
	}
	detail := parley.Clip(fmt.Sprintf("%d paths: %s", len(paths), strings.Join(paths, ", ")), 1000)
	return u.s.Store.Update(ctx, func(tx *store.Tx) error {
		for _, one := range u.done {
			tx.UndoChange(one.ID, u.by)
		}
		if len(paths) > 0 {
			tx.Record(parley.Event{Team: c.Team, Kind: parley.EventUndone, Actor: c.Agent, Target: w.tasks[0].Agent, Task: id, Detail: detail})
		}
		return nil
	})
}
