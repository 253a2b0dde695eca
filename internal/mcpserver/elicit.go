package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/reading"
	"parley/internal/tool"
)

// A client that can ask its user is given, when it waits for messages, what this very
// token may decide or answer: the approvals of people and managers, and what a person was
// asked. Nobody is asked about a call of their own. The use case checks it all again: what
// a client sends back is not believed.

// asking is the tool whose calls may ask the user.
const asking = "wait_for_messages"

// matter is what the user is asked about. It travels through the client.
type matter struct {
	Approval string `json:"approval,omitempty"` // the whole id
	Digest   string `json:"digest,omitempty"`
	Task     string `json:"task,omitempty"`
}

// askedBefore are the matters that users were asked about, so that whoever puts one off is
// not asked again and again. A restart forgets them.
type askedBefore struct {
	mu   sync.Mutex
	what map[string]struct{}
}

const mostAsked = 10000

func (a *askedBefore) first(agent parley.AgentID, m matter) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := fmt.Sprint(agent, m)
	if _, before := a.what[key]; before {
		return false
	}
	if a.what == nil || len(a.what) >= mostAsked {
		a.what = map[string]struct{}{}
	}
	a.what[key] = struct{}{}
	return true
}

// elicit asks the user of a client about the next matter; nil if there is none.
func (d *Door) elicit(ctx context.Context, req *mcp.CallToolRequest, v *visit, t tool.Tool) *mcp.CallToolResult {
	if t.Name != asking || !canElicit(req) {
		return nil
	}
	m, params := d.nextMatter(ctx, v)
	if params == nil {
		return nil
	}
	state, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"decision": params}, RequestState: string(state)}
}

// canElicit reports whether the client can ask its user with a form.
func canElicit(req *mcp.CallToolRequest) bool {
	can := req.ClientCapabilities()
	return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

func (d *Door) nextMatter(ctx context.Context, v *visit) (matter, *mcp.ElicitParams) {
	waiting, err := d.cfg.Reading.Deciding(ctx, v.caller, mostListed)
	if err != nil {
		return matter{}, nil
	}
	for _, a := range waiting {
		m := matter{Approval: a.Name, Digest: a.ShortDigest()}
		if a.Agent != v.caller.Agent && d.asked.first(v.caller.Agent, m) {
			return m, d.askDecision(ctx, a)
		}
	}
	return d.nextQuestion(ctx, v)
}

// mostArgs is how much of a call is shown. What is cut is said.
const mostArgs = 4000

func (d *Door) askDecision(ctx context.Context, a reading.Approval) *mcp.ElicitParams {
	args := a.Args
	if cut := []rune(args); len(cut) > mostArgs {
		args = string(cut[:mostArgs]) + fmt.Sprintf("… (%d more characters are not shown)", len(cut)-mostArgs)
	}
	text := fmt.Sprintf("%s asks for approval of a call (%s, digest %s).\n\nTool: %s\nArguments: %s\n\nWhy it is asked for: %s",
		d.cfg.Reading.Name(ctx, a.Agent), a.Name, a.ShortDigest(), a.Tool, args, a.Reason)
	return &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: json.RawMessage(`{"type":"object","properties":{` +
		`"decision":{"type":"string","title":"Decision","enum":["approve","deny","later"],"description":"Approve it, deny it, or decide later."},` +
		`"reason":{"type":"string","title":"Reason","description":"For a denial: what the agent is told."}},"required":["decision"]}`)}
}

// nextQuestion is what a person was asked and has not answered.
func (d *Door) nextQuestion(ctx context.Context, v *visit) (matter, *mcp.ElicitParams) {
	me, err := d.cfg.Reading.Agent(ctx, v.caller, d.cfg.Reading.Name(ctx, v.caller.Agent))
	if err != nil || me.Kind != parley.Person {
		return matter{}, nil
	}
	open, err := d.cfg.Desk.Tasks(ctx, v.caller)
	if err != nil {
		return matter{}, nil
	}
	for _, t := range open {
		m := matter{Task: t.ID.String()}
		if t.Pattern != parley.Ask && t.Pattern != parley.Delegate || !d.asked.first(v.caller.Agent, m) {
			continue
		}
		asked, err := d.cfg.Reading.Message(ctx, v.caller, t.Request)
		if err != nil {
			continue
		}
		return m, &mcp.ElicitParams{Mode: "form", Message: parley.MessageText(d.cfg.Reading.Name(ctx, asked.Author), asked.Message),
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string","title":"Answer",` +
				`"description":"It ends ` + t.ID.String() + `; leave it empty to answer later."}}}`)}
	}
	return matter{}, nil
}

// settle does what the user decided, and says so; empty if nothing was decided.
func (d *Door) settle(ctx context.Context, req *mcp.CallToolRequest, v *visit) (string, error) {
	said, ok := req.Params.InputResponses["decision"].(*mcp.ElicitResult)
	var m matter
	if !ok || said.Action != "accept" || json.Unmarshal([]byte(req.Params.RequestState), &m) != nil {
		return "", nil
	}
	v.caller.Key = keyOf(req) // a repeated answer finds what was decided
	if m.Task != "" {
		return d.answerFor(ctx, v, m.Task, word(said, "answer"))
	}
	ref, err := parley.ParseApprovalRef(m.Approval)
	if err != nil {
		return "", err
	}
	ref.Digest = m.Digest
	var decided parley.Approval
	switch word(said, "decision") {
	case "approve":
		if decided, err = d.cfg.Contacts.Approve(ctx, v.caller, ref); err == nil {
			return "Your user approved " + decided.Name() + ".", nil
		}
	case "deny":
		if decided, err = d.cfg.Contacts.Deny(ctx, v.caller, ref, word(said, "reason")); err == nil {
			return "Your user denied " + decided.Name() + ".", nil
		}
	}
	return "", err
}

func (d *Door) answerFor(ctx context.Context, v *visit, task, answer string) (string, error) {
	id, err := parley.ParseTaskID(task)
	if err != nil || strings.TrimSpace(answer) == "" {
		return "", err
	}
	if err := d.cfg.Desk.Complete(ctx, v.caller, id, answer); err != nil {
		return "", err
	}
	return "Your user answered; " + id.String() + " is completed.", nil
}

func word(said *mcp.ElicitResult, name string) string {
	text, _ := said.Content[name].(string)
	return text
}
