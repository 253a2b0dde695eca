package httpapi

import (
	"cmp"
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley"
	"parley/api"
	"parley/internal/access"
)

// identify finds the caller by the bearer token and nothing else.
func (s *Server) identify(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	caller, err := s.gate.Identify(r)
	if err != nil {
		writeProblem(w, s.refuse(ctx.Context(), "identify", err))
		return
	}
	caller.Key = ctx.Header(api.KeyHeader)
	if err := s.checkRequest(ctx, caller.Key); err != nil {
		writeProblem(w, s.refuse(ctx.Context(), "identify", err))
		return
	}
	if ctx.Header(parley.LookHeader) == "" {
		if err := s.cfg.Desk.Touch(ctx.Context(), caller); err != nil {
			writeProblem(w, s.refuse(ctx.Context(), "identify", err))
			return
		}
	}
	next(huma.WithValue(ctx, callerKey{}, caller))
}

// checkRequest looks at what huma does not.
func (s *Server) checkRequest(ctx huma.Context, key string) error {
	if len([]rune(key)) > longestKey {
		return parley.Errorf(parley.Invalid, "%s has at most %d characters.", api.KeyHeader, longestKey)
	}
	if err := access.CheckKey(key); err != nil {
		return err
	}
	url := ctx.URL()
	return checkQuery(ctx.Operation(), url.Query())
}

type callerKey struct{}

// caller returns who made the request. It is always set, because every
// operation is behind identify.
func caller(ctx context.Context) access.Caller { return ctx.Value(callerKey{}).(access.Caller) }

// keyOf is the key of a request whose body may have one: that, or the header's.
func keyOf(ctx context.Context, body string) string { return cmp.Or(body, caller(ctx).Key) }
