package reading

import (
	"encoding/json"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/directory"
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

// Guide is a file of the workspace that an agent reads at the beginning of each turn.
type Guide struct {
	File  string
	Size  int64
	Shown int // bytes
	Cut   bool
	Note  string // why it is not read
}

// Toolbox knows the tools of agents. Package app implements it.
type Toolbox interface {
	// Toolbox is empty for an agent that the hub does not run.
	Toolbox(id parley.AgentID) ([]Tool, []ToolServer, []Guide)
	// FirstStep is what an agent's first step on a message may cost; false if that is
	// not known, or nothing.
	FirstStep(id parley.AgentID, message string) (parley.FirstStep, bool)
}

// Tools reads the tools of agents.
type Tools struct {
	dir     *directory.Directory
	access  *access.Control
	toolbox Toolbox
}

func NewTools(dir *directory.Directory, control *access.Control, toolbox Toolbox) *Tools {
	return &Tools{dir: dir, access: control, toolbox: toolbox}
}

// Of lists an agent's tools. People may look at anyone in their team, an agent only
// at itself.
func (t *Tools) Of(c access.Caller, name string) (agent string, tools []Tool, servers []ToolServer, guides []Guide, err error) {
	e, err := t.dir.Find(c.Team, name)
	if err != nil {
		return "", nil, nil, nil, err
	}
	if e.ID != c.Agent && !t.access.IsPerson(c.Agent) {
		return "", nil, nil, nil, parley.Errorf(parley.Denied, "Only people may look at the tools of others.")
	}
	tools, servers, guides = t.toolbox.Toolbox(e.ID)
	return e.Name, tools, servers, guides, nil
}

// FirstStep estimates what an agent's first step on a message of a size costs at most,
// so that a person knows it before the work begins; nil if the agent's model has no
// price. Who is no person learns it of itself only: it shows what others run on.
func (t *Tools) FirstStep(c access.Caller, name string, size int) (agent string, first *parley.FirstStep, err error) {
	e, err := t.dir.Find(c.Team, name)
	if err != nil {
		return "", nil, err
	}
	if e.ID != c.Agent && !t.access.IsPerson(c.Agent) {
		return "", nil, parley.Errorf(parley.Denied, "Only people may look at what the steps of others cost.")
	}
	found, ok := t.toolbox.FirstStep(e.ID, strings.Repeat(" ", size))
	if !ok {
		return e.Name, nil, nil
	}
	return e.Name, &found, nil
}
