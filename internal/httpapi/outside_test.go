package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/api"
	"parley/internal/policy"
	"parley/internal/token"
)

// clients are the programs of the team main with their rules. Trainee may contact
// nobody without approval. Joiner is its manager. Stranger has nothing to do with
// it.
var clients = map[string]*policy.Rules{
	"Joiner": nil, "Stranger": nil,
	"Trainee": {Manager: parley.FoldName("Joiner"), Behavior: policy.Supervised},
}

// supervise adds Trainee, with two tokens, and Stranger.
func (w *world) supervise() {
	w.t.Helper()
	w.join("main", "Ada", "Bob", "Joiner", "Trainee", "Stranger")
	e, err := w.hub.Directory.Find(w.teams["main"].ID, "Trainee")
	if err == nil {
		w.tokens["Trainee again"], err = token.Issue(w.t.Context(), w.store, e.ID)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

const wants = `{"action": "delegate", "agent": "databot", "message": "The revenue?", "key": "k"}`

// The response to a contact that needs approval is always a 202 of the same
// shape. The same key finds it again, and later its outcome.
func TestAContactWaitsForApproval(t *testing.T) {
	w := newWorld(t)
	w.supervise()
	for range 2 {
		status, body := w.do("Trainee", "POST", "/v1/contacts", wants)
		var got api.Contact
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusAccepted {
			t.Fatalf("%d %s", status, body)
		}
		if got.Agent != "DataBot" || got.Notice != parley.HeldText || got.Task != nil || got.Message != "" ||
			got.Approval == nil || got.Approval.ID != "approval-1" || got.Approval.State != "pending" {
			t.Errorf("%s", body)
		}
	}
	for who, want := range map[string]int{"Ada": 1, "Bob": 1, "Joiner": 1, "Trainee": 0, "Stranger": 0} {
		inbox, err := w.as(who).Inbox(t.Context(), 0)
		if err != nil || len(inbox.Approvals) != want {
			t.Errorf("%s may decide about %v: %v", who, inbox.Approvals, err)
		}
	}
	w.joinerApproves()
	made, err := w.as("Trainee").Contact(t.Context(), api.ContactRequest{Action: "delegate", Agent: "DataBot", Message: "The revenue?", Key: "k"})
	if err != nil || made.Task == nil || made.Approval != nil {
		t.Fatalf("%+v: %v", made, err)
	}
	a, err := w.as("Trainee").Approval(t.Context(), "approval-1")
	if err != nil || a.State != "approved" || a.Message != made.Message || a.Made != made.Task.ID || a.Task != "" {
		t.Errorf("%+v: %v", a, err)
	}
	task, err := w.as("Trainee").WaitTask(t.Context(), made.Task.ID, 0)
	if err != nil || task.Result != "42 million." {
		t.Errorf("%+v: %v", task, err)
	}
}

// The caller finds a denial in the inbox, in the approval and by the key. A
// contact that the caller withdraws is gone.
func TestAContactIsDeniedOrWithdrawn(t *testing.T) {
	w := newWorld(t)
	w.supervise()
	trainee := w.as("Trainee")
	w.do("Trainee", "POST", "/v1/contacts", wants)
	if _, err := w.as("Ada").Deny(t.Context(), "approval-1", "", "Not now."); err != nil {
		t.Fatal(err)
	}
	inbox, err := trainee.Inbox(t.Context(), 0)
	if err != nil || len(inbox.Items) != 1 || inbox.Items[0].Author != "Ada" ||
		inbox.Items[0].Body != "approval-1: Approval denied for contacting DataBot. Not now." {
		t.Errorf("%+v: %v", inbox, err)
	}
	status, body := w.do("Trainee", "POST", "/v1/contacts", wants)
	if status != http.StatusForbidden || !strings.Contains(body, "Approval denied for contacting DataBot.") {
		t.Errorf("%d %s", status, body)
	}
	w.do("Trainee", "POST", "/v1/contacts", strings.Replace(wants, `"k"`, `"l"`, 1))
	if a, err := trainee.Withdraw(t.Context(), "approval-2"); err != nil || a.State != "withdrawn" {
		t.Errorf("%+v: %v", a, err)
	}
	if _, err := w.as("Ada").Approve(t.Context(), "approval-2", ""); parley.KindOf(err) != parley.Conflict {
		t.Error(err)
	}
}

// joinerApproves has a program that is a manager approve: it is no person, so it says
// what it was shown.
func (w *world) joinerApproves() {
	w.t.Helper()
	joiner, ctx := w.as("Joiner"), w.t.Context()
	inbox, err := joiner.Inbox(ctx, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	a := inbox.Approvals[0]
	letters := strings.TrimPrefix(a.ID, "approval-1-")
	for name, ref := range map[string][2]string{
		"without letters":    {"approval-1", a.Digest},
		"with other letters": {"approval-1-aaaaaaaa", a.Digest},
		"without a digest":   {a.ID, ""},
		"with too little":    {a.ID, a.Digest[:11]},
		"with another":       {a.ID, strings.Repeat("0", 64)},
	} {
		if _, err := joiner.Approve(ctx, ref[0], ref[1]); len(letters) != 8 || parley.KindOf(err) != parley.Denied || parley.RuleOf(err) != "" && parley.RuleOf(err) != "shown" {
			w.t.Errorf("approved %s: %v", name, err)
		}
		if _, err := joiner.Deny(ctx, ref[0], ref[1], ""); parley.KindOf(err) != parley.Denied {
			w.t.Errorf("denied %s: %v", name, err)
		}
	}
	if _, err := joiner.Approve(ctx, a.ID, a.Digest[:12]); err != nil {
		w.t.Fatal(err)
	}
}
