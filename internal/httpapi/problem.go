package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"parley"
	"parley/api"
	"parley/internal/gate"
)

// statuses is the one table from the kinds of errors to HTTP.
var statuses = map[parley.Kind]int{
	parley.Invalid:     http.StatusUnprocessableEntity,
	parley.NotFound:    http.StatusNotFound,
	parley.Conflict:    http.StatusConflict,
	parley.Denied:      http.StatusForbidden,
	parley.Unavailable: http.StatusServiceUnavailable,
	parley.Limited:     http.StatusTooManyRequests,
	parley.Timeout:     http.StatusGatewayTimeout,
	parley.Failed:      http.StatusBadGateway,
	parley.Unauthentic: http.StatusUnauthorized,
	parley.Internal:    http.StatusInternalServerError,
}

// problem is an error with its HTTP status. Its body is exactly an api.Problem.
type problem struct {
	api.Problem
	status int
	header http.Header // what HTTP wants to be said with the status
}

func (p *problem) Error() string  { return p.Message }
func (p *problem) GetStatus() int { return p.status }

// GetHeaders is for huma.
func (p *problem) GetHeaders() http.Header { return p.header }

// describe turns an error into a problem. Causes are left out.
func describe(err error) *problem {
	var e *parley.Error
	if !errors.As(err, &e) {
		e = parley.Errorf(parley.Internal, "%s", parley.Public(err))
	}
	status, ok := statuses[e.Kind]
	if !ok {
		status = http.StatusInternalServerError
	}
	if e.Kind == parley.Unavailable && parley.RuleOf(err) != "" {
		status = http.StatusConflict // whoever was meant is away; the hub is well
	}
	return &problem{status: status, header: gate.Headers(err), Problem: api.Problem{Kind: string(e.Kind), Message: e.Message, Hint: e.Hint}}
}

// wellFormed is for a request that has the documented form, whatever its words are: it
// is not malformed, but what it wants cannot be done.
func wellFormed(err error) error {
	e := (*parley.Error)(nil)
	if !errors.As(err, &e) || e.Kind != parley.Invalid {
		return err
	}
	same := *e
	same.Kind = parley.Conflict
	return &same
}

// refuse answers an error of a use case. It also logs the error if there is more
// to it than the caller is told, such as why the database cannot be reached. It
// is the only place that does, since the error goes no further.
func (s *Server) refuse(ctx context.Context, operation string, err error) *problem {
	p := describe(err)
	if text, more := causes(err); more && ctx.Err() == nil {
		s.log.Error("a request failed", "operation", operation, "error", text)
	}
	return p
}

// causes returns the text of an error including what callers do not see. more
// says whether there is such a part, or whether the hub itself is at fault.
func causes(err error) (text string, more bool) {
	var e *parley.Error
	if errors.As(err, &e) && e.Cause != nil {
		return e.Message + " " + e.Cause.Error(), true
	}
	return err.Error(), parley.KindOf(err) == parley.Internal
}

// writeProblem answers a request that reached no operation.
func writeProblem(w http.ResponseWriter, p *problem) {
	w.Header().Set("Content-Type", "application/json")
	for name, values := range p.header {
		w.Header()[name] = values
	}
	w.WriteHeader(p.status)
	_ = json.NewEncoder(w).Encode(p.Problem) // the caller is gone if this fails
}

// problems turns huma's own refusals into problems. It is a transformer because
// the other way, replacing huma's constructor of errors, would be global.
func problems(ctx huma.Context, _ string, body any) (any, error) {
	refused, ok := body.(*huma.ErrorModel)
	if !ok {
		return body, nil
	}
	ctx.SetHeader("Content-Type", "application/json")
	return explain(refused), nil
}

func explain(e *huma.ErrorModel) api.Problem {
	p := api.Problem{Kind: string(parley.Invalid), Message: sentence(e.Detail)}
	switch e.Status {
	case http.StatusRequestEntityTooLarge:
		p.Kind, p.Message = string(parley.Limited), "The request is too large: "+strings.TrimPrefix(e.Detail, "request body is too large ")+"."
		p.Hint = "Shorten it, or put the text where the other side can read it."
	case http.StatusUnsupportedMediaType:
		p.Message, p.Hint = "The body is not JSON.", "Send it with Content-Type: application/json."
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		if len(e.Errors) > 0 {
			p.Message = mistakes(e.Errors)
		}
		p.Hint = "/openapi.json describes every request."
	default:
		if e.Status >= http.StatusInternalServerError {
			p.Kind, p.Message = string(parley.Internal), parley.Public(nil)
		}
	}
	return p
}

// mistakes lists what validation found, each with its place. It leaves the
// values out, since they can be long or secret.
func mistakes(list []*huma.ErrorDetail) string {
	var lines []string
	for _, d := range list {
		if d == nil {
			continue
		}
		place := strings.TrimPrefix(strings.TrimPrefix(d.Location, "body."), "query.")
		if place == "" || place == "body" {
			lines = append(lines, sentence(d.Message))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s.", place, d.Message))
	}
	return strings.Join(lines, " ")
}

// sentence makes a sentence out of huma's message.
func sentence(s string) string {
	if s == "" {
		return "The request cannot be understood."
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}
