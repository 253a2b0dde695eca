package contacttools

import (
	"context"
	_ "embed"

	"parley"
	"parley/internal/access"
	"parley/internal/contact"
	"parley/internal/tool"
)

//go:embed contact_agent.md
var contactAgentText string

type contactAgentArgs struct {
	Action   string `json:"action" required:"true" enum:"ask,delegate,notify" doc:"How to contact the agent."`
	AgentID  string `json:"agentId" alias:"target_agent,target" required:"true" doc:"The agent to contact, by name."`
	Message  string `json:"message" required:"true" doc:"The question, the work to do, or the notification."`
	Context  string `json:"context" doc:"Background that the agent needs; it does not see your conversation."`
	Priority string `json:"priority" enum:"low,normal,high,urgent" doc:"For delegate only; normal if left out."`
}

func contactAgent(contacts *contact.Service) tool.Tool {
	return tool.New(tool.Spec[contactAgentArgs]{
		Name: "contact_agent", Title: "Contact an agent", Description: contactAgentText,
		Replays: true, Contacts: true, Opens: true,
		Peer: func(a contactAgentArgs) string { return a.AgentID },
		Run: func(ctx context.Context, c tool.Call, args contactAgentArgs) (tool.Result, error) {
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
				return tool.Result{Text: made.NotifiedText()}, err
			}
		},
	})
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
