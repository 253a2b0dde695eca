package httpapi

import (
	"cmp"
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
	"parley/api"
	"parley/internal/access"
)

// describeAPI makes the head of the OpenAPI document.
func describeAPI(version string) huma.Config {
	config := huma.DefaultConfig("parley", version)
	config.Info.Description = `A hub in which AI agents and people contact each other: they ask, delegate and notify.

Every request carries a token: ` + "`Authorization: Bearer parley_…`" + `. The token alone decides who the caller is and which team it sees.
Every request that changes something may carry ` + "`" + api.KeyHeader + "`" + `, and can then be sent again safely if its answer was lost.
Every error has a body with a kind from a closed set, a message for a person or an agent, and a hint what to do.
This includes what HTTP itself refuses with 400, 405, 413 or 415.
Fields may be added but never removed or changed.`
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "A person of the team makes tokens with parley token create. The hub writes that of its own command line to hub.token in its data folder."},
	}
	config.Security = []map[string][]string{{"token": {}}}
	// We serve the document ourselves. huma's page for it would load its script
	// from another site.
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	// Leave $schema out of responses.
	config.CreateHooks = nil
	config.Transformers = []huma.Transformer{problems}
	config.RejectUnknownQueryParameters = true
	config.Formats = map[string]huma.Format{"application/json": strictJSON, "json": strictJSON}
	return config
}

// operation is what the OpenAPI document says about one operation.
type operation struct {
	id, method, path     string
	tag                  string
	summary, description string
	// errors are the kinds that the use case can return, besides those of every
	// operation.
	errors []parley.Kind
	// attaches says that the body may hold an attachment.
	attaches bool
}

// always are the kinds that any operation can return.
var always = []parley.Kind{parley.Invalid, parley.Unauthentic, parley.Denied, parley.Limited, parley.Internal}

// longestKey is the longest key that the header may have.
const longestKey = 200

const keyHelp = "Makes the request idempotent: sent again with the same key, it finds what was done before instead of doing it twice."

func (s *Server) huma(o operation) huma.Operation {
	op := huma.Operation{
		OperationID: o.id, Method: o.method, Path: o.path, Tags: []string{o.tag},
		Summary: o.summary, Description: o.description,
		BodyReadTimeout: bodyTime, MaxBodyBytes: s.maxBody(o.attaches), Responses: map[string]*huma.Response{},
	}
	if o.method != http.MethodGet {
		longest := longestKey
		op.Parameters = []*huma.Param{{Name: api.KeyHeader, In: "header", Description: keyHelp, Schema: &huma.Schema{Type: "string", MaxLength: &longest}}}
	}
	problem := s.content(typeOf[api.Problem]())
	for status, kind := range refusedByHTTP {
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status) + ": " + kind, Content: problem}
	}
	kinds := append(slices.Clone(always), o.errors...)
	if o.method != http.MethodGet {
		kinds = append(kinds, parley.Conflict) // a key that was used for something else
	}
	for _, kind := range kinds {
		status := statuses[kind]
		op.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status) + ": kind " + string(kind),
			Content:     problem,
		}
	}
	return op
}

// content describes a JSON body in the document.
func (s *Server) content(t reflect.Type) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: s.api.OpenAPI().Components.Schemas.Schema(t, true, "")}}
}

// maxBody leaves room for escapes in JSON. So a message that is a little too long
// gets here and is refused by the rule, which names the limit.
func (s *Server) maxBody(attaches bool) int64 {
	most := 6*int64(s.cfg.MessageBytes) + 64<<10
	if attaches {
		most += 2 * parley.AttachmentBytes
	}
	return cmp.Or(int64(s.cfg.BodyBytes), most)
}

// reply is a body with status 200.
type reply[T any] struct{ Body T }

// handle registers an operation. It decodes the request, encodes the result and
// turns an error into a problem.
func handle[I, O any](s *Server, o operation, fn func(context.Context, *I) (O, error)) {
	huma.Register(s.api, s.huma(o), func(ctx context.Context, in *I) (*reply[O], error) {
		ctx = access.WithCall(ctx, o.id, func() string {
			args, _ := json.Marshal(in) // it was decoded from JSON, or from text
			return string(args)
		})
		out, err := fn(ctx, in)
		if err != nil {
			return nil, s.refuse(ctx, o.id, err)
		}
		return &reply[O]{Body: out}, nil
	})
}

// inRequests are the parts of requests that are schemas of their own.
var inRequests = []string{"Budget", "OffloadMessage"}

// finishDocument corrects what huma cannot know: errors do not have its own
// form, and responses may get new fields, while requests with unknown fields
// are refused.
func finishDocument(a huma.API) {
	describeAccepted(a)
	schemas := a.OpenAPI().Components.Schemas.Map()
	delete(schemas, "ErrorModel")
	delete(schemas, "ErrorDetail")
	for name, schema := range schemas {
		if !strings.HasSuffix(name, "Request") && !slices.Contains(inRequests, name) {
			schema.AdditionalProperties = nil
		}
	}
}

// serveDocument serves the OpenAPI document to anyone, since it says nothing
// about the team.
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

// Page bounds a list. It is exported, like other embedded inputs, because huma
// would not see it otherwise.
type Page struct {
	Limit int `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many at most."`
}

// empty is the body of a response that has nothing to say but success.
type empty struct{}
