package httpapi_test

import (
	"strings"
	"testing"

	"parley"
	"parley/api"
	"parley/internal/policy"
)

// ruleJoiner gives the client agent other rules, as a reload does.
func (w *world) ruleJoiner(preset string, b policy.Behavior) {
	w.t.Helper()
	e, err := w.hub.Directory.Find(w.teams["main"].ID, "Joiner")
	if err != nil {
		w.t.Fatal(err)
	}
	profile, err := policy.NewProfile(preset, policy.Patterns{})
	if err != nil {
		w.t.Fatal(err)
	}
	e.Rules = &policy.Rules{Profile: profile, Behavior: b}
	w.hub.Directory.Put(e)
}

// reportToJoiner makes the client agent somebody's manager.
func (w *world) reportToJoiner(name string) {
	w.t.Helper()
	e, err := w.hub.Directory.Find(w.teams["main"].ID, name)
	if err != nil {
		w.t.Fatal(err)
	}
	e.Rules = &policy.Rules{Manager: parley.FoldName("Joiner")}
	w.hub.Directory.Put(e)
}

// Some things that a client agent does over HTTP are tools for a native agent.
// The same rule decides about both, under the same name.
func TestAProfileHoldsAtTheHTTPDoor(t *testing.T) {
	w := newWorld(t)
	joiner := w.as("Joiner")
	mine, err := joiner.Contact(t.Context(), api.ContactRequest{Action: "delegate", Agent: "Bob", Message: "Look at this."})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := w.as("Ada").Contact(t.Context(), api.ContactRequest{Action: "delegate", Agent: "Joiner", Message: "And you at this."})
	if err != nil {
		t.Fatal(err)
	}
	w.reportToJoiner("Bob")
	number, err := parley.ParseTaskID(mine.Task.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.storeApproval(number)
	if status, body := w.do("Ada", "POST", "/v1/channels", `{"name": "room", "members": ["Joiner"]}`); status != 200 {
		t.Fatal(body)
	}
	task, message, work := mine.Task.ID, mine.Message, asked.Task.ID
	const sleep = `{"status": "sleep", "until": "2031-01-01T00:00:00Z"}`
	for _, test := range []struct {
		preset             string
		behavior           policy.Behavior
		method, path, body string
		want               int
		action             string // of the refusal, or the approval that it waits for
	}{
		{"locked", policy.Autonomous, "GET", "/v1/agents", "", 403, "tool:agent_comm:list"},
		{"locked", policy.Autonomous, "PUT", "/v1/agents/Joiner/status", sleep, 403, "tool:self:sleep"},
		{"locked", policy.Autonomous, "GET", "/v1/tasks/" + task, "", 403, "tool:task:status " + task},
		{"locked", policy.Autonomous, "GET", "/v1/tasks/" + task + "/tree", "", 403, "tool:task:status " + task},
		{"locked", policy.Autonomous, "GET", "/v1/tasks/" + task + "/trace", "", 403, "tool:task:status " + task},
		{"locked", policy.Autonomous, "GET", "/v1/tasks/" + task + "/wait?seconds=0", "", 403, "tool:task:await " + task},
		{"locked", policy.Autonomous, "POST", "/v1/tasks/" + task + "/cancel", "", 403, "tool:task:cancel " + task},
		{"locked", policy.Autonomous, "GET", "/v1/messages/" + message, "", 403, "tool:task:status " + message},
		{"locked", policy.Autonomous, "POST", "/v1/approvals/approval-1/approve", "", 403, "tool:task:approve approval-1"},
		{"locked", policy.Autonomous, "POST", "/v1/approvals/approval-1/deny", "{}", 403, "tool:task:deny approval-1"},
		{"locked", policy.Autonomous, "GET", "/v1/messages?channel=room", "", 403, "tool:channel:read #room"},
		// Its own work needs no rule.
		{"locked", policy.Autonomous, "GET", "/v1/inbox", "", 200, ""},
		{"locked", policy.Autonomous, "GET", "/v1/tasks/" + work, "", 200, ""},
		{"guarded", policy.Autonomous, "GET", "/v1/agents", "", 200, ""},
		{"guarded", policy.Autonomous, "GET", "/v1/messages?channel=room", "", 200, ""},
		{"guarded", policy.Autonomous, "GET", "/v1/tasks/" + task + "/wait?seconds=0", "", 200, ""},
		{"guarded", policy.Autonomous, "POST", "/v1/tasks/" + task + "/cancel", "", 403, "approval-2: cancel-task"},
		{"standard", policy.Supervised, "GET", "/v1/agents", "", 200, ""},
		{"standard", policy.Supervised, "PUT", "/v1/agents/Joiner/status", sleep, 403, "approval-3: set-status"},
		{"open", policy.Strict, "GET", "/v1/agents", "", 403, "approval-4: list-agents"},
		{"standard", policy.Autonomous, "PUT", "/v1/agents/Joiner/status", sleep, 200, ""},
		{"standard", policy.Autonomous, "GET", "/v1/messages/" + message, "", 200, ""},
		{"standard", policy.Autonomous, "POST", "/v1/tasks/" + task + "/cancel", "", 200, ""},
	} {
		w.ruleJoiner(test.preset, test.behavior)
		status, body := w.do("Joiner", test.method, test.path, test.body)
		if status != test.want {
			t.Errorf("%s, %v: %s %s: %d %s", test.preset, test.behavior, test.method, test.path, status, body)
		}
		_, events := w.do("Ada", "GET", "/v1/events?follow=false", "")
		last := events[strings.LastIndex(events, "\ndata: "):]
		record := `"kind":"tool.refused","actor":"Joiner"` + "|" + `"detail":"` + test.action + ": "
		if strings.HasPrefix(test.action, "approval-") {
			record = `"kind":"approval.requested","actor":"Joiner"` + "|" + `"detail":"` + test.action + " [rule: "
		}
		kind, detail, _ := strings.Cut(record, "|")
		if refused := strings.Contains(last, kind) && strings.Contains(last, detail); test.action != "" && !refused {
			t.Errorf("%s %s: the record ends with %s", test.method, test.path, last)
		}
	}
}
