package contacttools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
)

//go:embed ask_user.md
var askUserText string

type askUserArgs struct {
	Question string   `json:"question" required:"true" doc:"What you want to know, with what the person needs to answer it."`
	Options  []string `json:"options" doc:"Answers to choose from, if there are a few."`
	Person   string   `json:"person" doc:"Whom to ask, by name; the one whose task this is if left out."`
}

// askUser finds its answer by its key, so it may be run as often as the turn
// wants to look.
func askUser(contacts *contact.Service) tool.Tool {
	return tool.New(tool.Spec[askUserArgs]{
		Name: "ask_user", Title: "Ask a person", Description: askUserText,
		Replays: true, Contacts: true,
		Run: func(ctx context.Context, c tool.Call, args askUserArgs) (tool.Result, error) {
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
	})
}

// withOptions lists the answers that a person may choose from below the question, each on
// one line: its number stands for that line.
func withOptions(question string, options []string) string {
	var lines []string
	for _, option := range options {
		if words := strings.Fields(option); len(words) > 0 {
			lines = append(lines, fmt.Sprintf("%d. %s", len(lines)+1, strings.Join(words, " ")))
		}
	}
	if lines == nil {
		return question
	}
	return question + "\n\n" + strings.Join(lines, "\n")
}
