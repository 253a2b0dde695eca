package httpapi

import (
	"context"
	"net/http"

	"parley"
	"parley/api"
	"parley/internal/bridge"
)

func (s *Server) registerBridges() {
	const tag = "Chat programs"
	const people = " Only people may do this."
	missing := []parley.Kind{parley.NotFound}
	handle(s, operation{id: "link-account", method: http.MethodPost, path: "/v1/people/{name}/link", tag: tag,
		summary: "Make a code that links a chat account",
		description: "Makes a code that links an account of a chat program to a person, once, within ten minutes: the person sends it to the bot. People make it for themselves, and whoever runs the hub for anyone." + people +
			" The same key makes another code: nobody has the first if its response was lost.", errors: missing}, s.linkAccount)
	handle(s, operation{id: "list-accounts", method: http.MethodGet, path: "/v1/chat/accounts", tag: tag,
		summary: "List chat accounts", description: "The accounts of chat programs that belong to people of your team." + people}, s.listAccounts)
	handle(s, operation{id: "unlink-accounts", method: http.MethodDelete, path: "/v1/people/{name}/accounts", tag: tag,
		summary: "Unlink chat accounts", description: "Unlinks the accounts of a person at once. The response has those that were unlinked." + people, errors: missing}, s.unlinkAccounts)
}

func (s *Server) linkAccount(ctx context.Context, in *struct {
	Name string `path:"name" example:"Ada" doc:"The person's name."`
}) (api.ChatCode, error) {
	code, err := s.cfg.ChatPeople.Link(ctx, caller(ctx), in.Name)
	if err != nil {
		return api.ChatCode{}, err
	}
	return api.ChatCode{Code: code.Code, For: code.Person, Expires: instant(code.Expires)}, nil
}

func (s *Server) listAccounts(ctx context.Context, _ *struct{}) (api.ChatAccountList, error) {
	list, err := s.cfg.ChatPeople.Accounts(ctx, caller(ctx))
	return accountsOf(list), err
}

func (s *Server) unlinkAccounts(ctx context.Context, in *struct {
	Name    string `path:"name" example:"Ada" doc:"The person's name."`
	Program string `query:"program" example:"telegram" doc:"Only those of this program."`
}) (api.ChatAccountList, error) {
	list, err := s.cfg.ChatPeople.Unlink(ctx, caller(ctx), in.Name, in.Program)
	return accountsOf(list), err
}

func accountsOf(list []bridge.Linked) api.ChatAccountList {
	out := api.ChatAccountList{Accounts: make([]api.ChatAccount, 0, len(list))}
	for _, l := range list {
		out.Accounts = append(out.Accounts, api.ChatAccount{For: l.Person, Program: l.Program, Account: l.Account, Name: l.Name, Linked: instant(l.LinkedAt)})
	}
	return out
}
