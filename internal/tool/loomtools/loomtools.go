// Package loomtools is the toolset "loom": agents that work on one thing and ask
// each other what they know of it.
package loomtools

import (
	"parley"
	"parley/internal/contact"
	"parley/internal/tool"
)

// New makes the toolset.
func New(contacts *contact.Service) []tool.Tool {
	return []tool.Tool{
		peerAskQuestion(contacts),
		peerAnswerQuestion(contacts),
		peerForwardQuestion(contacts),
	}
}

// orMiss makes a result of what is no mistake of the model's: a question that is
// closed by now, or was forwarded often enough.
func orMiss(text string, err error) (tool.Result, error) {
	if parley.IsQuestionMiss(err) {
		return tool.Result{Text: parley.Public(err)}, nil
	}
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: text}, nil
}
