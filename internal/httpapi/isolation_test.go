package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/api"
	"parley/internal/contact"
	"parley/internal/schedule"
	"parley/internal/store"
	"parley/internal/timing"
)

// probe is an operation that somebody of another team tries on a thing of the
// first team. The answer has to be that there is no such thing.
type probe struct {
	operation, method, path, body string
	// want is the status, and hides are texts that must not be in the answer.
	want  int
	hides []string
}

var probes = []probe{
	{"get-hub", "GET", "/v1/hub", "", 200, []string{"main", "Ada"}},
	{"list-teams", "GET", "/v1/teams", "", 200, []string{"main", "folder"}},
	{"reread-teams", "POST", "/v1/teams/reread", "", 403, []string{"main"}},
	{"contact-agent", "POST", "/v1/contacts", `{"action": "ask", "agent": "Bob", "message": "Hello?"}`, 404, []string{"Bob?"}},
	{"contact-agent", "POST", "/v1/contacts", `{"action": "delegate", "agent": "DataBot", "message": "Hello?", "task_id": "task-101"}`, 404, nil},
	{"list-tasks", "GET", "/v1/tasks", "", 200, []string{"task-", "poem"}},
	{"list-tasks", "GET", "/v1/tasks?agent=Bob", "", 404, nil},
	{"get-task", "GET", "/v1/tasks/task-101", "", 404, nil},
	{"wait-task", "GET", "/v1/tasks/task-101/wait?seconds=60", "", 404, nil},
	{"look-at-task", "GET", "/v1/tasks/task-101/live", "", 404, nil},
	{"get-task-tree", "GET", "/v1/tasks/task-101/tree", "", 404, nil},
	{"list-task-steps", "GET", "/v1/tasks/task-101/steps", "", 404, nil},
	{"list-steps", "GET", "/v1/steps", "", 200, []string{"task-", "poem"}},
	{"list-steps", "GET", "/v1/steps?task=task-101", "", 404, nil},
	{"follow-steps", "GET", "/v1/steps/stream?follow=false", "", 200, []string{"task-", "poem"}},
	{"follow-steps", "GET", "/v1/steps/stream?task=task-101&tree=true&follow=false", "", 404, nil},
	{"get-task-trace", "GET", "/v1/tasks/task-101/trace", "", 404, nil},
	{"cancel-task", "POST", "/v1/tasks/task-101/cancel", "", 404, nil},
	{"retry-task", "POST", "/v1/tasks/task-102/retry", "", 404, nil},
	{"resume-task", "POST", "/v1/tasks/task-102/resume", "", 404, nil},
	{"get-task-diff", "GET", "/v1/tasks/task-101/diff", "", 404, nil},
	{"undo-task", "POST", "/v1/tasks/task-101/undo", "{}", 404, nil},
	{"wait-inbox", "GET", "/v1/inbox/wait", "", 200, []string{"task-", "poem"}},
	{"ack", "POST", "/v1/inbox/ack", `{"messages": ["msg-1"]}`, 200, nil},
	{"my-tasks", "GET", "/v1/inbox/tasks", "", 200, []string{"task-", "poem"}},
	{"take-task", "POST", "/v1/tasks/task-101/take", "", 404, nil},
	{"update-task", "POST", "/v1/tasks/task-101/update", `{"note": "It is mine."}`, 404, nil},
	{"reply-message", "POST", "/v1/messages/msg-1/reply", `{"text": "It is mine."}`, 404, nil},
	{"complete-task", "POST", "/v1/tasks/task-101/complete", `{"result": "It is mine."}`, 404, nil},
	{"fail-task", "POST", "/v1/tasks/task-101/fail", `{"reason": "It is mine."}`, 404, nil},
	{"list-messages", "GET", "/v1/messages?of=Ada&with=Bob", "", 404, nil},
	{"list-messages", "GET", "/v1/messages?thread=thread-1", "", 404, nil},
	{"get-message", "GET", "/v1/messages/msg-1", "", 404, nil},
	{"list-threads", "GET", "/v1/threads?of=Ada&with=Bob", "", 404, nil},
	{"search", "GET", "/v1/search?q=poem", "", 200, []string{"msg-", "poem"}},
	{"search", "GET", "/v1/search?q=poem&agent=Bob", "", 404, []string{"Bob?"}},
	{"search", "GET", "/v1/search?q=poem&channel=poets", "", 404, nil},
	{"search", "GET", "/v1/search?q=poem&kind=keepers", "", 200, []string{"keeper-", "poem"}},
	{"list-keepers", "GET", "/v1/keepers", "", 200, []string{"keeper-", "poem"}},
	{"get-keeper", "GET", "/v1/keepers/keeper-1", "", 404, nil},
	{"share-keeper", "POST", "/v1/keepers/keeper-1/share", "", 404, nil},
	{"retrieve", "POST", "/v1/retrieve", `{"query": "verse"}`, 200, []string{"[user]"}},
	{"retrieve", "POST", "/v1/retrieve", `{"query": "verse", "keeper_id": "keeper-1"}`, 200, []string{"[user]"}},
	{"prune-keepers", "POST", "/v1/keepers/prune", `{"unused_seconds": 1, "dry_run": true}`, 200, []string{"keeper-"}},
	{"offload", "POST", "/v1/keepers", `{"topic": "mine", "messages": [], "task_id": "task-101"}`, 403, nil},
	{"get-inbox", "GET", "/v1/inbox", "", 200, []string{"msg-", "poem"}},
	{"mark-seen", "POST", "/v1/messages/seen", `{"ids": ["msg-1"]}`, 200, nil},
	{"redact-message", "POST", "/v1/messages/msg-1/redact", `{}`, 404, nil},
	{"list-agents", "GET", "/v1/agents", "", 200, []string{"Ada", "Bob", "team main"}},
	{"begin-fresh", "POST", "/v1/agents/Bob/fresh", `{}`, 404, nil},
	{"set-status", "PUT", "/v1/agents/Bob/status", `{"status": "offline"}`, 404, nil},
	{"list-schedules", "GET", "/v1/schedules", "", 200, []string{"nightly", "DataBot"}},
	{"list-schedules", "GET", "/v1/schedules?agent=Bob", "", 404, []string{"Bob?"}},
	{"pause-schedule", "POST", "/v1/agents/Bob/schedule/pause", "", 404, nil},
	{"resume-schedule", "POST", "/v1/agents/Bob/schedule/resume", "", 404, nil},
	{"remind", "POST", "/v1/tasks/task-101/remind", `{"after_seconds": 60}`, 404, nil},
	{"list-tools", "GET", "/v1/agents/Ada/tools", "", 404, nil},
	{"estimate-step", "GET", "/v1/agents/Ada/estimate", "", 404, nil},
	{"explain", "GET", "/v1/explain?from=Ada&to=DataBot&action=ask", "", 404, nil},
	{"explain", "GET", "/v1/explain?from=DataBot&to=Bob&action=ask", "", 404, []string{"Bob?"}},
	{"get-rules", "GET", "/v1/agents/Bob/rules", "", 404, []string{"Bob?"}},
	{"get-rules", "GET", "/v1/agents/DataBot/rules", "", 200, []string{"agents/DataBot.md", "strict"}},
	{"set-rule", "PUT", "/v1/agents/DataBot/rules/mode", `{"values": ["read"]}`, 404, nil},
	{"add-rule", "POST", "/v1/agents/DataBot/rules/contacts", `{"values": ["deny:*"]}`, 404, nil},
	{"unset-rule", "DELETE", "/v1/agents/DataBot/rules/behavior", "", 404, nil},
	{"reload", "POST", "/v1/reload", "", 404, nil},
	{"list-tokens", "GET", "/v1/tokens?all=true", "", 200, []string{"Ada", "Bob", "Joiner", "parley_"}},
	{"create-token", "POST", "/v1/tokens", `{"for": "Bob"}`, 404, []string{"Bob?"}},
	{"revoke-token", "DELETE", "/v1/tokens/token-1", "", 404, []string{"Ada"}},
	{"create-link", "POST", "/v1/links", "", 200, nil},
	{"list-sessions", "GET", "/v1/sessions", "", 200, []string{"Ada", "Poemfox", "session-"}},
	{"end-session", "DELETE", "/v1/sessions/session-1", "", 404, []string{"Ada", "Poemfox"}},
	{"link-account", "POST", "/v1/people/Ada/link", "", 404, []string{"Poemfox"}},
	{"list-accounts", "GET", "/v1/chat/accounts", "", 200, []string{"Ada", "Poemfox", "telegram"}},
	{"unlink-accounts", "DELETE", "/v1/people/Ada/accounts", "", 404, []string{"Poemfox"}},
	{"end-sessions", "DELETE", "/v1/sessions", "", 200, []string{"Ada", "Poemfox", "session-"}},
	{"add-person", "POST", "/v1/people", `{"name": "Mallory"}`, 404, nil},
	{"list-approvals", "GET", "/v1/approvals?all=true", "", 200, []string{"approval-"}},
	{"list-approvals", "GET", "/v1/approvals?task=task-101", "", 404, nil},
	{"get-approval", "GET", "/v1/approvals/approval-1", "", 404, nil},
	{"approve", "POST", "/v1/approvals/approval-1/approve", "", 404, nil},
	{"deny", "POST", "/v1/approvals/approval-1/deny", `{"reason": "It is mine."}`, 404, nil},
	{"withdraw", "POST", "/v1/approvals/approval-1/withdraw", "", 404, nil},
	{"list-questions", "GET", "/v1/questions", "", 200, []string{"query-", "poem"}},
	{"list-questions", "GET", "/v1/questions?agent=Bob", "", 404, []string{"Bob?"}},
	{"get-question", "GET", "/v1/questions/query-1", "", 404, []string{"poem"}},
	{"ask-question", "POST", "/v1/questions", `{"question": "Hello?", "target": "Bob"}`, 404, []string{"Bob?"}},
	{"answer-question", "POST", "/v1/questions/query-1/answer", `{"answer": "It is mine."}`, 404, nil},
	{"forward-question", "POST", "/v1/questions/query-1/forward", `{"target": "DataBot", "enrichment": "It is mine."}`, 404, nil},
	{"get-task-budget", "GET", "/v1/tasks/task-101/budget", "", 404, nil},
	{"raise-task-budget", "POST", "/v1/tasks/task-101/budget", `{"add": {"tokens": 5}}`, 404, nil},
	{"get-cost", "GET", "/v1/cost?by=task", "", 200, []string{"task-"}},
	{"get-team-budget", "GET", "/v1/team/budget", "", 200, []string{"task-"}},
	{"raise-team-budget", "POST", "/v1/team/budget", `{"add": {"tokens": 5}}`, 409, nil},
	{"pause-team", "POST", "/v1/team/pause", "", 200, []string{"main"}},
	{"resume-team", "POST", "/v1/team/resume", "", 200, []string{"main"}},
	{"list-claims", "GET", "/v1/claims", "", 200, []string{"secret.go", "Ada"}},
	{"list-channels", "GET", "/v1/channels", "", 200, []string{"poets", "Ada"}},
	{"add-channel", "POST", "/v1/channels", `{"name": "spies", "members": ["Bob"]}`, 404, []string{"Bob?"}},
	{"get-channel", "GET", "/v1/channels/poets", "", 404, []string{"Ada"}},
	{"get-channel", "GET", "/v1/channels/poet", "", 404, []string{"poets"}},
	{"invite-member", "PUT", "/v1/channels/poets/members/Eve", "", 404, nil},
	{"remove-member", "DELETE", "/v1/channels/poets/members/DataBot", "", 404, nil},
	{"read-channel", "POST", "/v1/channels/poets/read", `{"upto": 1}`, 404, nil},
	{"post-message", "POST", "/v1/posts", `{"channel": "poets", "message": "Hello?"}`, 404, nil},
	{"post-message", "POST", "/v1/posts", `{"between": ["Ada", "Bob"], "message": "Hello?"}`, 404, nil},
	{"list-messages", "GET", "/v1/messages?channel=poets", "", 404, nil},
	{"list-messages", "GET", "/v1/messages?thread=thread-2", "", 404, nil},
	{"get-message", "GET", "/v1/messages/msg-3", "", 404, nil},
	{"delete-channel", "DELETE", "/v1/channels/poets", "", 404, nil},
	{"follow-events", "GET", "/v1/events?follow=false", "", 200, []string{"Ada", "task-102"}},
}

// Eve, of the team other, tries every operation on things of Ada and Bob. The
// agents have the same names in both teams.
func TestNoOneReadsAnotherTeam(t *testing.T) {
	w := newWorld(t)
	w.fill()
	before := w.everything("Ada")
	for _, p := range probes {
		status, body := w.do("Eve", p.method, p.path, p.body)
		if status != p.want {
			t.Errorf("%s %s: %d %s", p.method, p.path, status, body)
		}
		if status == http.StatusNotFound && !strings.Contains(body, `"kind":"not_found"`) {
			t.Errorf("%s %s: %s", p.method, p.path, body)
		}
		for _, secret := range append(p.hides, "poem") {
			if strings.Contains(body, secret) {
				t.Errorf("%s %s tells of %q: %s", p.method, p.path, secret, body)
			}
		}
	}
	if after := w.everything("Ada"); after != before {
		t.Errorf("something changed.\nbefore: %s\nafter: %s", before, after)
	}
}

// fill gives the team main one of everything.
func (w *world) fill() {
	w.t.Helper()
	ada := w.as("Ada")
	for _, text := range []string{"Write a poem.", "Write another poem."} {
		if _, err := ada.Contact(w.t.Context(), api.ContactRequest{Action: "delegate", Agent: "Bob", Message: text}); err != nil {
			w.t.Fatal(err)
		}
	}
	if _, err := ada.Cancel(w.t.Context(), "task-102"); err != nil {
		w.t.Fatal(err)
	}
	w.storeApproval(101)
	if _, err := ada.AddChannel(w.t.Context(), api.ChannelRequest{Name: "poets", Members: []string{"DataBot"}}); err != nil {
		w.t.Fatal(err)
	}
	if _, err := ada.Post(w.t.Context(), api.PostRequest{Channel: "#poets", Message: "A poem for all."}); err != nil {
		w.t.Fatal(err)
	}
	if status, body := w.do("Ada", "POST", "/v1/keepers", `{"topic": "poems", "messages": [{"role": "user", "content": "A verse of a poem."},
		{"role": "assistant", "content": "Yes."}, {"role": "user", "content": "More."}, {"role": "user", "content": "More."}]}`); status != 200 {
		w.t.Fatalf("%d %s", status, body)
	}
	if _, err := ada.AskQuestion(w.t.Context(), api.QuestionRequest{Question: "Which poem?", Target: "Bob"}); err != nil {
		w.t.Fatal(err)
	}
	w.claim("Ada", "secret.go")
	w.schedule("DataBot", "Write a nightly poem.")
	if _, err := w.hub.Sessions.OpenWithToken(w.t.Context(), w.tokens["Ada"], "Poemfox"); err != nil {
		w.t.Fatal(err)
	}
}

// schedule gives an agent of the team main something to do every night.
func (w *world) schedule(agent, message string) {
	w.t.Helper()
	e, err := w.hub.Directory.Find(w.teams[parley.MainTeam].ID, agent)
	if err != nil {
		w.t.Fatal(err)
	}
	nightly, err := timing.Cron("0 3 * * *", "Europe/Berlin")
	if err != nil {
		w.t.Fatal(err)
	}
	err = w.hub.Schedules.Sync(w.t.Context(), e.Team, schedule.Files{Entries: []contact.Scheduled{
		{Team: e.Team, Agent: e.ID, Entry: "nightly", Timing: nightly, Message: message, Channel: "poets", Budget: parley.Budget{Tasks: 3}, Skip: true}}})
	if err != nil {
		w.t.Fatal(err)
	}
}

// claim makes somebody hold a claim on a file.
func (w *world) claim(as, path string) {
	w.t.Helper()
	err := w.store.Update(w.t.Context(), func(tx *store.Tx) error {
		team, err := tx.TeamByName(parley.MainTeam)
		if err != nil {
			return err
		}
		holder, err := tx.AgentByName(team.ID, as)
		tx.PutClaim(parley.Claim{Team: team.ID, Path: path, Lines: parley.Lines{From: 3, To: parley.LastLine}, Agent: holder.ID, Until: tx.Now.Add(time.Hour)})
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	want := `{"claims":[{"path":"secret.go","from_line":3,"holder":"Ada","until":"2030-01-31T13:00:00Z"}]}`
	if _, body := w.do(as, http.MethodGet, "/v1/claims", ""); strings.TrimSpace(body) != want {
		w.t.Errorf("the claims are %s", body)
	}
}

// storeApproval makes a task wait for approval, as if its agent wanted to write
// a poem.
func (w *world) storeApproval(id parley.TaskID) {
	w.t.Helper()
	err := w.store.Update(w.t.Context(), func(tx *store.Tx) error {
		tasks, err := tx.LockTasks(id)
		if err != nil {
			return err
		}
		t := tasks[0]
		t.Approvals++
		tx.UpdateProgress(&t)
		tx.InsertApproval(&parley.Approval{Team: t.Team, Task: t.ID, Turn: 1, Call: "c", Agent: t.Agent, Tool: "write",
			Args: `{"text":"A poem."}`, Rule: "behavior strict", Reason: "Because.", ExpiresAt: tx.Now.Add(time.Hour)})
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// everything returns all that a person can read of the team.
func (w *world) everything(as string) string {
	var all strings.Builder
	for _, path := range []string{"/v1/tasks", "/v1/agents", "/v1/messages?of=Ada&with=Bob", "/v1/messages/msg-1", "/v1/inbox", "/v1/approvals", "/v1/channels", "/v1/keepers", "/v1/keepers/keeper-1", "/v1/messages?channel=poets", "/v1/agents/DataBot/rules", "/v1/sessions", "/v1/events?follow=false"} {
		_, body := w.do(as, http.MethodGet, path, "")
		all.WriteString(body)
	}
	return all.String()
}

// A new operation needs a probe.
func TestEveryOperationIsProbed(t *testing.T) {
	w := newWorld(t)
	_, text := w.do("", http.MethodGet, "/openapi.json", "")
	var document struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID, Summary, Description string
			Responses                         map[string]struct{ Description string }
		}
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(document.OpenAPI, "3.1") {
		t.Errorf("OpenAPI %s", document.OpenAPI)
	}
	probed := map[string]bool{}
	for _, p := range probes {
		probed[p.operation] = true
	}
	for path, methods := range document.Paths {
		for method, op := range methods {
			if !probed[op.OperationID] {
				t.Errorf("%s %s (%s) is not probed by another team", method, path, op.OperationID)
			}
			if op.Summary == "" || op.Description == "" || len(op.Responses) < 5 || op.Responses["200"].Description == "" {
				t.Errorf("%s %s is not documented: %+v", method, path, op)
			}
		}
	}
	if len(document.Paths) == 0 || strings.Contains(text, "ErrorModel") {
		t.Error("the document is not ours")
	}
}
