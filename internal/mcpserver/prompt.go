package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
)

// addPrompts offers what people like to begin with.
func (s *server) addPrompts() {
	s.AddPrompt(&mcp.Prompt{Name: "join", Title: "Join the team", Description: "Begin to work as a member of the team."}, s.join)
	s.AddPrompt(&mcp.Prompt{Name: "hand_over", Title: "Hand work over", Description: "Give work to somebody who can do it.", Arguments: []*mcp.PromptArgument{
		{Name: "work", Title: "Work", Description: "What is to be done.", Required: true},
		{Name: "to", Title: "To", Description: "Who is to do it; left out, whoever fits best."},
	}}, s.handOver)
	s.AddPrompt(&mcp.Prompt{Name: "catch_up", Title: "Catch up", Description: "Find out what has happened and what waits for you."}, s.catchUp)
}

func (s *server) join(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "You are %s, a member of a team of agents and people that works together through the parley tools.\n\n", s.door.cfg.Reading.Name(ctx, s.caller.Agent))
	if others, err := s.door.cfg.Reading.Others(ctx, s.caller); err == nil && len(others) > 0 {
		b.WriteString("The others:\n")
		for _, a := range others[:min(len(others), mostListed)] {
			b.WriteString("- " + a.Name + " (" + string(a.Kind) + ")")
			if a.Description != "" {
				b.WriteString(": " + parley.Entry(a.Description))
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	b.WriteString(strings.TrimSpace(instructions) + "\n\nBegin now: call wait_for_messages, deal with what comes, and call it again with its cursor until you are told to stop.")
	return said("How to work in the team", b.String()), nil
}

func (s *server) handOver(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	work, to := strings.TrimSpace(req.Params.Arguments["work"]), strings.TrimSpace(req.Params.Arguments["to"])
	if work == "" {
		return nil, parley.Errorf(parley.Invalid, "Say with work what is to be done.")
	}
	who := "Choose with list_agents who can do it best, and read their docs with read_agent_docs if in doubt."
	if to != "" {
		who = "It is for " + parley.Clip(to, 64) + "."
	}
	return said("Hand work over", fmt.Sprintf(`Hand this work over with contact_agent, action delegate:

%s

%s Put everything that is needed into message and context, since the other does not see this conversation: the aim, what is known, where the files are, and what the result should look like. Then go on with your own work. The result comes as a message: wait_for_messages shows it. Check it before you rely on it.`, work, who)), nil
}

func (s *server) catchUp(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	var b strings.Builder
	if n, err := s.door.cfg.Desk.Unread(ctx, s.caller); err == nil {
		fmt.Fprintf(&b, "%d messages wait for you. ", n)
	}
	b.WriteString("Catch up: read them with read_inbox until none is left, giving the cursor back each time, and list your tasks with my_tasks.")
	if groups, err := s.door.cfg.Reading.Groups(ctx, s.caller); err == nil {
		for _, g := range groups {
			if g.Unread > 0 {
				fmt.Fprintf(&b, " #%s has %d messages that you have not read: read_channel shows them.", g.Name, g.Unread)
			}
		}
	}
	b.WriteString(" Then say in a few sentences what happened, what is asked of you and what you will do first. Do not begin with the work yet.")
	return said("Catch up", b.String()), nil
}

func said(about, text string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Description: about, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
}
