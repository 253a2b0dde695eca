package mcpserver_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/contact"
)

// user answers what a client asks, and remembers it.
type user struct {
	mu     sync.Mutex
	asked  []string
	answer func(message string) *mcp.ElicitResult
}

func (u *user) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.asked = append(u.asked, req.Params.Message)
		return u.answer(req.Params.Message), nil
	}}
}

func (u *user) heard() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.asked
}

func accept(content map[string]any) func(string) *mcp.ElicitResult {
	return func(string) *mcp.ElicitResult { return &mcp.ElicitResult{Action: "accept", Content: content} }
}

// wants makes GuardedBot want something that needs approval.
func (w *world) wants(message string) parley.ApprovalID {
	w.t.Helper()
	_, err := w.hub.Contacts.Notify(w.t.Context(), w.caller("GuardedBot"), contact.Request{Target: "DataBot", Message: message})
	need, ok := parley.AsNeedsApproval(err)
	if !ok {
		w.t.Fatal(err)
	}
	return need.Approval
}

func (w *world) state(id parley.ApprovalID) parley.ApprovalState {
	w.t.Helper()
	a, err := w.hub.Reading.Approval(w.t.Context(), w.caller("Ada"), parley.ApprovalRef{ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return a.State
}

var nowait = map[string]any{"wait_seconds": 0}

// The user of a person's client, and of a manager's, decides in the middle of a call that
// waits for messages.
func TestTheUserOfAClientDecides(t *testing.T) {
	for _, version := range versions {
		for _, who := range []string{"Ada", "ToolBot"} {
			for word, want := range map[string]parley.ApprovalState{"approve": parley.ApprovalApproved, "deny": parley.ApprovalDenied, "later": parley.ApprovalPending} {
				t.Run(version+" "+who+" "+word, func(t *testing.T) {
					w := newWorld(t)
					id := w.wants("Delete everything.")
					u := &user{answer: accept(map[string]any{"decision": word, "reason": "Not today."})}
					text := w.connect(who, version, u.options()).says("wait_for_messages", nowait)
					if w.state(id) != want {
						t.Errorf("%s: %s", w.state(id), text)
					}
					if asked := u.heard(); len(asked) != 1 || !strings.Contains(asked[0], "GuardedBot") || !strings.Contains(asked[0], "Delete everything.") ||
						!strings.Contains(asked[0], "digest ") {
						t.Errorf("%q", asked)
					}
				})
			}
		}
	}
}

// What the user puts off, or refuses to answer, is not asked again and again.
func TestTheUserIsAskedOnce(t *testing.T) {
	w := newWorld(t)
	id := w.wants("Delete everything.")
	for _, action := range []string{"decline", "cancel"} {
		u := &user{answer: func(string) *mcp.ElicitResult { return &mcp.ElicitResult{Action: action} }}
		ada := w.connect(map[string]string{"decline": "Ada", "cancel": "Bob"}[action], alone, u.options())
		for range 3 {
			ada.says("wait_for_messages", nowait)
		}
		if len(u.heard()) != 1 {
			t.Errorf("%s: asked %d times", action, len(u.heard()))
		}
	}
	if w.state(id) != parley.ApprovalPending {
		t.Error(w.state(id))
	}
}

// Nobody's client asks about a call of its own, nor about what is somebody else's to
// decide; and a client that makes the answer up gets no further than its token does.
func TestOnlyWhatTheTokenMayDecideIsAsked(t *testing.T) {
	w := newWorld(t)
	id := w.wants("Delete everything.")
	shown, err := w.hub.Reading.Approval(t.Context(), w.caller("Ada"), parley.ApprovalRef{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"GuardedBot", "CoderBot"} {
		for _, version := range versions {
			u := &user{answer: accept(map[string]any{"decision": "approve"})}
			w.connect(who, version, u.options()).says("wait_for_messages", nowait)
			if len(u.heard()) != 0 {
				t.Errorf("%s was asked %q", who, u.heard())
			}
		}
		c := w.connect(who, alone, nil)
		state := `{"approval":"` + shown.Name + `","digest":"` + shown.ShortDigest() + `"}`
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait_for_messages", Arguments: nowait, RequestState: state,
			InputResponses: mcp.InputResponseMap{"decision": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve"}}}})
		if err != nil || !res.IsError || w.state(id) != parley.ApprovalPending {
			t.Errorf("%s: %v, %v, %s", who, res, err, w.state(id))
		}
	}
	// A manager needs the digest, whatever its client sends.
	manager := w.connect("ToolBot", alone, nil)
	for _, state := range []string{`{"approval":"` + id.String() + `"}`, `{"approval":"` + shown.Name + `","digest":"000000000000"}`} {
		res, err := manager.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait_for_messages", Arguments: nowait, RequestState: state,
			InputResponses: mcp.InputResponseMap{"decision": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve"}}}})
		if err != nil || !res.IsError || w.state(id) != parley.ApprovalPending {
			t.Errorf("%s: %v, %v, %s", state, res, err, w.state(id))
		}
	}
}

// A person answers through the client what an agent asks.
func TestTheUserAnswersAQuestion(t *testing.T) {
	for _, version := range versions {
		w := newWorld(t)
		id := w.delegate("CoderBot", "Ada", "Which colour?")
		u := &user{answer: accept(map[string]any{"answer": "Blue."})}
		text := w.connect("Ada", version, u.options()).says("wait_for_messages", nowait)
		if task, err := w.hub.Reading.Task(t.Context(), w.caller("Ada"), id); err != nil || task.Text != "Blue." {
			t.Error(task, err, text)
		}
		if asked := u.heard(); len(asked) != 1 || !strings.Contains(asked[0], "Which colour?") || !strings.Contains(asked[0], "CoderBot") {
			t.Errorf("%q", asked)
		}
	}
}

// People approve by a tool, too.
func TestAPersonApprovesByATool(t *testing.T) {
	w := newWorld(t)
	id := w.wants("Delete everything.")
	ada := w.connect("Ada", alone, nil)
	if text := ada.says("list_approvals", nil); !strings.Contains(text, id.String()) || !strings.Contains(text, "Delete everything.") {
		t.Error(text)
	}
	ada.says("approve_action", map[string]any{"approval_id": id.String()})
	if w.state(id) != parley.ApprovalApproved {
		t.Error(w.state(id))
	}
}
