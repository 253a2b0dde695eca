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

// Toolbox is what an agent works with.
type Toolbox struct {
	Agent   string
	Tools   []Tool
	Servers []ToolServer
	Guides  []Guide
}

// Toolboxes knows what agents work with. Package app implements it.
type Toolboxes interface {
	// Toolbox is empty for an agent that the hub does not run.
	Toolbox(id parley.AgentID) Toolbox
	// FirstStep is what an agent's first step on a message may cost; false if that is
	// not known, or nothing.
	FirstStep(id parley.AgentID, message string) (parley.FirstStep, bool)
	// Instructions are empty for an agent that the hub does not run.
	Instructions(id parley.AgentID) string
}

// Tools reads the tools of agents.
type Tools struct {
	dir    *directory.Directory
	access *access.Control
	boxes  Toolboxes
}

func NewTools(dir *directory.Directory, control *access.Control, boxes Toolboxes) *Tools {
	return &Tools{dir: dir, access: control, boxes: boxes}
}

// Of lists an agent's tools. People may look at anyone in their team, an agent only
// at itself.
func (t *Tools) Of(c access.Caller, name string) (Toolbox, error) {
	e, err := t.dir.Find(c.Team, name)
	if err != nil {
		return Toolbox{}, err
	}
	if e.ID != c.Agent && !t.access.IsPerson(c.Agent) {
		return Toolbox{}, parley.Errorf(parley.Denied, "Only people may look at the tools of others.")
	}
	box := t.boxes.Toolbox(e.ID)
	box.Agent = e.Name
	return box, nil
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
	found, ok := t.boxes.FirstStep(e.ID, strings.Repeat(" ", size))
	if !ok {
		return e.Name, nil, nil
	}
	return e.Name, &found, nil
}
