package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley"
	"parley/api"
	"parley/internal/live"
)

const liveID = "look-at-task"

func (s *Server) registerLive() {
	op := s.huma(operation{id: liveID, method: http.MethodGet, path: "/v1/tasks/{id}/live", tag: "Tasks",
		summary: "Look at a task while it runs",
		description: "What the task's agent is saying right now, as server-sent events, until the task ends: step, text, restart, tool, waiting and, last, end. " +
			"It is only for display: nothing of it is stored, it does not begin at the beginning, and a slow reader misses pieces. " +
			"If several hubs share a database, only the hub that runs the turn sends it; the others send nothing before the end. Read the result from the task.",
		errors: []parley.Kind{parley.NotFound, parley.Unavailable}})
	op.Responses["200"] = s.streamOf(typeOf[api.Live]())
	huma.Register(s.api, op, s.lookAtTask)
}

func (s *Server) lookAtTask(ctx context.Context, in *TaskPath) (*huma.StreamResponse, error) {
	id, err := parley.ParseTaskID(in.ID)
	if err != nil {
		return nil, s.refuse(ctx, liveID, err)
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		_, w := humago.Unwrap(ctx)
		s.look(ctx.Context(), newStream(w), id)
	}}, nil
}

func (s *Server) look(ctx context.Context, out *stream, id parley.TaskID) {
	looking, done := s.untilStop(ctx)
	defer done()
	take := func(p live.Piece) error { return out.send(string(p.Kind), "", liveOf(p)) }
	t, err := s.cfg.Reading.Live(looking, caller(ctx), id, take, out.idle)
	if err == nil {
		err = out.send("end", "", api.Live{Kind: "end", State: t.State.String()})
	}
	s.endStream(ctx, out, liveID, orStopping(looking, err))
}

func liveOf(p live.Piece) api.Live {
	l := api.Live{Kind: string(p.Kind), Missed: p.Missed}
	if p.Kind == live.Tool {
		l.Tool = p.Text
	} else {
		l.Text = p.Text
	}
	return l
}
