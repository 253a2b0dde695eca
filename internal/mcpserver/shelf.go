package mcpserver

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/reading"
)

func listTasks(ctx context.Context, s *server) ([]entry, error) {
	tasks, err := s.door.cfg.Reading.Tasks(ctx, s.caller, reading.TaskFilter{Open: true, Limit: mostListed})
	list := []entry{}
	for _, t := range tasks {
		list = append(list, shelves()[1].entry(t.ID.String(), fmt.Sprintf("%s, %s", s.door.cfg.Reading.Name(ctx, t.Agent), t.State)))
	}
	return list, err
}

func readTask(ctx context.Context, s *server, name string) (any, error) {
	id, err := parley.ParseTaskID(name)
	if err != nil {
		return nil, err
	}
	top, err := s.door.cfg.Reading.Task(ctx, s.caller, id)
	if err != nil {
		return nil, err
	}
	tree, err := s.door.cfg.Reading.Tree(ctx, s.caller, id)
	if err != nil {
		return nil, err
	}
	shown := []map[string]any{}
	for _, t := range tree {
		one := map[string]any{"task": t.ID.String(), "agent": s.door.cfg.Reading.Name(ctx, t.Agent), "state": t.State.String(), "priority": t.Priority.String()}
		if t.Parent != 0 && t.ID != id {
			one["parent"] = t.Parent.String()
		}
		shown = append(shown, one)
	}
	return map[string]any{"task": id.String(), "result": top.Text, "tree": shown}, nil
}

func listKeepers(ctx context.Context, s *server) ([]entry, error) {
	keepers, err := s.door.cfg.Keepers.List(ctx, s.caller, mostListed)
	list := []entry{}
	for _, k := range keepers {
		list = append(list, shelves()[2].entry(k.ID.String(), k.Topic))
	}
	return list, err
}

func readKeeper(ctx context.Context, s *server, name string) (any, error) {
	id, err := parley.ParseKeeperID(name)
	if err != nil {
		return nil, err
	}
	k, kept, err := s.door.cfg.Keepers.Show(ctx, s.caller, id)
	if err != nil {
		return nil, err
	}
	messages := []map[string]any{}
	for _, m := range kept {
		messages = append(messages, map[string]any{"role": m.Role, "text": m.Text})
	}
	return map[string]any{"keeper": k.ID.String(), "topic": k.Topic, "messages": messages}, nil
}

func listAgents(ctx context.Context, s *server) ([]entry, error) {
	others, err := s.door.cfg.Reading.Others(ctx, s.caller)
	list := []entry{}
	for _, a := range others {
		about := string(a.Kind) + ", " + a.Status.Because(a.Reason)
		if a.Description != "" {
			about += ": " + a.Description
		}
		list = append(list, shelves()[3].entry(a.Name, about))
	}
	return list, err
}

func readAgent(ctx context.Context, s *server, name string) (any, error) {
	a, err := s.door.cfg.Reading.Agent(ctx, s.caller, name)
	if err != nil {
		return nil, err
	}
	shown := map[string]any{"name": a.Name, "kind": string(a.Kind), "status": a.Status.Because(a.Reason), "description": a.Description}
	if a.ID == s.caller.Agent {
		return shown, nil
	}
	docs, err := s.door.cfg.Reading.Docs(ctx, s.caller, name)
	if err != nil {
		return nil, err
	}
	files := []map[string]any{}
	for _, f := range docs.Files {
		files = append(files, map[string]any{"name": f.Name, "text": f.Text, "cut": f.Cut})
	}
	shown["docs"], shown["docs_cut"] = files, docs.Cut
	return shown, nil
}
