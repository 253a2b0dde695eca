package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/api"
	"parley/internal/store"
	"parley/internal/token"
)

// call is an operation that somebody does in their own team. ME and YOU are two people
// of it, of whom either may be the one that the command line acts as.
type call struct {
	operation, method, path, body string
	// person is the status for a person, and program that for a client agent.
	person, program int
}

// calls has every operation. The team is as arrange leaves it.
var calls = []call{
	{"get-hub", "GET", "/v1/hub", "", 200, 200},
	{"contact-agent", "POST", "/v1/contacts", `{"action": "notify", "agent": "DataBot", "message": "Hello."}`, 200, 200},
	{"contact-agent", "POST", "/v1/contacts", `{"action": "delegate", "agent": "YOU", "message": "Hello.", "budget": {"tokens": 5}}`, 200, 403},
	{"contact-agent", "POST", "/v1/contacts", `{"action": "notify", "agent": "YOU", "message": "Hello.", "urgent": true}`, 200, 403},
	{"contact-agent", "POST", "/v1/contacts", `{"action": "ask", "agent": "YOU", "message": "Hello.", "urgent": true}`, 200, 403},
	{"contact-agent", "POST", "/v1/contacts", `{"action": "delegate", "agent": "YOU", "message": "Hello.", "urgent": true}`, 200, 403},
	{"list-tasks", "GET", "/v1/tasks", "", 200, 200},
	{"get-task", "GET", "/v1/tasks/task-101", "", 200, 404},
	{"wait-task", "GET", "/v1/tasks/task-101/wait?seconds=0", "", 200, 404},
	{"look-at-task", "GET", "/v1/tasks/task-103/live", "", 200, 404},
	{"get-task-tree", "GET", "/v1/tasks/task-101/tree", "", 200, 404},
	{"list-task-steps", "GET", "/v1/tasks/task-101/steps", "", 200, 404},
	{"list-steps", "GET", "/v1/steps", "", 200, 200},
	{"follow-steps", "GET", "/v1/steps/stream?follow=false", "", 200, 200},
	{"get-task-trace", "GET", "/v1/tasks/task-101/trace", "", 200, 404},
	{"get-task-budget", "GET", "/v1/tasks/task-101/budget", "", 200, 404},
	{"raise-task-budget", "POST", "/v1/tasks/task-101/budget", `{"add": {"tokens": 5}}`, 409, 403},
	{"get-approval", "GET", "/v1/approvals/approval-1", "", 200, 404},
	{"list-approvals", "GET", "/v1/approvals", "", 200, 200},
	{"approve", "POST", "/v1/approvals/approval-1/approve", "", 200, 404},
	{"deny", "POST", "/v1/approvals/approval-1/deny", `{}`, 409, 404},
	{"withdraw", "POST", "/v1/approvals/approval-1/withdraw", "", 404, 404},
	{"wait-inbox", "GET", "/v1/inbox/wait?wait=0s", "", 200, 200},
	{"my-tasks", "GET", "/v1/inbox/tasks", "", 200, 200},
	{"ack", "POST", "/v1/inbox/ack", `{"messages": ["msg-1"]}`, 200, 200},
	{"take-task", "POST", "/v1/tasks/task-101/take", "", 200, 403},
	{"update-task", "POST", "/v1/tasks/task-101/update", `{"note": "Half."}`, 200, 403},
	{"complete-task", "POST", "/v1/tasks/task-101/complete", `{"result": "Done."}`, 200, 403},
	{"fail-task", "POST", "/v1/tasks/task-102/fail", `{"reason": "No."}`, 200, 403},
	{"reply-message", "POST", "/v1/messages/msg-3/reply", `{"text": "Hm."}`, 409, 404},
	{"remind", "POST", "/v1/tasks/task-104/remind", `{"after_seconds": 60}`, 200, 403},
	{"cancel-task", "POST", "/v1/tasks/task-104/cancel", "", 200, 403},
	{"get-task-diff", "GET", "/v1/tasks/task-103/diff", "", 200, 404},
	{"undo-task", "POST", "/v1/tasks/task-103/undo", "{}", 200, 403},
	{"retry-task", "POST", "/v1/tasks/task-103/retry", "", 200, 403},
	{"get-cost", "GET", "/v1/cost?by=task", "", 200, 200},
	{"resume-task", "POST", "/v1/tasks/task-103/resume", "", 409, 403},
	{"get-team-budget", "GET", "/v1/team/budget", "", 200, 200},
	{"raise-team-budget", "POST", "/v1/team/budget", `{"add": {"tokens": 5}}`, 409, 403},
	{"pause-team", "POST", "/v1/team/pause", "", 200, 403},
	{"resume-team", "POST", "/v1/team/resume", "", 200, 403},
	{"list-teams", "GET", "/v1/teams", "", 200, 403},
	{"reread-teams", "POST", "/v1/teams/reread", "", 200, 403},
	{"list-messages", "GET", "/v1/messages?of=YOU&with=DataBot", "", 200, 403},
	{"get-message", "GET", "/v1/messages/msg-1", "", 200, 404},
	{"list-threads", "GET", "/v1/threads?of=YOU&with=DataBot", "", 200, 403},
	{"get-inbox", "GET", "/v1/inbox", "", 200, 200},
	{"mark-seen", "POST", "/v1/messages/seen", `{"ids": ["msg-1"]}`, 200, 200},
	{"search", "GET", "/v1/search?q=poem", "", 200, 200},
	{"list-channels", "GET", "/v1/channels", "", 200, 200},
	{"add-channel", "POST", "/v1/channels", `{"name": "new", "members": ["YOU"]}`, 200, 403},
	{"get-channel", "GET", "/v1/channels/poets", "", 200, 404},
	{"post-message", "POST", "/v1/posts", `{"channel": "poets", "message": "Hello."}`, 200, 404},
	{"post-message", "POST", "/v1/posts", `{"between": ["YOU", "DataBot"], "message": "Hello."}`, 200, 403},
	{"read-channel", "POST", "/v1/channels/poets/read", `{"upto": 1}`, 200, 404},
	{"invite-member", "PUT", "/v1/channels/poets/members/WriterBot", "", 200, 403},
	{"remove-member", "DELETE", "/v1/channels/poets/members/WriterBot", "", 200, 403},
	{"redact-message", "POST", "/v1/messages/msg-2/redact", `{}`, 200, 403},
	{"delete-channel", "DELETE", "/v1/channels/poets", "", 200, 403},
	{"list-keepers", "GET", "/v1/keepers", "", 200, 200},
	{"offload", "POST", "/v1/keepers", `{"topic": "poems", "messages": [{"role": "user", "content": "A."}, {"role": "user", "content": "B."}, {"role": "user", "content": "C."}, {"role": "user", "content": "D."}]}`, 200, 200},
	{"get-keeper", "GET", "/v1/keepers/keeper-1", "", 200, 200},
	{"share-keeper", "POST", "/v1/keepers/keeper-1/share", "", 200, 200},
	{"retrieve", "POST", "/v1/retrieve", `{"query": "poem"}`, 200, 200},
	{"prune-keepers", "POST", "/v1/keepers/prune", `{"unused_seconds": 1, "dry_run": true}`, 200, 403},
	{"list-claims", "GET", "/v1/claims", "", 200, 200},
	{"list-agents", "GET", "/v1/agents", "", 200, 200},
	{"set-status", "PUT", "/v1/agents/DataBot/status", `{"status": "online"}`, 200, 403},
	{"begin-fresh", "POST", "/v1/agents/DataBot/fresh", `{}`, 200, 200},
	{"list-schedules", "GET", "/v1/schedules", "", 200, 200},
	{"list-schedules", "GET", "/v1/schedules?agent=DataBot", "", 200, 403},
	{"pause-schedule", "POST", "/v1/agents/DataBot/schedule/pause", "", 200, 403},
	{"resume-schedule", "POST", "/v1/agents/DataBot/schedule/resume", "", 200, 403},
	{"list-tools", "GET", "/v1/agents/DataBot/tools", "", 200, 403},
	{"estimate-step", "GET", "/v1/agents/DataBot/estimate?size=10", "", 200, 403},
	{"explain", "GET", "/v1/explain?from=DataBot&to=YOU&action=ask", "", 200, 403},
	{"get-rules", "GET", "/v1/agents/DataBot/rules", "", 200, 403},
	{"set-rule", "PUT", "/v1/agents/DataBot/rules/mode", `{"values": ["read"]}`, 200, 403},
	{"add-rule", "POST", "/v1/agents/DataBot/rules/contacts", `{"values": ["deny:WriterBot"]}`, 200, 403},
	{"unset-rule", "DELETE", "/v1/agents/DataBot/rules/mode", "", 200, 403},
	{"reload", "POST", "/v1/reload", "", 200, 403},
	{"ask-question", "POST", "/v1/questions", `{"question": "Well?", "target": "YOU"}`, 200, 200},
	{"list-questions", "GET", "/v1/questions", "", 200, 200},
	{"get-question", "GET", "/v1/questions/query-1", "", 200, 404},
	{"forward-question", "POST", "/v1/questions/query-1/forward", `{"target": "DataBot", "enrichment": "Hm."}`, 200, 403},
	{"answer-question", "POST", "/v1/questions/query-2/answer", `{"answer": "So."}`, 200, 403},
	{"follow-events", "GET", "/v1/events?follow=false", "", 200, 200},
	{"list-tokens", "GET", "/v1/tokens", "", 200, 403},
	{"create-token", "POST", "/v1/tokens", `{"for": "ME"}`, 200, 403},
	{"revoke-token", "DELETE", "/v1/tokens/token-3", "", 200, 403},
	{"create-link", "POST", "/v1/links", "", 200, 403},
	{"list-sessions", "GET", "/v1/sessions", "", 200, 403},
	{"end-session", "DELETE", "/v1/sessions/session-99", "", 404, 403},
	{"end-sessions", "DELETE", "/v1/sessions", "", 200, 403},
	{"link-account", "POST", "/v1/people/Nobody/link", "", 404, 403},
	{"list-accounts", "GET", "/v1/chat/accounts", "", 200, 403},
	{"unlink-accounts", "DELETE", "/v1/people/Nobody/accounts", "", 404, 403},
	{"add-person", "POST", "/v1/people", `{"name": "Grace"}`, 200, 403},
}

// arrange gives somebody things to do that another person has asked for.
func (w *world) arrange(me, you string) {
	w.t.Helper()
	hub := w.as(you)
	for _, text := range []string{"Write a poem.", "Write another poem.", "Write a third poem.", "Write a fourth poem."} { // task-101 to 104
		if _, err := hub.Contact(w.t.Context(), api.ContactRequest{Action: "delegate", Agent: me, Message: text}); err != nil {
			w.t.Fatal(err)
		}
	}
	if _, err := hub.Cancel(w.t.Context(), "task-103"); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.as(me).Contact(w.t.Context(), api.ContactRequest{Action: "delegate", Agent: you, Message: "Write one too."}); err != nil {
		w.t.Fatal(err)
	}
	w.storeApproval(105)
	if _, err := hub.AddChannel(w.t.Context(), api.ChannelRequest{Name: "poets", Members: []string{me, "DataBot"}}); err != nil {
		w.t.Fatal(err)
	}
	for range 2 { // query-1 and 2
		if _, err := hub.AskQuestion(w.t.Context(), api.QuestionRequest{Question: "Which poem?", Target: me}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// callsOf makes all calls as somebody and returns the statuses that are not as the
// table says.
func (w *world) callsOf(me, you string, want func(call) int) (wrong []string) {
	for _, c := range calls {
		names := strings.NewReplacer("YOU", you, "ME", me)
		status, body := w.do(me, c.method, names.Replace(c.path), names.Replace(c.body))
		if status != want(c) {
			wrong = append(wrong, fmt.Sprintf("%s %s: %d %s", c.method, c.path, status, body))
		}
	}
	return wrong
}

// What the person of the command line may do, every person may.
func TestEveryPersonMayDoTheSame(t *testing.T) {
	for _, c := range [][2]string{{"Ada", "Bob"}, {"Bob", "Ada"}} {
		w := newWorld(t)
		e, err := w.hub.Directory.Find(w.teams["main"].ID, "Ada")
		if err != nil {
			t.Fatal(err)
		}
		w.hub.Directory.SetPerson(w.teams["main"].ID, e.ID)
		w.arrange(c[0], c[1])
		for _, wrong := range w.callsOf(c[0], c[1], func(c call) int { return c.person }) {
			t.Errorf("%s: %s", c[0], wrong)
		}
	}
}

func TestWhatAProgramMayDo(t *testing.T) {
	w := newWorld(t)
	w.arrange("Ada", "Bob")
	for _, wrong := range w.callsOf("Joiner", "Bob", func(c call) int { return c.program }) {
		t.Error(wrong)
	}
}

// operations are all that the document has, by id, with a path to call.
func (w *world) operations() map[string]struct{ method, path string } {
	w.t.Helper()
	_, text := w.do("", http.MethodGet, "/openapi.json", "")
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		w.t.Fatal(err)
	}
	all := map[string]struct{ method, path string }{}
	for path, methods := range document.Paths {
		for method, op := range methods {
			all[op.OperationID] = struct{ method, path string }{strings.ToUpper(method), parameter.ReplaceAllString(path, "1")}
		}
	}
	return all
}

var parameter = regexp.MustCompile(`\{[a-z]+\}`)

func TestTheTableOfCallsIsWhole(t *testing.T) {
	w := newWorld(t)
	listed, there := map[string]bool{}, map[string]bool{}
	for _, c := range calls {
		listed[c.operation] = true
	}
	for id := range w.operations() {
		there[id] = true
	}
	if diff := cmp.Diff(there, listed); diff != "" {
		t.Errorf("-there +listed: %s", diff)
	}
}

// A token that has ended opens no operation, whatever else the request says.
func TestAnEndedTokenOpensNothing(t *testing.T) {
	w := newWorld(t)
	secret := func(change func(*parley.Token)) string {
		s := token.New()
		err := w.store.Update(t.Context(), func(tx *store.Tx) error {
			ada, err := tx.AgentByName(w.teams["main"].ID, "Ada")
			made := parley.Token{Agent: ada.ID}
			change(&made)
			tx.InsertToken(token.Hash(s), made)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	w.tokens["expired"] = secret(func(m *parley.Token) { m.ExpiresAt = parley.Micros(noon.UnixMicro()) })
	w.tokens["revoked"] = secret(func(*parley.Token) {})
	err := w.store.Update(t.Context(), func(tx *store.Tx) error {
		revoked, err := tx.TokenByHash(token.Hash(w.tokens["revoked"]))
		tx.RevokeToken(revoked, 1)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := w.do("Ada", http.MethodGet, "/v1/hub", ""); status != http.StatusOK { // so that it is known here
		t.Fatalf("%d %s", status, body)
	}
	for _, as := range []string{"expired", "revoked"} {
		for id, op := range w.operations() {
			resp, body := w.send(w.request(as, op.method, op.path, ""))
			refused := resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusTooManyRequests
			if !refused || strings.Contains(body, w.tokens[as]) {
				t.Errorf("%s, %s: %d %s", as, id, resp.StatusCode, body)
			}
		}
	}
	if status, body := w.do("Ada", http.MethodGet, "/v1/hub", ""); status != http.StatusOK {
		t.Errorf("Ada's own token is paused with them: %d %s", status, body)
	}
	if _, events := w.do("Bob", http.MethodGet, "/v1/events?follow=false", ""); strings.Contains(events, token.Prefix) {
		t.Error("a token is in the record")
	}
}
