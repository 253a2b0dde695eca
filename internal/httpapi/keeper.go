package httpapi

import (
	"context"
	"net/http"
	"time"

	"parley"
	"parley/api"
	"parley/internal/keeper"
)

func (s *Server) registerKeepers() {
	const tag = "Keepers"
	missing := []parley.Kind{parley.NotFound}
	handle(s, operation{id: "list-keepers", method: http.MethodGet, path: "/v1/keepers", tag: tag,
		summary: "List keepers", description: "The keepers that you may see, newest first. A keeper is a part of a conversation that was put away."}, s.listKeepers)
	handle(s, operation{id: "offload", method: http.MethodPost, path: "/v1/keepers", tag: tag,
		summary: "Put context away", description: "Stores the oldest messages of the conversation that you send. With a key the request can be repeated safely.",
		errors: []parley.Kind{parley.NotFound, parley.Limited}}, s.offload)
	handle(s, operation{id: "get-keeper", method: http.MethodGet, path: "/v1/keepers/{id}", tag: tag,
		summary: "Read a keeper", description: "One keeper with the messages that you may read.", errors: missing}, s.getKeeper)
	handle(s, operation{id: "share-keeper", method: http.MethodPost, path: "/v1/keepers/{id}/share", tag: tag,
		summary: "Share a keeper", description: "Lets the whole team read it. For its owner, and for people.", errors: missing}, s.shareKeeper)
	handle(s, operation{id: "retrieve", method: http.MethodPost, path: "/v1/retrieve", tag: tag,
		summary: "Find context", description: "The best matching messages in the keepers that you may read."}, s.retrieve)
	handle(s, operation{id: "prune-keepers", method: http.MethodPost, path: "/v1/keepers/prune", tag: tag,
		summary: "Remove unused keepers", description: "For people. Removes the keepers in which nothing was found for some time, or only lists them."}, s.pruneKeepers)
}

// KeeperPath names a keeper in a path.
type KeeperPath struct {
	ID string `path:"id" example:"keeper-7" doc:"The keeper."`
}

func (s *Server) listKeepers(ctx context.Context, in *Page) (api.KeeperList, error) {
	list, err := s.cfg.Keepers.List(ctx, caller(ctx), in.Limit)
	return s.keepers(ctx, list), err
}

func (s *Server) getKeeper(ctx context.Context, in *KeeperPath) (api.Keeper, error) {
	id, err := parley.ParseKeeperID(in.ID)
	if err != nil {
		return api.Keeper{}, err
	}
	k, list, err := s.cfg.Keepers.Show(ctx, caller(ctx), id)
	if err != nil {
		return api.Keeper{}, err
	}
	out := s.keeper(ctx, k)
	for _, m := range list {
		kept := api.KeptMessage{Name: m.Name(), Role: m.Role, Author: s.name(ctx, m.Author), Content: m.Text, At: instant(m.At)}
		if m.Message != 0 {
			kept.Message = m.Message.String()
		}
		out.Kept = append(out.Kept, kept)
	}
	return out, nil
}

func (s *Server) offload(ctx context.Context, in *struct{ Body api.OffloadRequest }) (out api.Offloaded, err error) {
	c, r := caller(ctx), in.Body
	if r.TaskID != "" {
		if c.Task, err = parley.ParseTaskID(r.TaskID); err != nil {
			return out, err
		}
	}
	var roles, contents []string
	for _, m := range r.Messages {
		roles, contents = append(roles, m.Role), append(contents, m.Content)
	}
	said, err := keeper.Passed(c, roles, contents)
	if err != nil {
		return out, err
	}
	k, made, err := s.cfg.Keepers.Offload(ctx, c, keeper.Offloading{Topic: r.Topic, Count: r.MessageCount, Share: r.Share == "team", Key: keyOf(ctx, r.Key), Said: said})
	if err != nil {
		return out, err
	}
	if !made {
		return api.Offloaded{Text: parley.NothingToOffload}, nil
	}
	shown := s.keeper(ctx, k)
	return api.Offloaded{Keeper: &shown, Text: parley.OffloadedText(k)}, nil
}

func (s *Server) shareKeeper(ctx context.Context, in *KeeperPath) (api.Keeper, error) {
	id, err := parley.ParseKeeperID(in.ID)
	if err != nil {
		return api.Keeper{}, err
	}
	k, err := s.cfg.Keepers.Share(ctx, caller(ctx), id)
	if err != nil {
		return api.Keeper{}, err
	}
	return s.keeper(ctx, k), nil
}

func (s *Server) retrieve(ctx context.Context, in *struct{ Body api.RetrieveRequest }) (out api.Retrieved, err error) {
	q := keeper.Query{Text: in.Body.Query, Mode: keeper.Raw}
	if in.Body.Keeper != "" {
		if q.Keeper, err = parley.ParseKeeperID(in.Body.Keeper); err != nil {
			return out, err
		}
	}
	out.Text, err = s.cfg.Keepers.Retrieve(ctx, caller(ctx), q, nil)
	return out, err
}

func (s *Server) pruneKeepers(ctx context.Context, in *struct{ Body api.PruneRequest }) (api.KeeperList, error) {
	list, err := s.cfg.Keepers.Prune(ctx, caller(ctx), time.Duration(in.Body.Seconds)*time.Second, in.Body.DryRun)
	return s.keepers(ctx, list), err
}

func (s *Server) keepers(ctx context.Context, list []parley.Keeper) api.KeeperList {
	out := api.KeeperList{Keepers: make([]api.Keeper, 0, len(list))}
	for _, k := range list {
		out.Keepers = append(out.Keepers, s.keeper(ctx, k))
	}
	return out
}

func (s *Server) keeper(ctx context.Context, k parley.Keeper) api.Keeper {
	out := api.Keeper{ID: k.ID.String(), Topic: k.Topic, Owner: s.name(ctx, k.Owner), Messages: k.Count, Size: k.Size, Shared: k.Shared,
		Automatic: k.Automatic, Created: instant(k.CreatedAt), Used: moment(k.UsedAt), Uses: k.Uses}
	if k.Task != 0 {
		out.Task = k.Task.String()
	}
	if ch, ok := s.cfg.Keepers.Channel(ctx, k); ok {
		out.Place = s.place(ctx, ch)
	}
	return out
}
