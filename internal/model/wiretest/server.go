// Package wiretest is a provider of models on this machine. One server speaks
// the wire formats of Anthropic (messages), OpenAI (chat completions and
// responses) and Gemini (generateContent and streamGenerateContent), streaming
// included. What it answers is said once, in a Reply, whatever the format.
//
// What thinks behind it is a Mind: a list of replies, or any model.Model, such
// as a scripted one, so that a whole team can be run over a real wire.
package wiretest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"parley/internal/model"
)

// Mind decides what is answered. It is called concurrently.
type Mind func(Request) Reply

// Request is what a provider was asked.
type Request struct {
	model.Request
	// Model is the name that was asked for.
	Model  string
	Stream bool
	Path   string
	Header http.Header
	Body   []byte
	// Gone is closed when the one who asked is.
	Gone <-chan struct{}
}

// Reply is one answer. The zero Reply is an empty one.
type Reply struct {
	Thought string // with a signature, where the format has one
	Text    string
	Calls   []Call
	Usage   model.Usage
	Finish  Finish

	// Status other than 0 refuses, with Message in the format's words and Header.
	Status  int
	Message string
	Kind    string // the format's name for the error, where it has one
	Header  map[string]string
	Details []any // of a refusal, where the format has such

	// Piece is how many bytes of a text or of arguments are sent at once; 0 sends
	// them whole.
	Piece int
	// Cut ends the connection after so many bytes of the body; 0 does not.
	Cut int
	// Hold waits for the channel to be closed before the first byte, and Pause
	// after so many events.
	Hold  <-chan struct{}
	Pause int
	// Held is called when it begins to wait: all before it is sent.
	Held func()
	// Fault is sent in the middle of a stream, as the format's own error event.
	Fault string
}

// Call is a tool call of a reply. Args are sent as they are, also if they are
// not JSON, where the format can carry that. Space is the namespace of the tool,
// where the format has such.
type Call struct{ ID, Name, Args, Space string }

// Finish is why a reply ended.
type Finish int

const (
	Done     Finish = iota // or because of its tool calls
	TooLong                // at the limit of tokens
	Filtered               // because of its content
)

// Server is a running provider.
type Server struct {
	URL  string
	http *http.Server
	mind Mind

	mu       sync.Mutex
	requests []Request
}

// Test is what a server for the length of a test needs of it. The bench is no
// test and links no testing.
type Test interface {
	Helper()
	Cleanup(func())
	Fatal(args ...any)
}

// Start runs a server for the length of a test.
func Start(t Test, mind Mind) *Server {
	t.Helper()
	s, err := New(mind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// New runs a server until it is closed.
func New(mind Mind) (*Server, error) {
	s := &Server{mind: mind}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.http = &http.Server{Handler: s}
	s.URL = "http://" + listener.Addr().String()
	go func() { _ = s.http.Serve(listener) }() // until it is closed
	return s, nil
}

// Close ends the server and whatever waits at it.
func (s *Server) Close() { _ = s.http.Close() }

// Base is the base URL for a kind of provider, by the name that files use.
func (s *Server) Base(kind string) string {
	if kind == "anthropic" || kind == "gemini" {
		return s.URL
	}
	return s.URL + "/v1"
}

// Requests are those that came so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// InTurn answers with one reply after the other, and with the last one again.
func InTurn(replies ...Reply) Mind {
	var mu sync.Mutex
	return func(Request) Reply {
		mu.Lock()
		defer mu.Unlock()
		r := replies[0]
		if len(replies) > 1 {
			replies = replies[1:]
		}
		return r
	}
}

// Of lets a model think. It is told for whom by the first line of the system
// text, as a turn writes it.
func Of(m model.Model) Mind {
	return func(req Request) Reply {
		first, _, _ := strings.Cut(req.System, "\n")
		req.Agent = strings.TrimSuffix(strings.TrimPrefix(first, "You are "), ".")
		r, err := m.Step(contextOf(req), req.Request, nil)
		if err != nil {
			return Reply{Status: http.StatusInternalServerError, Message: err.Error()}
		}
		out := Reply{Text: r.Text, Usage: r.Usage}
		for _, c := range r.Calls {
			out.Calls = append(out.Calls, Call{ID: c.ID, Name: c.Name, Args: string(c.Args)})
		}
		return out
	}
}

// wire is one format.
type wire interface {
	read(body []byte, path string) (Request, error)
	events(Reply) []string
	whole(Reply) any
	refusal(Reply) any
}

func wireOf(path string) wire {
	switch {
	case strings.HasSuffix(path, "/v1/messages"):
		return messages{}
	case strings.HasSuffix(path, "/chat/completions"):
		return completions{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.Contains(path, "enerateContent"):
		return content{}
	}
	return nil
}

// ServeHTTP answers, and keeps what it was asked.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Handler(func(req Request) Reply {
		s.mu.Lock()
		s.requests = append(s.requests, req)
		s.mu.Unlock()
		return s.mind(req)
	}).ServeHTTP(w, r)
}

// Handler answers without keeping anything, for a server of the caller's own.
func Handler(mind Mind) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wire := wireOf(r.URL.Path)
		if wire == nil {
			http.NotFound(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		req, err := wire.read(body, r.URL.Path)
		if err != nil {
			http.Error(w, fmt.Sprintf("wiretest: %v", err), http.StatusBadRequest)
			return
		}
		req.Path, req.Header, req.Body, req.Gone = r.URL.Path, r.Header.Clone(), body, r.Context().Done()
		answer(w, r, wire, req, mind(req))
	})
}
