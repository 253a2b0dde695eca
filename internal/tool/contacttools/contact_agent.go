package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/tool"
)

//go:embed contact_agent.md
var contactAgentText string

var contactAgentSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"action": {"type": "string", "enum": ["ask", "delegate", "notify"], "description": "How to contact the agent."},
		"agentId": {"type": "string", "description": "The agent to contact, by name."},
		"message": {"type": "string", "description": "The question, the work to do, or the notification."},
		"context": {"type": "string", "description": "Background that the agent needs; it does not see your conversation."},
		"priority": {"type": "string", "enum": ["low", "normal", "high", "urgent"], "description": "For delegate only; normal if left out."}
	},
	"required": ["action", "agentId", "message"]
}`)

func contactAgent(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "contact_agent", Description: contactAgentText, Schema: contactAgentSchema},
		Replays: true, Contacts: true, Peer: "agentId",
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Action   string `json:"action"`
				AgentID  string `json:"agentId"`
				Message  string `json:"message"`
				Context  string `json:"context"`
				Priority string `json:"priority"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			pattern, err := parley.ParsePattern(args.Action)
			if err != nil {
				return tool.Result{}, err
			}
			priority, err := parley.ParsePriority(args.Priority)
			if err != nil {
				return tool.Result{}, err
			}
			r := contact.Request{Target: args.AgentID, Message: args.Message, Context: args.Context, Priority: priority, Key: c.Key}
			switch pattern {
			case parley.Ask:
				return ask(ctx, contacts, Caller(c), r)
			case parley.Delegate:
				made, err := contacts.Delegate(ctx, Caller(c), r)
				return tool.Result{Text: parley.DelegatedText(made.Target, made.Task.ID)}, err
			default:
				made, err := contacts.Notify(ctx, Caller(c), r)
				return tool.Result{Text: parley.NotifiedText(made.Target)}, err
			}
		},
	}
}

func ask(ctx context.Context, contacts *contact.Service, c access.Caller, r contact.Request) (tool.Result, error) {
	a, err := contacts.Ask(ctx, c, r)
	if err != nil {
		return tool.Result{}, err
	}
	return Answered(a), nil
}

// Answered puts an answer into words.
func Answered(a contact.Response) tool.Result {
	res := tool.Result{Text: parley.ResponseText(a.Target, a.Text)}
	if a.Reply != 0 {
		res.Seen = []parley.MessageID{a.Reply}
	}
	return res
}
