package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/api"
	"parley/client"
)

// secret stands in every text of the other team, beside a word that requests search for.
const secret = "zanzibar quartz"

// marker is the part of it that no request has.
const marker = "quartz"

// rounds is how often each caller makes each request, and calls each tool, half of them
// in either way of the protocol.
const rounds = 6

// A person and a client agent make up requests to every operation and every tool, with
// the names and ids of their own team and of another. Nothing fails or panics, and
// nothing of the other team is read or changed. PARLEY_RANDOM_SEED repeats the requests
// of a run.
func TestRandomRequestsOfTwoTeams(t *testing.T) {
	seed := rand.Uint64()
	if text := os.Getenv("PARLEY_RANDOM_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("PARLEY_RANDOM_SEED=%d", seed)
	s := newStorm(t)
	before := s.everything()
	var all sync.WaitGroup
	for i, name := range []string{"Ada", "CoderBot"} {
		all.Go(func() { s.callOperations(name, s.maker(seed, 2*i)) })
		all.Go(func() { s.callTools(name, s.maker(seed, 2*i+1)) })
	}
	all.Wait()
	if after := s.everything(); after != before {
		t.Errorf("the other team has changed from\n%s\nto\n%s", before, after)
	}
	if log := s.log.String(); strings.Contains(log, "panic") {
		t.Error(log)
	}
	for id := range s.document {
		if s.answered[id] == 0 {
			t.Errorf("%s was never answered", id)
		}
	}
	t.Logf("%d answers: %v", s.count, s.statuses)
}

// storm is a hub with two teams, and what was answered.
type storm struct {
	*running
	document map[string]operation
	schemas  map[string]any
	tokens   map[string]string
	spare    []string // tokens that may be revoked
	secrets  string   // the token of the other team's person
	web      http.Transport

	mu       sync.Mutex
	answered map[string]int
	statuses map[int]int
	count    int
}

// operation is one of the document.
type operation struct {
	OperationID  string
	method, path string
	Parameters   []struct {
		Name, In string
		Schema   map[string]any
	}
	RequestBody struct {
		Content map[string]struct{ Schema map[string]any }
	}
	Responses map[string]any
}

const coder = `
-- agents/CoderBot.md --
---
kind: client
description: Writes code, %s.
toolsets: [contact, chorus, loom, peers]
---
`

func newStorm(t *testing.T) *storm {
	t.Helper()
	cfg := configure(t, folder(t, fmt.Sprintf(coder, "for all")))
	cfg.Grace = time.Second // what still works then is of no interest
	s := &storm{running: up(t, cfg), tokens: map[string]string{}, answered: map[string]int{}, statuses: map[int]int{}}
	if got := s.add(further(t, "Bea", fmt.Sprintf(coder, secret)), "other"); !got.Served {
		t.Fatalf("%+v", got)
	}
	t.Cleanup(s.web.CloseIdleConnections)
	ada, bea := s.client(), s.in("other")
	for _, name := range []string{"Ada", "CoderBot"} {
		s.tokens[name], _ = s.token(ada, name, "used here")
		_, id := s.token(ada, name, "spare")
		s.spare = append(s.spare, id)
	}
	var id string
	s.secrets, id = s.token(bea, "Bea", secret)
	s.spare = append(s.spare, id)
	s.fill(bea, s.secrets, "vault", secret)
	s.fill(ada, s.tokens["Ada"], "standup", "hello")
	s.readDocument()
	return s
}

func (s *storm) token(as *client.Client, name, label string) (text, id string) {
	s.t.Helper()
	made, err := as.CreateToken(s.t.Context(), api.TokenRequest{For: name, Label: label})
	if err != nil {
		s.t.Fatal(err)
	}
	return made.Secret, made.ID
}

// fill gives a team one of everything, with the same words in each.
func (s *storm) fill(c *client.Client, token, channel, words string) {
	s.t.Helper()
	ctx := s.t.Context()
	var failed []error
	must := func(err error) { failed = append(failed, err) }
	for _, action := range []string{"delegate", "notify", "delegate"} {
		_, err := c.Contact(ctx, api.ContactRequest{Action: action, Agent: "CoderBot", Message: "Look for " + words + "."})
		must(err)
	}
	_, err := c.AddChannel(ctx, api.ChannelRequest{Name: channel, Topic: words, Members: []string{"CoderBot"}})
	must(err)
	_, err = c.Post(ctx, api.PostRequest{Channel: channel, Message: "About " + words + "."})
	must(err)
	_, err = c.AskQuestion(ctx, api.QuestionRequest{Question: "Where is " + words + "?", Target: "CoderBot"})
	must(err)
	var messages []api.OffloadMessage
	for range 4 {
		messages = append(messages, api.OffloadMessage{Role: "user", Content: words})
	}
	status, body := s.send(ctx, token, http.MethodPost, "/v1/keepers", map[string]any{"topic": words, "messages": messages})
	if status != http.StatusOK {
		must(fmt.Errorf("%d %s", status, body))
	}
	if err := errors.Join(failed...); err != nil {
		s.t.Fatal(err)
	}
}

// readDocument reads what the hub says about its operations.
func (s *storm) readDocument() {
	s.t.Helper()
	status, text := s.send(s.t.Context(), "", http.MethodGet, "/openapi.json", nil)
	var document struct {
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil || status != http.StatusOK {
		s.t.Fatal(status, err)
	}
	s.document, s.schemas = map[string]operation{}, document.Components.Schemas
	for path, methods := range document.Paths {
		for method, o := range methods {
			o.method, o.path = strings.ToUpper(method), path
			s.document[o.OperationID] = o
		}
	}
}

func (s *storm) maker(seed uint64, who int) *maker {
	return &maker{Rand: rand.New(rand.NewPCG(seed, uint64(who))), schemas: s.schemas, things: thingsOf(s.spare...)}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// callOperations makes requests over HTTP.
func (s *storm) callOperations(as string, m *maker) {
	for range rounds {
		for _, id := range sortedKeys(s.document) {
			o := s.document[id]
			ctx, cancel := s.t.Context(), context.CancelFunc(func() {})
			if id == "look-at-task" { // it lasts as long as the task
				ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
			}
			path, body := m.request(o)
			status, text := s.send(ctx, s.tokens[as], o.method, path, body)
			cancel()
			_, documented := o.Responses[strconv.Itoa(status)]
			if status >= 500 && (status != http.StatusServiceUnavailable || !documented) {
				s.t.Errorf("%s, %s %s %v: %d %s", as, o.method, path, body, status, text)
			}
			if status == http.StatusUnauthorized || status == http.StatusTooManyRequests {
				s.t.Errorf("%s is kept out: %d %s", as, status, text)
				return
			}
			s.note(id, status)
		}
	}
}

var parameter = regexp.MustCompile(`\{[a-z_]+\}`)

// request makes up the path and the body of a request; nil is no body.
func (m *maker) request(o operation) (path string, body any) {
	kind := map[string]string{"tasks": "task", "messages": "msg", "approvals": "approval", "questions": "query", "keepers": "keeper", "channels": "channel", "agents": "name", "people": "name", "tokens": "token", "sessions": "session"}
	place := kind[strings.Split(o.path, "/")[2]]
	path = parameter.ReplaceAllStringFunc(o.path, func(name string) string {
		list := m.things[place]
		if name == "{agent}" {
			list = m.things["name"]
		}
		if m.IntN(15) == 0 {
			return url.PathEscape(fmt.Sprint(m.odd()))
		}
		return url.PathEscape(list[m.IntN(len(list))])
	})
	query := url.Values{}
	for _, p := range o.Parameters {
		if _, waits := still[p.Name]; p.In == "query" && (waits || m.IntN(2) == 0) {
			query.Set(p.Name, fmt.Sprint(m.value(p.Name, p.Schema)))
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if content, ok := o.RequestBody.Content["application/json"]; ok {
		body = m.value("", content.Schema)
	}
	return path, body
}

// send makes a request and reads all of the answer; 0 if the caller left first.
func (s *storm) send(ctx context.Context, token, method, path string, body any) (int, string) {
	var in io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			s.t.Error(err)
		}
		in = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, in)
	if err != nil {
		s.t.Error(err)
		return 0, ""
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	out, err := s.web.RoundTrip(r)
	if err != nil {
		if ctx.Err() == nil {
			s.t.Errorf("%s %s: %v", method, path, err)
		}
		return 0, ""
	}
	defer func() { _ = out.Body.Close() }()
	text, err := io.ReadAll(out.Body)
	if err != nil && ctx.Err() == nil {
		s.t.Errorf("%s %s: %v", method, path, err)
	}
	if token != s.secrets && bytes.Contains(text, []byte(marker)) {
		s.t.Errorf("%s %s %v tells of the other team: %s", method, path, body, text)
	}
	return out.StatusCode, string(text)
}

// note counts an answer.
func (s *storm) note(what string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	s.answered[what]++
	s.statuses[status]++
}

// everything is all that the person of the other team can read.
func (s *storm) everything() string {
	s.t.Helper()
	var all strings.Builder
	for _, path := range []string{"/v1/tasks", "/v1/agents", "/v1/channels", "/v1/inbox", "/v1/approvals", "/v1/questions", "/v1/keepers", "/v1/messages?channel=vault", "/v1/messages?of=Bea&with=CoderBot", "/v1/agents/CoderBot/rules", "/v1/team/budget", "/v1/schedules", "/v1/chat/accounts", "/v1/events?follow=false"} {
		status, text := s.send(s.t.Context(), s.secrets, http.MethodGet, path, nil)
		if status != http.StatusOK {
			s.t.Errorf("%s: %d %s", path, status, text)
		}
		all.WriteString(path + " " + text + "\n")
	}
	if !strings.Contains(all.String(), marker) {
		s.t.Error("the other team has no secrets")
	}
	return all.String()
}

// callTools makes calls over MCP, in both ways of the protocol.
func (s *storm) callTools(as string, m *maker) {
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		c := mcp.NewClient(&mcp.Implementation{Name: "random", Version: "1"}, nil)
		session, err := c.Connect(s.t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: watched{s, as}}, DisableStandaloneSSE: true},
			&mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			s.t.Errorf("%s: %v", as, err)
			return
		}
		list, err := session.ListTools(s.t.Context(), nil)
		if err != nil || len(list.Tools) < 10 {
			s.t.Errorf("%s has the tools %v, %v", as, list, err)
			return
		}
		for range rounds / 2 {
			for _, t := range list.Tools {
				schema, _ := t.InputSchema.(map[string]any)
				s.call(session, t.Name, m.value("", schema))
			}
			for _, kind := range sortedKeys(m.things) {
				list := m.things[kind]
				_, _ = session.ReadResource(s.t.Context(), &mcp.ReadResourceParams{URI: "parley://" + shelves[m.IntN(len(shelves))] + "/" + url.PathEscape(list[m.IntN(len(list))])})
			}
		}
		_ = session.Close()
	}
}

// shelves have the resources.
var shelves = []string{"tasks", "agents", "channels", "keepers", "others"}

// call calls a tool, which may wait for somebody who never answers.
func (s *storm) call(session *mcp.ClientSession, name string, args any) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 300*time.Millisecond)
	defer cancel()
	_, _ = session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args}) // watched looks at what is answered
}

// watched looks at every answer to a client.
type watched struct {
	s  *storm
	as string
}

func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.s.tokens[w.as])
	out, err := w.s.web.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(out.Body)
	_ = out.Body.Close()
	if bytes.Contains(text, []byte(marker)) || out.StatusCode >= 500 {
		w.s.t.Errorf("%s, MCP: %d %s", w.as, out.StatusCode, text)
	}
	w.s.note("mcp", out.StatusCode)
	out.Body = io.NopCloser(bytes.NewReader(text))
	return out, err
}
