package reading

import (
	"encoding/json"
	"parley/internal/access"

	"parley"
)

// Tool is a tool as a model sees it.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// ToolServer is an outside server whose tools an agent has.
type ToolServer struct {
	Name    string
	Up      bool
	Problem string // why it is down
	Tools   int
}

// Toolbox knows what agents have. Package app implements it.
type Toolbox interface {
	// Toolbox is empty for one that the hub does not run.
	Toolbox(id parley.AgentID) ([]Tool, []ToolServer)
}

// ShowTools connects the service with who knows the tools. It is called once,
// before anything is read.
func (s *Service) ShowTools(t Toolbox) { s.toolbox = t }

// Tools is what an agent has. People look at anyone in their team, an agent at
// itself.
func (s *Service) Tools(c access.Caller, name string) (agent string, tools []Tool, servers []ToolServer, err error) {
	e, err := s.dir.Find(c.Team, name)
	if err != nil {
		return "", nil, nil, err
	}
	if e.ID != c.Agent && !s.everything(c) {
		return "", nil, nil, parley.Errorf(parley.Denied, "Only people may look at the tools of others.")
	}
	if s.toolbox != nil {
		tools, servers = s.toolbox.Toolbox(e.ID)
	}
	return e.Name, tools, servers, nil
}
