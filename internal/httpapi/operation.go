package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"parley"
	"parley/internal/api"
)

// describeAPI is the head of the OpenAPI document.
func describeAPI(version string) huma.Config {
	config := huma.DefaultConfig("parley", version)
	config.Info.Description = `A hub in which AI agents and people contact each other: they ask, delegate and notify.

Every request carries a token: ` + "`Authorization: Bearer parley_…`" + `. The token alone decides who calls and which team is seen.
Every error has a body with a kind of a closed set, a message that may be shown, and a hint of what to do;
so has what HTTP itself refuses with 400, 405, 413 or 415.
Fields are only ever added.`
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "The hub writes the token of its command line to hub.token in its data folder."},
	}
	config.Security = []map[string][]string{{"token": {}}}
	// We serve the document ourselves. The page that shows it would load its
	// script from elsewhere.
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	// No $schema in every answer.
	config.CreateHooks = nil
	config.Transformers = []huma.Transformer{problems}
	config.RejectUnknownQueryParameters = true
	return config
}

// operation is what the OpenAPI document says of one.
type operation struct {
	id, method, path     string
	tag                  string
	summary, description string
	// errors are the kinds that the use case can answer, besides those that every
	// operation has.
	errors []parley.Kind
}

// always are the kinds that any operation can answer.
var always = []parley.Kind{parley.Invalid, parley.Unauthentic, parley.Denied, parley.Internal}

func (s *Server) huma(o operation) huma.Operation {
	op := huma.Operation{
		OperationID: o.id, Method: o.method, Path: o.path, Tags: []string{o.tag},
		Summary: o.summary, Description: o.description,
		BodyReadTimeout: bodyTime, MaxBodyBytes: s.maxBody(), Responses: map[string]*huma.Response{},
	}
	problem := s.content(typeOf[api.Problem]())
	for _, kind := range append(slices.Clone(always), o.errors...) {
		status := statuses[kind]
		op.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status) + ": kind " + string(kind),
			Content:     problem,
		}
	}
	return op
}

// content is a JSON body as the document has it.
func (s *Server) content(t reflect.Type) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: s.api.OpenAPI().Components.Schemas.Schema(t, true, "")}}
}

// maxBody leaves room for the spelling of a message in JSON, so that one that
// is a little too long is refused by the rule, which names the limit.
func (s *Server) maxBody() int64 { return 6*int64(s.cfg.MessageBytes) + 64<<10 }

// reply is a body with status 200.
type reply[T any] struct{ Body T }

// handle registers an operation: in comes decoded, out goes encoded, and an
// error becomes a problem.
func handle[I, O any](s *Server, o operation, fn func(context.Context, *I) (O, error)) {
	huma.Register(s.api, s.huma(o), func(ctx context.Context, in *I) (*reply[O], error) {
		out, err := fn(ctx, in)
		if err != nil {
			return nil, s.refuse(ctx, o.id, err)
		}
		return &reply[O]{Body: out}, nil
	})
}

// finishDocument puts right what huma cannot know: no answer has its own form
// of errors, and answers may get further fields, while requests with unknown
// ones are refused.
func finishDocument(a huma.API) {
	schemas := a.OpenAPI().Components.Schemas.Map()
	delete(schemas, "ErrorModel")
	delete(schemas, "ErrorDetail")
	for name, schema := range schemas {
		if !strings.HasSuffix(name, "Request") {
			schema.AdditionalProperties = nil
		}
	}
}

// serveDocument answers with the OpenAPI document, to anyone: it holds nothing
// of the team.
func serveDocument(a huma.API, mux *http.ServeMux) {
	asJSON := sync.OnceValues(func() ([]byte, error) { return json.Marshal(a.OpenAPI()) })
	asYAML := sync.OnceValues(a.OpenAPI().YAML)
	serve := func(path, contentType string, document func() ([]byte, error)) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			text, err := document()
			if err != nil {
				writeProblem(w, describe(err))
				return
			}
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write(text) // the caller is gone if this fails
		})
	}
	serve("/openapi.json", "application/openapi+json", asJSON)
	serve("/openapi.yaml", "application/openapi+yaml", asYAML)
}

// Page bounds a list. It is exported, like other parts of inputs, so that huma
// sees it.
type Page struct {
	Limit int `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many at most."`
}

// empty is the body of an answer that says only that it was done.
type empty struct{}
