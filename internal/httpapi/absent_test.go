package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"parley/api"
)

// absent has for each thing of the team main one that nobody has. The names are as far
// from those in the team other, so that suggestions are the same.
var absent = strings.NewReplacer("task-101", "task-9101", "task-102", "task-9102", "msg-1", "msg-9001", "msg-3", "msg-9003",
	"thread-1", "thread-9001", "thread-2", "thread-9002", "keeper-1", "keeper-9001", "approval-1", "approval-9001", "query-1", "query-9001",
	"Bob", "Bab", "Ada", "Ida", "poets", "paets", "poem", "paem", "verse", "varse")

// present undoes absent.
var present = strings.NewReplacer("task-9101", "task-101", "task-9102", "task-102", "msg-9001", "msg-1", "msg-9003", "msg-3",
	"thread-9001", "thread-1", "thread-9002", "thread-2", "keeper-9001", "keeper-1", "approval-9001", "approval-1", "query-9001", "query-1",
	"Bab", "Bob", "Ida", "Ada", "paets", "poets", "paem", "poem", "varse", "verse")

// furtherProbes name things of the team main in the places where an operation takes
// several.
var furtherProbes = []probe{
	{"contact-agent", "POST", "/v1/contacts", `{"action": "notify", "agent": "Ada", "message": "Hello?"}`, 404, nil},
	{"contact-agent", "POST", "/v1/contacts", `{"action": "ask", "agent": "DataBot", "message": "Hello?", "task_id": "task-101"}`, 404, nil},
	{"list-threads", "GET", "/v1/threads?of=DataBot&with=Bob", "", 404, nil},
	{"list-messages", "GET", "/v1/messages?of=DataBot&with=Ada", "", 404, nil},
	{"explain", "GET", "/v1/explain?from=Bob&to=Ada&action=ask", "", 404, nil},
	{"mark-seen", "POST", "/v1/messages/seen", `{"ids": ["msg-1", "msg-3"]}`, 200, nil},
	{"post-message", "POST", "/v1/posts", `{"between": ["DataBot", "Bob"], "message": "Hello?"}`, 404, nil},
	{"add-channel", "POST", "/v1/channels", `{"name": "mine", "members": ["DataBot", "Ada"]}`, 404, nil},
	{"forward-question", "POST", "/v1/questions/query-1/forward", `{"target": "Bob", "enrichment": "It is mine."}`, 404, nil},
	{"set-rule", "PUT", "/v1/agents/Bob/rules/mode", `{"values": ["read"]}`, 404, nil},
	{"offload", "POST", "/v1/keepers", `{"topic": "mine", "messages": [{"role": "user", "content": "A"}, {"role": "user", "content": "B"}, {"role": "user", "content": "C"}, {"role": "user", "content": "D"}], "task_id": "task-101"}`, 0, nil},
}

// Whatever Eve of the team other tries on a thing of the team main, the answer is the
// one about a thing that nobody has: the same status and the same words. Otherwise it
// would tell her that the thing exists.
func TestAThingOfAnotherTeamIsLikeOneThatNobodyHas(t *testing.T) {
	w := newWorld(t)
	w.fill()
	before := w.everything("Ada")
	compared := 0
	for _, p := range append(furtherProbes, probes...) {
		path, body := absent.Replace(p.path), absent.Replace(p.body)
		if path == p.path && body == p.body {
			continue // it names nothing of another team
		}
		compared++
		status, there := w.do("Eve", p.method, p.path, p.body)
		want, nowhere := w.do("Eve", p.method, path, body)
		if got := present.Replace(nowhere); status != want || there != got {
			t.Errorf("%s %s %s\n of another team: %d %s\n of nobody:       %d %s", p.method, p.path, p.body, status, there, want, got)
		}
		if p.want != 0 && status != p.want {
			t.Errorf("%s %s: %d %s", p.method, p.path, status, there)
		}
	}
	if compared < 50 {
		t.Errorf("only %d of the probes name something", compared)
	}
	if after := w.everything("Ada"); after != before {
		t.Errorf("something changed.\nbefore: %s\nafter: %s", before, after)
	}
}

// The same key means nothing across teams, and neither does a place in the record.
func TestKeysAndCursorsAreThoseOfATeam(t *testing.T) {
	w := newWorld(t)
	w.fill()
	keyed := func(as string) string {
		req := w.request(as, http.MethodPost, "/v1/contacts", `{"action": "delegate", "agent": "WriterBot", "message": "A poem."}`)
		req.Header.Set(api.KeyHeader, "the same key")
		resp, body := w.send(req)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", as, resp.StatusCode, body)
		}
		return body
	}
	if hers, his := keyed("Ada"), keyed("Eve"); hers == his {
		t.Errorf("Eve got Ada's task: %s", his)
	}
	_, all := w.do("Ada", http.MethodGet, "/v1/events?follow=false", "")
	for line := range strings.Lines(all) {
		cursor, is := strings.CutPrefix(line, "id: ")
		if !is {
			continue
		}
		req := w.request("Eve", http.MethodGet, "/v1/events?follow=false", "")
		req.Header.Set("Last-Event-ID", strings.TrimSpace(cursor))
		if _, body := w.send(req); strings.Contains(body, "Ada") || strings.Contains(body, "Bob") {
			t.Fatalf("after %s Eve reads %s", cursor, body)
		}
	}
}
