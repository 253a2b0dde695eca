package httpapi

import (
	"context"
	"net/http"

	"parley"
	"parley/api"
	"parley/internal/claim"
)

func (s *Server) registerClaims() {
	handle(s, operation{id: "list-claims", method: http.MethodGet, path: "/v1/claims", tag: "Claims",
		summary:     "List claims",
		description: "Who in your team works on which files, and until when at most. Agents make claims with the tool peer_claim_region."}, s.listClaims)
}

func (s *Server) listClaims(ctx context.Context, _ *struct{}) (api.ClaimList, error) {
	list, err := s.cfg.Claims.List(ctx, caller(ctx))
	out := api.ClaimList{Claims: make([]api.Claim, 0, len(list))}
	for _, h := range list {
		out.Claims = append(out.Claims, claimOf(h))
	}
	return out, err
}

func claimOf(h claim.Held) api.Claim {
	c := api.Claim{Path: h.Path, From: h.Lines.From, To: h.Lines.To, Holder: h.Holder, Until: h.Until.Time().UTC()}
	if c.To == parley.LastLine {
		c.To = 0
	}
	if h.Task != 0 {
		c.TaskID = h.Task.String()
	}
	return c
}
