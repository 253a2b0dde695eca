package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/contact"
	"parley/internal/model"
	"parley/internal/tool"
)

//go:embed ask_user.md
var askUserText string

var askUserSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"question": {"type": "string", "description": "What you want to know, with what the person needs to answer it."},
		"options": {"type": "array", "items": {"type": "string"}, "description": "Answers to choose from, if there are a few."},
		"person": {"type": "string", "description": "Whom to ask, by name; the one whose task this is if left out."}
	},
	"required": ["question"]
}`)

// askUser finds its answer by its key, so it may be run as often as the turn
// wants to look.
func askUser(contacts *contact.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "ask_user", Description: askUserText, Schema: askUserSchema},
		Replays: true, Contacts: true,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			var args struct {
				Question string   `json:"question"`
				Options  []string `json:"options"`
				Person   string   `json:"person"`
			}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			if strings.TrimSpace(args.Question) == "" {
				return tool.Result{}, parley.Errorf(parley.Invalid, "The question is empty.").WithHint("Say what you want to know.")
			}
			r := contact.Request{Target: args.Person, Message: withOptions(args.Question, args.Options), Key: c.Key}
			a, err := contacts.AskPerson(ctx, Caller(c), r)
			if err != nil {
				return tool.Result{}, err
			}
			return Answered(a), nil
		},
	}
}

// withOptions lists the answers that a person may choose from below the question.
func withOptions(question string, options []string) string {
	if len(options) == 0 {
		return question
	}
	lines := []string{question, ""}
	for i, option := range options {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, option))
	}
	return strings.Join(lines, "\n")
}
