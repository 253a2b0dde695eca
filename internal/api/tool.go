package api

import "encoding/json"

// ToolList is what an agent can do besides thinking.
type ToolList struct {
	Agent   string       `json:"agent" doc:"Whose they are."`
	Tools   []Tool       `json:"tools" doc:"As the model sees them now; none for one that the hub does not run."`
	Servers []ToolServer `json:"servers" doc:"The outside servers that some of them come from."`
}

// Tool is a tool as the model sees it.
type Tool struct {
	Name        string          `json:"name" doc:"How the model calls it."`
	Description string          `json:"description" doc:"What the model reads of it."`
	Schema      json.RawMessage `json:"schema" doc:"The JSON Schema of its parameters."`
}

// ToolServer is an outside MCP server.
type ToolServer struct {
	Name    string `json:"name" doc:"As the files call it."`
	Up      bool   `json:"up" doc:"Whether it is running."`
	Problem string `json:"problem,omitempty" doc:"Why it is not."`
	Tools   int    `json:"tools" doc:"How many it has, or had."`
}
