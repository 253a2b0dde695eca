package join

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
)

// Met is what a client sees once it is connected.
type Met struct {
	Server       string // its name
	Instructions string
	Tools        []string
}

// LookVariable tells "parley mcp" that nobody is going to work with it: what it sends
// does not make the agent count as connected.
const LookVariable = "PARLEY_LOOK"

// connectTime bounds what a client would wait for too.
const connectTime = 20 * time.Second

// Connect does what a client does with an entry: it starts the command or calls the
// address, says hello and lists the tools.
func Connect(ctx context.Context, v Server, getenv func(string) string) (*Met, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	said := &lastWords{}
	transport, err := v.transport(getenv, said)
	if err != nil {
		return nil, err
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "parley join --check", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return nil, v.unreachable(err, said)
	}
	defer func() { _ = session.Close() }() // it was only looked at
	met := &Met{Server: session.InitializeResult().ServerInfo.Name, Instructions: session.InitializeResult().Instructions}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, v.unreachable(err, said)
		}
		met.Tools = append(met.Tools, tool.Name)
	}
	return met, nil
}

// Check reports what is missing at a server that should be a hub.
func (m *Met) Check() error {
	for _, name := range []string{"wait_for_messages", "reply", "task_complete"} {
		if !slices.Contains(m.Tools, name) {
			return parley.Errorf(parley.Conflict, "What answers there has no tool %s, so it is not a parley hub.", name)
		}
	}
	return nil
}

// String is the command line or the address.
func (v Server) String() string {
	if v.URL != "" {
		return v.URL
	}
	return Quote(append([]string{v.Command}, v.Args...))
}

func (v Server) transport(getenv func(string) string, said *lastWords) (mcp.Transport, error) {
	if v.URL == "" {
		if v.Command == "" {
			return nil, parley.Errorf(parley.Invalid, "The entry has neither a command nor an address.")
		}
		if _, err := exec.LookPath(v.Command); err != nil {
			return nil, parley.Errorf(parley.NotFound, "The program %s cannot be started: %v.", v.Command, err).WithHint("Write the entry again with --write.")
		}
		cmd := exec.Command(v.Command, v.Args...)
		cmd.Stderr = said
		cmd.Env = append(cmd.Environ(), LookVariable+"=1")
		return &mcp.CommandTransport{Command: cmd}, nil
	}
	header := http.Header{parley.LookHeader: {"1"}}
	for name, value := range v.Headers {
		text, err := expand(value, getenv)
		if err != nil {
			return nil, err
		}
		header.Set(name, text)
	}
	if v.TokenVariable != "" {
		token, err := variable(v.TokenVariable, getenv)
		if err != nil {
			return nil, err
		}
		header.Set("Authorization", "Bearer "+token)
	}
	return &mcp.StreamableClientTransport{Endpoint: v.URL, HTTPClient: &http.Client{Transport: withHeader{header}}}, nil
}

type withHeader struct{ header http.Header }

// RoundTrip adds the headers of the entry.
func (t withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range t.header {
		r.Header[name] = values
	}
	return (&http.Transport{}).RoundTrip(r)
}

// reference is how clients write a variable or a file in a header: ${NAME},
// ${env:NAME}, $NAME, {file:PATH}, and ${input:ID}, which is asked for.
var reference = regexp.MustCompile(`\$\{(?:env:)?([A-Z_][A-Z0-9_]*)\}|\$([A-Z_][A-Z0-9_]*)|\{file:([^}]+)\}|\$\{input:[^}]+\}`)

func expand(text string, getenv func(string) string) (string, error) {
	var failed error
	out := reference.ReplaceAllStringFunc(text, func(found string) string {
		part := reference.FindStringSubmatch(found)
		var value string
		var err error
		switch {
		case part[3] != "":
			var content []byte
			content, err = os.ReadFile(part[3])
			value = strings.TrimSpace(string(content))
		case part[1]+part[2] != "":
			value, err = variable(part[1]+part[2], getenv)
		default: // the client asks its user; here the variable stands in
			value, err = variable(TokenVariable, getenv)
		}
		if err != nil {
			failed = err
		}
		return value
	})
	return out, failed
}

func variable(name string, getenv func(string) string) (string, error) {
	if value := getenv(name); value != "" {
		return value, nil
	}
	return "", parley.Errorf(parley.Invalid, "%s is not set, and the client takes its token from it.", name).
		WithHint("Set it in the shell that starts the client.")
}

func (v Server) unreachable(err error, said *lastWords) error {
	e := parley.Errorf(parley.Unavailable, "It does not work: %v.", err).WithCause(err)
	if words := said.String(); words != "" {
		return e.WithHint("The program said: %s", words)
	}
	if v.URL != "" && strings.Contains(err.Error(), "401") {
		return e.WithHint("The token is wrong or was revoked.")
	}
	return e
}

// lastWords keeps the end of what a program says before it gives up.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	w.text = w.text[max(0, len(w.text)-2000):]
	return len(p), nil
}

func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(w.text), ""))
}
