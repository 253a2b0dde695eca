// Package loomtools is the toolset "loom": agents that work on the same thing
// tell each other what they do, so that none undoes another's work.
package loomtools

import (
	"encoding/json"

	"parley"
	"parley/internal/claim"
	"parley/internal/contact"
	"parley/internal/policy"
	"parley/internal/tool"
)

// New makes the toolset.
func New(contacts *contact.Service, claims *claim.Service) []tool.Tool {
	t := teller{contacts: contacts, claims: claims}
	return []tool.Tool{
		peerMessage(contacts),
		peerDiscovery(t),
		peerClaimRegion(claims),
		peerReview(contacts),
		peerCreateTask(contacts),
		peerIntent(t),
		peerPlanRevision(t),
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
