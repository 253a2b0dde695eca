package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"parley"
	"parley/api"
	"parley/internal/access"
	"parley/internal/reading"
)

// longestWait bounds one long poll.
const longestWait = 60 * time.Second

func (s *Server) registerTasks() {
	const tag = "Tasks"
	missing := []parley.Kind{parley.NotFound}
	ended := []parley.Kind{parley.NotFound, parley.Conflict}
	handle(s, operation{id: "list-tasks", method: http.MethodGet, path: "/v1/tasks", tag: tag,
		summary: "List tasks", description: "Newest first, without their results.", errors: missing}, s.listTasks)
	handle(s, operation{id: "get-task", method: http.MethodGet, path: "/v1/tasks/{id}", tag: tag,
		summary: "Read a task", description: "One task with its whole result.", errors: missing}, s.getTask)
	handle(s, operation{id: "wait-task", method: http.MethodGet, path: "/v1/tasks/{id}/wait", tag: tag,
		summary: "Wait for a task to end",
		description: "Responds as soon as the task has ended. When the time is over first, it responds with the task as it is: look at its state and call again. " +
			"Waiting marks nothing as seen.",
		errors: []parley.Kind{parley.NotFound, parley.Unavailable}}, s.waitTask)
	handle(s, operation{id: "get-task-tree", method: http.MethodGet, path: "/v1/tasks/{id}/tree", tag: tag,
		summary: "Read a task tree", description: "A task with everything below it, without the results.", errors: missing}, s.getTree)
	handle(s, operation{id: "get-task-trace", method: http.MethodGet, path: "/v1/tasks/{id}/trace", tag: tag,
		summary: "Read a task's sequence diagram", description: "Who contacted whom in a task tree and what came back, in order.", errors: missing}, s.getTrace)
	handle(s, operation{id: "cancel-task", method: http.MethodPost, path: "/v1/tasks/{id}/cancel", tag: tag,
		summary: "Cancel a task", description: "Ends a task and everything below it. A cancelled task never runs again; a result that still arrives is dropped.", errors: ended}, s.cancelTask)
	handle(s, operation{id: "retry-task", method: http.MethodPost, path: "/v1/tasks/{id}/retry", tag: tag,
		summary: "Retry a task", description: "Begins a failed or cancelled task anew. The response is the new task, which names the old one.",
		errors: append([]parley.Kind{parley.Unavailable}, ended...)}, s.retryTask)
	handle(s, operation{id: "resume-task", method: http.MethodPost, path: "/v1/tasks/{id}/resume", tag: tag,
		summary: "Resume a task", description: "Goes on with a failed task where it failed: a new task takes over its steps and the results of its finished subtasks, " +
			"so that nothing that was done is done again. The old task stays failed.",
		errors: append([]parley.Kind{parley.Unavailable}, ended...)}, s.resumeTask)
}

// TaskPath names a task in a path.
type TaskPath struct {
	ID string `path:"id" example:"task-101" doc:"The task."`
}

type listTasksInput struct {
	Page
	Agent string `query:"agent" doc:"Only tasks of this agent."`
	Open  bool   `query:"open" doc:"Only tasks that have not ended."`
	Roots bool   `query:"roots" doc:"Only tasks at the top of a tree."`
}

func (s *Server) listTasks(ctx context.Context, in *listTasksInput) (api.TaskList, error) {
	list, err := s.cfg.Reading.Tasks(ctx, caller(ctx), reading.TaskFilter{Agent: in.Agent, Open: in.Open, Roots: in.Roots, Limit: in.Limit})
	out := api.TaskList{Tasks: make([]api.Task, 0, len(list))}
	for _, t := range list {
		out.Tasks = append(out.Tasks, s.task(ctx, t, ""))
	}
	if err != nil {
		return out, err
	}
	return out, s.doing(ctx, list, func(id parley.TaskID) *api.Task {
		return &out.Tasks[slices.IndexFunc(list, func(t parley.Task) bool { return t.ID == id })]
	})
}

func (s *Server) getTask(ctx context.Context, in *TaskPath) (api.Task, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.Task{}, err
	}
	t, err := s.cfg.Reading.Task(ctx, caller(ctx), id)
	if err != nil {
		return api.Task{}, err
	}
	out := s.wholeTask(ctx, t)
	tree, err := s.getBudget(ctx, in)
	if err != nil {
		return api.Task{}, err
	}
	out.Spent = &tree
	if err := s.doingOne(ctx, &out, t.Task); err != nil {
		return api.Task{}, err
	}
	return out, s.explainWait(ctx, &out, t.Task)
}

func (s *Server) doingOne(ctx context.Context, out *api.Task, t parley.Task) error {
	return s.doing(ctx, []parley.Task{t}, func(parley.TaskID) *api.Task { return out })
}

type waitTaskInput struct {
	TaskPath
	Seconds float64 `query:"seconds" minimum:"0" maximum:"60" default:"30" doc:"How long to wait."`
}

func (s *Server) waitTask(ctx context.Context, in *waitTaskInput) (api.Task, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.Task{}, err
	}
	waiting, done := s.untilStop(ctx)
	defer done()
	t, err := s.cfg.Reading.WaitTask(waiting, caller(ctx), id, time.Duration(in.Seconds*float64(time.Second)))
	out := s.wholeTask(ctx, t)
	if err == nil {
		err = s.doingOne(ctx, &out, t.Task)
	}
	return out, orStopping(waiting, err)
}

func (s *Server) getTree(ctx context.Context, in *TaskPath) (api.TaskTree, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.TaskTree{}, err
	}
	list, err := s.cfg.Reading.Tree(ctx, caller(ctx), id)
	if err != nil {
		return api.TaskTree{}, err
	}
	tree, err := s.tree(ctx, list)
	if err != nil {
		return tree, err
	}
	return tree, s.doing(ctx, list, func(id parley.TaskID) *api.Task { return findTask(&tree, id.String()) })
}

// findTask finds a task in a tree; nil if it is not there.
func findTask(tree *api.TaskTree, id string) *api.Task {
	if tree.ID == id {
		return &tree.Task
	}
	for i := range tree.Children {
		if t := findTask(&tree.Children[i], id); t != nil {
			return t
		}
	}
	return nil
}

func (s *Server) getTrace(ctx context.Context, in *TaskPath) (api.Trace, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.Trace{}, err
	}
	arrows, err := s.cfg.Reading.Trace(ctx, caller(ctx), id)
	return s.trace(ctx, arrows), err
}

func (s *Server) cancelTask(ctx context.Context, in *TaskPath) (api.Task, error) {
	return s.change(ctx, in.ID, s.cfg.Contacts.Cancel)
}

// change does something to a task and returns the task as it is afterwards.
func (s *Server) change(ctx context.Context, id string, do func(context.Context, access.Caller, parley.TaskID) error) (api.Task, error) {
	task, err := parley.ParseTaskID(id)
	if err != nil {
		return api.Task{}, err
	}
	if err := do(ctx, caller(ctx), task); err != nil {
		return api.Task{}, err
	}
	t, err := s.cfg.Reading.Task(ctx, caller(ctx), task)
	return s.wholeTask(ctx, t), err
}

func (s *Server) retryTask(ctx context.Context, in *TaskPath) (api.Task, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.Task{}, err
	}
	t, err := s.cfg.Contacts.Retry(ctx, caller(ctx), id)
	return s.task(ctx, t, ""), err
}

func (s *Server) resumeTask(ctx context.Context, in *TaskPath) (api.Resumption, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.Resumption{}, err
	}
	r, err := s.cfg.Contacts.ResumeTask(ctx, caller(ctx), id)
	return api.Resumption{Task: s.task(ctx, r.Task, ""), Steps: r.Steps}, err
}
