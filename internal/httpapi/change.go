package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"parley"
	"parley/api"
	"parley/internal/change"
)

func (s *Server) registerChanges() {
	const tag = "Tasks"
	handle(s, operation{id: "get-task-diff", method: http.MethodGet, path: "/v1/tasks/{id}/diff", tag: tag,
		summary:     "Read what a task changed in files",
		description: "What the task and those below it changed in the workspace, as unified diffs. A task that goes on where another one failed includes that one. An agent sees its own changes.",
		errors:      []parley.Kind{parley.NotFound}}, s.getDiff)
	handle(s, operation{id: "undo-task", method: http.MethodPost, path: "/v1/tasks/{id}/undo", tag: tag,
		summary: "Take back what a task changed in files",
		description: "Brings files back to what they were before the task and those below it. What was changed since, or is not certain, is refused by name, " +
			"and then nothing is done unless the request is for a part. What commands changed is taken back only on request. " +
			"A task that goes on where another one failed includes that one; the failed one alone is refused as long as what the other changed stands. Only people may.",
		errors: []parley.Kind{parley.NotFound, parley.Conflict}}, s.undoTask)
}

type diffInput struct {
	TaskPath
	Only bool `query:"only" doc:"Leave out the tasks below."`
}

func (s *Server) getDiff(ctx context.Context, in *diffInput) (api.TaskDiff, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.TaskDiff{}, err
	}
	d, err := s.cfg.Changes.Diff(ctx, caller(ctx), id, in.Only)
	out := api.TaskDiff{Task: id.String(), Files: make([]api.FileDiff, 0, len(d.Files)), Notes: d.Notes, Cut: d.Cut}
	for _, f := range d.Files {
		out.Files = append(out.Files, fileDiff(f))
	}
	return out, err
}

func fileDiff(f change.FileDiff) api.FileDiff {
	out := api.FileDiff{Path: change.QuotePath(f.Path), Memory: f.Place == parley.InMemory, Change: f.What, Before: fileState(f.Before), After: fileState(f.After),
		Command: f.Command, Undone: f.Undone, Doubt: f.Doubt, Text: f.Text, Tasks: []string{}}
	if f.From != "" {
		out.From = change.QuotePath(f.From)
	}
	for _, t := range f.Tasks {
		out.Tasks = append(out.Tasks, t.String())
	}
	return out
}

func fileState(s parley.FileState) *api.FileState {
	kind := map[parley.FileKind]string{parley.RegularFile: "file", parley.Folder: "folder", parley.Link: "link", parley.OtherFile: "other"}[s.Kind]
	if kind == "" {
		return nil
	}
	out := &api.FileState{Kind: kind, Size: s.Size, Hash: s.Hash, Kept: s.Kept}
	if s.Kind == parley.RegularFile || s.Kind == parley.Folder {
		out.Mode = fmt.Sprintf("%04o", s.Mode&0o777)
	}
	return out
}

func (s *Server) undoTask(ctx context.Context, in *struct {
	TaskPath
	Body api.UndoRequest
}) (api.Undone, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.Undone{}, err
	}
	u, err := s.cfg.Changes.Undo(ctx, caller(ctx), id, change.Options(in.Body))
	out := api.Undone{Task: id.String(), Files: make([]api.UndoneFile, 0, len(u.Files)), Before: u.Before, Notes: u.Notes}
	for _, f := range u.Files {
		out.Files = append(out.Files, api.UndoneFile{Path: change.QuotePath(f.Path), What: f.What})
	}
	for _, r := range u.Refused {
		out.Refused = append(out.Refused, api.NotUndone{Path: change.QuotePath(r.Path), Why: r.Why, Command: r.Command})
	}
	return out, err
}
