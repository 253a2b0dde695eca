package httpapi

import (
	"fmt"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"parley"
)

// guard checks every request before it reaches an operation.
func (s *Server) guard(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answer{ResponseWriter: w}
		defer s.recover(answer, r)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		r, leave, err := s.gate.Enter(r)
		if err != nil {
			writeProblem(answer, describe(err))
			return
		}
		defer leave()
		known, documented := s.methods[r.URL.Path]
		if documented && !slices.Contains(known.methods, r.Method) {
			refuseMethod(answer, r, known.header)
			return
		}
		if !documented && !leadsSomewhere(mux, r) {
			if s.cfg.Unknown != nil && forPeople(r) {
				s.untilEnded(s.cfg.Unknown).ServeHTTP(answer, r)
				return
			}
			s.unknown(mux, answer, r)
			return
		}
		mux.ServeHTTP(answer, r)
	})
}

// leadsSomewhere reports whether the mux serves a request. A path that is not in its plain
// form it would redirect.
func leadsSomewhere(mux *http.ServeMux, r *http.Request) bool {
	_, pattern := mux.Handler(r)
	return pattern != "" && path.Clean(r.URL.Path) == r.URL.Path
}

// forPeople reports whether a browser opens an address, in its plain form, that is none of
// the API's.
func forPeople(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") && path.Clean(r.URL.Path) == r.URL.Path &&
		r.URL.Path != "/v1" && !strings.HasPrefix(r.URL.Path, "/v1/")
}

// answer remembers whether anything was sent.
type answer struct {
	http.ResponseWriter
	begun bool
}

func (a *answer) WriteHeader(status int) {
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// recover logs a panic and answers the request.
func (s *Server) recover(w *answer, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p) // net/http cuts the connection
	}
	s.log.Error("a request panicked", "method", r.Method, "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.begun {
		panic(http.ErrAbortHandler)
	}
	writeProblem(w, describe(fmt.Errorf("panic: %v", p)))
}

// unknown answers a request whose path or method no operation has.
func (s *Server) unknown(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	found := &outcome{header: http.Header{}}
	if path.Clean(r.URL.Path) == r.URL.Path {
		mux.ServeHTTP(found, r)
	}
	if found.status == http.StatusMethodNotAllowed {
		refuseMethod(w, r, found.header.Get("Allow"))
		return
	}
	writeProblem(w, describe(parley.Errorf(parley.NotFound, "There is nothing at %s.", parley.Clip(r.URL.Path, 80)).
		WithHint("/openapi.json lists every path.")))
}

func refuseMethod(w http.ResponseWriter, r *http.Request, allowed string) {
	w.Header().Set("Allow", allowed)
	p := describe(parley.Errorf(parley.Invalid, "%s does not take %s.", r.URL.Path, r.Method).WithHint("It takes %s.", allowed))
	p.status = http.StatusMethodNotAllowed
	writeProblem(w, p)
}

// allowed are the methods of a path without parameters. The mux would also name
// those of a path with one, such as /v1/keepers/{id} for /v1/keepers/prune.
type allowed struct {
	methods []string
	header  string
}

// documentedMethods are the methods of each path of the document.
func documentedMethods(a huma.API) map[string]allowed {
	all := map[string]allowed{}
	for path, item := range a.OpenAPI().Paths {
		var methods []string
		for method, op := range map[string]*huma.Operation{http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodDelete: item.Delete} {
			if op != nil {
				methods = append(methods, method)
			}
		}
		if item.Get != nil {
			methods = append(methods, http.MethodHead)
		}
		slices.Sort(methods)
		all[path] = allowed{methods, strings.Join(methods, ", ")}
	}
	return all
}

// outcome records the mux's own answer. Only its status and headers are used.
type outcome struct {
	header http.Header
	status int
}

func (o *outcome) Header() http.Header         { return o.header }
func (o *outcome) WriteHeader(status int)      { o.status = status }
func (o *outcome) Write(p []byte) (int, error) { return len(p), nil }
