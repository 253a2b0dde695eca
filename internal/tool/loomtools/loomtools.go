// Package loomtools is the toolset "loom": what the team knows, and working on one
// thing together without undoing each other's work.
package loomtools

import (
	"encoding/json"

	"parley"
	"parley/internal/claim"
	"parley/internal/contact"
	"parley/internal/keeper"
	"parley/internal/policy"
	"parley/internal/tool"
)

// New makes the toolset.
func New(contacts *contact.Service, claims *claim.Service, keepers *keeper.Service) []tool.Tool {
	t := teller{contacts: contacts, claims: claims}
	return []tool.Tool{
		peerMessage(contacts),
		peerDiscovery(t),
		peerClaimRegion(claims),
		peerReview(contacts),
		peerCreateTask(contacts),
		peerIntent(t),
		peerPlanRevision(t),
		peerAskQuestion(contacts),
		peerAnswerQuestion(contacts),
		peerForwardQuestion(contacts),
		contextOffload(keepers),
		contextRetrieve(keepers),
	}
}

// onPath names for the rules what is done to a file. Arguments that name none are
// refused when the tool reads them.
func onPath(verb string) func(json.RawMessage) string {
	return func(raw json.RawMessage) string {
		var args struct {
			Path string `json:"path"`
		}
		path := ""
		if tool.Decode(raw, &args) == nil {
			path, _ = parley.CleanPath(args.Path)
		}
		return policy.Action(policy.TaskOp, verb+" "+path)
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
