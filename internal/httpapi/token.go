package httpapi

import (
	"context"
	"net/http"
	"time"

	"parley"
	"parley/api"
	"parley/internal/token"
)

func (s *Server) registerTokens() {
	const tag = "Tokens"
	const people = " Only people may do this."
	missing := []parley.Kind{parley.NotFound}
	handle(s, operation{id: "create-token", method: http.MethodPost, path: "/v1/tokens", tag: tag,
		summary: "Make a token",
		description: "Makes a token for a client agent or a person of your team. The response is the only place where it is ever shown." + people +
			" If the response was lost, the same key gets the same token with a new secret, as long as it was not used.",
		errors: missing}, s.createToken)
	handle(s, operation{id: "list-tokens", method: http.MethodGet, path: "/v1/tokens", tag: tag,
		summary: "List tokens", description: "The tokens of your team, without their secrets." + people}, s.listTokens)
	handle(s, operation{id: "revoke-token", method: http.MethodDelete, path: "/v1/tokens/{id}", tag: tag,
		summary:     "Revoke a token",
		description: "Ends one token at once. What waits with it ends too. Repeating it changes nothing." + people, errors: missing}, s.revokeToken)
	handle(s, operation{id: "add-person", method: http.MethodPost, path: "/v1/people", tag: tag,
		summary:     "Add a person",
		description: "Adds a person to the team's files and makes a token for them, which is shown only here." + people, errors: missing}, s.addPerson)
}

func (s *Server) createToken(ctx context.Context, in *struct{ Body api.TokenRequest }) (api.NewToken, error) {
	r := token.Request{For: in.Body.For, Label: in.Body.Label, Expires: time.Duration(in.Body.ExpiresIn * float64(time.Second))}
	made, err := s.cfg.Tokens.Create(ctx, caller(ctx), r)
	return s.newToken(ctx, made), err
}

func (s *Server) addPerson(ctx context.Context, in *struct{ Body api.PersonRequest }) (api.NewToken, error) {
	rules, err := s.rules(ctx)
	if err != nil {
		return api.NewToken{}, err
	}
	made, err := s.cfg.Tokens.AddPerson(ctx, caller(ctx), rules, in.Body.Name)
	return s.newToken(ctx, made), err
}

func (s *Server) newToken(ctx context.Context, m token.Made) api.NewToken {
	return api.NewToken{Secret: m.Secret, Token: tokenOf(token.Listed{Token: m.Token, Owner: m.Owner, By: s.name(ctx, m.CreatedBy)})}
}

func (s *Server) listTokens(ctx context.Context, in *struct {
	All bool `query:"all" doc:"Also those that cannot be used any more."`
}) (api.TokenList, error) {
	list, err := s.cfg.Tokens.List(ctx, caller(ctx), in.All)
	out := api.TokenList{Tokens: make([]api.Token, 0, len(list))}
	for _, t := range list {
		out.Tokens = append(out.Tokens, tokenOf(t))
	}
	return out, err
}

func (s *Server) revokeToken(ctx context.Context, in *struct {
	ID string `path:"id" example:"token-7" doc:"The token's id, not the token."`
}) (api.Token, error) {
	id, err := parley.ParseTokenID(in.ID)
	if err != nil {
		return api.Token{}, err
	}
	t, err := s.cfg.Tokens.Revoke(ctx, caller(ctx), id)
	t.By, t.Revoker = s.name(ctx, t.CreatedBy), s.name(ctx, t.RevokedBy)
	return tokenOf(t), err
}

func tokenOf(t token.Listed) api.Token {
	state := t.Ended
	if state == "" {
		state = "valid"
	}
	return api.Token{ID: t.ID.String(), For: t.Owner, Label: t.Label, State: state, Created: instant(t.CreatedAt), CreatedBy: t.By,
		Expires: moment(t.ExpiresAt), Used: moment(t.UsedAt), Revoked: moment(t.RevokedAt), RevokedBy: t.Revoker}
}
