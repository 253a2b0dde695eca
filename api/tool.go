package api

import "encoding/json"

// ToolList holds the tools of an agent.
type ToolList struct {
	Agent   string       `json:"agent" doc:"Whose tools they are."`
	Tools   []Tool       `json:"tools" doc:"As the model sees them now; none for an agent that the hub does not run."`
	Servers []ToolServer `json:"servers" doc:"The outside servers that some of the tools come from."`
	Guides  []Guide      `json:"guides,omitempty" doc:"Files of the workspace that the agent reads at the beginning of each turn."`
}

// Guide is a file in which the owner of a workspace tells agents what to do there.
type Guide struct {
	File  string `json:"file" doc:"AGENTS.md or CLAUDE.md."`
	Size  int64  `json:"size" doc:"In bytes."`
	Shown int    `json:"shown" doc:"How many bytes of it are in the prompt."`
	Cut   bool   `json:"cut,omitempty" doc:"It is too long: only its beginning is in the prompt."`
	Note  string `json:"note,omitempty" doc:"Why it is not read."`
}

// Tool is a tool as the model sees it.
type Tool struct {
	Name        string          `json:"name" doc:"How the model calls it."`
	Description string          `json:"description" doc:"What the model reads about it."`
	Schema      json.RawMessage `json:"schema" doc:"The JSON Schema of its parameters."`
}

// ToolServer is an outside MCP server.
type ToolServer struct {
	Name    string `json:"name" doc:"Its name in the files."`
	Up      bool   `json:"up" doc:"It is running."`
	Problem string `json:"problem,omitempty" doc:"Why it is not running."`
	Tools   int    `json:"tools" doc:"How many tools it has, or had when it last ran."`
}
