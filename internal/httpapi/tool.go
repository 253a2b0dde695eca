package httpapi

import (
	"context"
	"net/http"

	"parley"
	"parley/api"
)

func (s *Server) registerTools() {
	handle(s, operation{id: "list-tools", method: http.MethodGet, path: "/v1/agents/{name}/tools", tag: "Agents",
		summary:     "List an agent's tools",
		description: "The tools as the agent's model sees them now, and the outside servers that some come from. People see the tools of anyone in their team, an agent only its own.",
		errors:      []parley.Kind{parley.NotFound}}, s.listTools)
}

func (s *Server) listTools(ctx context.Context, in *struct {
	Name string `path:"name" doc:"The agent."`
}) (api.ToolList, error) {
	box, err := s.cfg.Tools.Of(caller(ctx), in.Name)
	out := api.ToolList{Agent: box.Agent, Tools: make([]api.Tool, 0, len(box.Tools)), Servers: make([]api.ToolServer, 0, len(box.Servers))}
	for _, t := range box.Tools {
		out.Tools = append(out.Tools, api.Tool(t))
	}
	for _, server := range box.Servers {
		out.Servers = append(out.Servers, api.ToolServer(server))
	}
	for _, g := range box.Guides {
		out.Guides = append(out.Guides, api.Guide(g))
	}
	return out, err
}
