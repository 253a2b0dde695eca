// Package loomtools is the toolset "loom": what the team knows, and working on one
// thing together.
package loomtools

import (
	"parley"
	"parley/internal/contact"
	"parley/internal/keeper"
	"parley/internal/tool"
)

// New makes the toolset.
func New(contacts *contact.Service, keepers *keeper.Service) []tool.Tool {
	return []tool.Tool{
		peerAskQuestion(contacts),
		peerAnswerQuestion(contacts),
		peerForwardQuestion(contacts),
		contextOffload(keepers),
		contextRetrieve(keepers),
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
