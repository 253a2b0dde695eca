package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley"
	"parley/api"
	"parley/internal/reading"
)

func (s *Server) registerSteps() {
	const tag = "Steps"
	missing := []parley.Kind{parley.NotFound}
	handle(s, operation{id: "list-task-steps", method: http.MethodGet, path: "/v1/tasks/{id}/steps", tag: tag,
		summary: "Read the steps of a task",
		description: "What the turns of a task did, oldest first: what the model said, its calls and their results, how long each took and what it cost. " +
			"A person reads all steps of their team, an agent those of its own turns.",
		errors: missing}, s.listTaskSteps)
	handle(s, operation{id: "list-steps", method: http.MethodGet, path: "/v1/steps", tag: tag,
		summary:     "Read the newest steps",
		description: "The newest steps of the team, a task or an agent, oldest first. before in the response leads to the page with older ones.",
		errors:      missing}, s.listSteps)
	op := s.huma(operation{id: "follow-steps", method: http.MethodGet, path: "/v1/steps/stream", tag: tag,
		summary: "Follow the steps",
		description: "The steps after a cursor, oldest first, and then new ones as they are stored, as server-sent events named by their kinds. " +
			"Each event's id is its cursor. A reader that was cut off sends it back as Last-Event-ID, or as cursor, and misses nothing. " +
			"The stream begins with an id without an event: where it starts. " +
			"A stream that ends because of an error ends with an event named problem. Lines that begin with a colon are heartbeats.",
		errors: []parley.Kind{parley.NotFound, parley.Unavailable}})
	op.Responses["200"] = s.streamOf(typeOf[api.Step]())
	huma.Register(s.api, op, s.followSteps)
}

type taskStepsInput struct {
	TaskPath
	Page
	After string `query:"after" doc:"The next of the page before; the beginning if left out."`
}

func (s *Server) listTaskSteps(ctx context.Context, in *taskStepsInput) (api.StepList, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return api.StepList{}, err
	}
	p, err := s.cfg.Reading.TaskSteps(ctx, caller(ctx), id, reading.StepQuery{Cursor: in.After, Limit: in.Limit})
	return s.stepList(ctx, p), err
}

// StepFilter picks steps.
type StepFilter struct {
	Task  string `query:"task" example:"task-101" doc:"Only steps of this task."`
	Tree  bool   `query:"tree" doc:"With task: steps of its descendants too."`
	Agent string `query:"agent" doc:"Only steps of this agent's turns."`
}

func (f StepFilter) query() (q reading.StepQuery, err error) {
	q = reading.StepQuery{Tree: f.Tree, Agent: f.Agent}
	if f.Task != "" {
		q.Task, err = parley.ParseTaskID(f.Task)
	}
	return q, err
}

type listStepsInput struct {
	StepFilter
	Page
	Before string `query:"before" doc:"The before of the page with newer steps; the present if left out."`
}

func (s *Server) listSteps(ctx context.Context, in *listStepsInput) (api.StepList, error) {
	q, err := in.query()
	if err != nil {
		return api.StepList{}, err
	}
	q.Cursor, q.Limit = in.Before, in.Limit
	p, err := s.cfg.Reading.Steps(ctx, caller(ctx), q)
	return s.stepList(ctx, p), err
}

type followStepsInput struct {
	StepFilter
	Cursor string `query:"cursor" doc:"The cursor to go on from. If left out, the beginning; now means only new steps."`
	Last   string `header:"Last-Event-ID" doc:"The same, as browsers send it when they reconnect. It overrides cursor."`
	Follow bool   `query:"follow" default:"true" doc:"Whether to wait for new steps. Otherwise the stream ends with the last step."`
}

func (s *Server) followSteps(ctx context.Context, in *followStepsInput) (*huma.StreamResponse, error) {
	q, err := in.query()
	if err != nil {
		return nil, s.refuse(ctx, "follow-steps", err)
	}
	q.Once = !in.Follow
	if q.Cursor = in.Cursor; in.Last != "" {
		q.Cursor = in.Last
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		_, w := humago.Unwrap(ctx)
		s.streamSteps(ctx.Context(), newStream(w), q)
	}}, nil
}

func (s *Server) streamSteps(ctx context.Context, out *stream, q reading.StepQuery) {
	following, done := s.untilStop(ctx)
	defer done()
	take := func(st reading.Step) error {
		if err := out.begin(); err != nil {
			return err
		}
		return out.send(string(st.Kind), st.Cursor, s.step(ctx, st))
	}
	err := s.cfg.Reading.FollowSteps(following, caller(ctx), q, take, out.idleAt)
	s.endStream(ctx, out, "follow-steps", orStopping(following, err))
}

// idleAt is idle, and tells where the stream is: a reader that has got nothing yet knows
// where to go on.
func (o *stream) idleAt(cursor string) error {
	if o.begun && time.Since(o.last) < heartbeat {
		return nil
	}
	if err := o.begin(); err != nil {
		return err
	}
	return o.write("id: " + cursor + "\n\n")
}

func (s *Server) stepList(ctx context.Context, p reading.StepPage) api.StepList {
	out := api.StepList{Steps: make([]api.Step, 0, len(p.Steps)), Next: p.Next, Before: p.Before, Removed: p.Removed}
	for _, st := range p.Steps {
		out.Steps = append(out.Steps, s.step(ctx, st))
	}
	return out
}

func (s *Server) step(ctx context.Context, st reading.Step) api.Step {
	return api.Step{ID: st.ID(), Cursor: st.Cursor, Task: st.Task.String(), Agent: s.name(ctx, st.Agent), Turn: st.Turn, N: st.N, At: instant(st.At),
		Kind: string(st.Kind), Line: st.Line, Text: st.Text, Tool: st.Tool, Arguments: st.Args, Failed: st.Failed, Files: st.Files,
		Command: st.Command, ExitCode: st.Exit, Took: st.Took, Input: st.Spent.Input, Output: st.Spent.Output,
		Cost: float64(st.Spent.Money) / float64(parley.Dollar), Estimated: st.Estimated}
}

// doing adds what running tasks do at this moment.
func (s *Server) doing(ctx context.Context, tasks []parley.Task, encoded func(parley.TaskID) *api.Task) error {
	now, err := s.cfg.Reading.Doing(ctx, caller(ctx), tasks)
	for id, d := range now {
		if t := encoded(id); t != nil {
			t.Now, t.NowSince = d.Line, moment(d.Since)
		}
	}
	return err
}
