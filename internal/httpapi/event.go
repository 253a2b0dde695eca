package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley"
	"parley/api"
	"parley/internal/reading"
)

const (
	// heartbeat is how often a quiet stream shows the reader that it is alive.
	heartbeat = 15 * time.Second
	// streamWrite is how long a reader may take to accept one event.
	streamWrite = 30 * time.Second
)

func (s *Server) registerEvents() {
	op := s.huma(operation{id: "follow-events", method: http.MethodGet, path: "/v1/events", tag: "Events",
		summary: "Follow what happens",
		description: "The record of everything that happened, oldest first, and then new events as they happen, as server-sent events. " +
			"Each event's id is its position in the record. A reader that was cut off sends it back as Last-Event-ID, or as after, and misses nothing. " +
			"agent, task, kind, since and until filter the record; last begins with the newest events that pass. " +
			"A stream that ends because of an error ends with an event named problem. Lines that begin with a colon are heartbeats.",
		errors: []parley.Kind{parley.NotFound, parley.Conflict, parley.Unavailable}})
	op.Responses["200"] = s.streamOf(typeOf[api.Event]())
	huma.Register(s.api, op, s.followEvents)
}

// streamOf describes a stream by one of its events, whose data is JSON as a text.
func (s *Server) streamOf(t reflect.Type) *huma.Response {
	schemas := s.api.OpenAPI().Components.Schemas
	data := &huma.Schema{Type: huma.TypeString, Description: "What has happened; of a problem, why the stream ends.", Extensions: map[string]any{
		"contentMediaType": "application/json",
		"contentSchema":    &huma.Schema{AnyOf: []*huma.Schema{schemas.Schema(t, true, ""), schemas.Schema(typeOf[api.Problem](), true, "")}},
	}}
	return &huma.Response{
		Description: "A stream of events, each named by its kind.",
		Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"event", "data"},
			Properties: map[string]*huma.Schema{"event": {Type: huma.TypeString}, "data": data, "id": {Type: huma.TypeString}},
		}}},
	}
}

type followInput struct {
	After  string `query:"after" doc:"The position to go on from. If left out, the beginning; now means only new events."`
	Last   string `header:"Last-Event-ID" doc:"The same, as browsers send it when they reconnect. It overrides after."`
	Follow bool   `query:"follow" default:"true" doc:"Whether to wait for new events. Otherwise the stream ends with the last event."`
	Newest int    `query:"last" minimum:"0" maximum:"1000" doc:"Begin with that many of the newest events instead. A position to go on from overrides it."`

	Agent string    `query:"agent" doc:"Only events in which this participant is the actor or the target."`
	Task  string    `query:"task" example:"task-101" doc:"Only events about this task."`
	Tree  bool      `query:"tree" doc:"With task: events about its descendants too."`
	Kind  string    `query:"kind" example:"contact.*" doc:"Only this kind of event, or a pattern such as contact.* or *.refused."`
	Since time.Time `query:"since" doc:"Only from this time on."`
	Until time.Time `query:"until" doc:"Only before this time. A stream that follows ends then."`
}

// record says which part of the record to read.
func (in *followInput) record() (r reading.Record, err error) {
	r = reading.Record{Cursor: in.After, Last: in.Newest, Follow: in.Follow, Agent: in.Agent, Tree: in.Tree, Kind: in.Kind,
		Since: micros(in.Since), Until: micros(in.Until)}
	if in.Last != "" {
		r.Cursor = in.Last
	}
	if r.Cursor != "" {
		r.Last = 0
	}
	if in.Task != "" {
		r.Task, err = parley.ParseTaskID(in.Task)
	}
	return r, err
}

func micros(t time.Time) parley.Micros {
	if t.IsZero() {
		return 0
	}
	return parley.Micros(t.UnixMicro())
}

func (s *Server) followEvents(ctx context.Context, in *followInput) (*huma.StreamResponse, error) {
	r, err := in.record()
	if err != nil {
		return nil, s.refuse(ctx, "follow-events", err)
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		_, w := humago.Unwrap(ctx)
		s.stream(ctx.Context(), newStream(w), r)
	}}, nil
}

func (s *Server) stream(ctx context.Context, out *stream, r reading.Record) {
	following, done := s.untilStop(ctx)
	defer done()
	take := func(e parley.Event) error { return out.event(s.event(ctx, e)) }
	err := s.cfg.Reading.Events(following, caller(ctx), r, take, out.idle)
	s.endStream(ctx, out, "follow-events", orStopping(following, err))
}

// endStream tells the reader why the stream ends, unless the reader is gone.
func (s *Server) endStream(ctx context.Context, out *stream, operation string, err error) {
	if out.broken || ctx.Err() != nil {
		return
	}
	if err == nil {
		_ = out.begin() // it ends either way, as below
		return
	}
	p := s.refuse(ctx, operation, err)
	if !out.begun {
		writeProblem(out.w, p)
		return
	}
	_ = out.send("problem", "", p.Problem)
}

// stream writes server-sent events.
type stream struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	last   time.Time
	begun  bool // the headers are sent
	broken bool // the reader is gone
}

func newStream(w http.ResponseWriter) *stream {
	return &stream{w: w, rc: http.NewResponseController(w)}
}

// begin sends the headers, so that the reader knows that it is connected.
func (o *stream) begin() error {
	if o.begun {
		return nil
	}
	o.w.Header().Set("Content-Type", "text/event-stream")
	o.w.WriteHeader(http.StatusOK)
	o.begun = true
	return o.write(": parley\n\n")
}

func (o *stream) event(e api.Event) error {
	if err := o.begin(); err != nil {
		return err
	}
	return o.send(e.Kind, e.Cursor, e)
}

func (o *stream) send(name, id string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	return o.write(fmt.Sprintf("%sevent: %s\ndata: %s\n\n", id, name, text))
}

// idle sends a heartbeat if nothing was sent for a while.
func (o *stream) idle() error {
	if !o.begun {
		return o.begin()
	}
	if time.Since(o.last) < heartbeat {
		return nil
	}
	return o.write(": \n\n")
}

func (o *stream) write(text string) error {
	o.last = time.Now()
	err := o.rc.SetWriteDeadline(o.last.Add(streamWrite))
	if err == nil {
		_, err = o.w.Write([]byte(text))
	}
	if err == nil {
		err = o.rc.Flush()
	}
	o.broken = err != nil
	return err
}
