// Package loomtools is the toolset "loom": what the team knows, and working on one
// thing together without undoing each other's work.
package loomtools

import (
	"parley"
	"parley/internal/claim"
	"parley/internal/contact"
	"parley/internal/keeper"
	"parley/internal/tool"
)

// New makes the toolset.
func New(contacts *contact.Service, claims *claim.Service, keepers *keeper.Service) []tool.Tool {
	t := teller{contacts: contacts, claims: claims}
	return []tool.Tool{
		peerMessage(contacts),
		peerDiscovery(t),
		peerClaimRegion(t),
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

// newTool makes a tool of this set. A call may name its team, as agents do that were
// written for the protocol of this set; it is always the caller's own.
func newTool[Args any](s tool.Spec[Args]) tool.Tool {
	s.Ignores = []string{"team_id"}
	return tool.New(s)
}

// orMiss makes a result of what is no mistake of the model's: a question that is
// closed by now, or was forwarded often enough.
func orMiss(text string, err error) (tool.Result, error) {
	if parley.IsQuestionGone(err) {
		return tool.Result{Text: parley.Public(err)}, nil
	}
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: text}, nil
}
