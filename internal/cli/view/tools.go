package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/api"
)

// Tools lists an agent's tools in the order in which the model sees them, then the
// servers that some of them come from.
func (s Screen) Tools(list api.ToolList) string {
	var b strings.Builder
	for _, t := range list.Tools {
		b.WriteString(s.Paint(Bold, Line(t.Name)) + "\n" + s.Indent(strings.TrimSpace(t.Description), "  "))
		if parameters := parameters(t.Schema); parameters != "" {
			b.WriteString(s.Paint(Dim, s.Fit("  "+parameters)) + "\n")
		}
		b.WriteString("\n")
	}
	if len(list.Tools) == 0 {
		b.WriteString(Line(list.Agent) + " has no tools here.\n")
	}
	for _, server := range list.Servers {
		b.WriteString(s.server(server))
	}
	for _, g := range list.Guides {
		b.WriteString(s.guide(g))
	}
	return b.String()
}

func (s Screen) guide(g api.Guide) string {
	switch {
	case g.Note != "":
		return s.Item(s.Note(), "guide", g.File+" is not read: "+Line(g.Note)+".", "")
	case g.Cut:
		return s.Item(s.Note(), "guide", fmt.Sprintf("%s, the first %d of %d bytes", g.File, g.Shown, g.Size), "The rest is too long for a prompt.")
	}
	return s.Item(s.Ok(), "guide", fmt.Sprintf("%s, %d bytes", g.File, g.Size), "")
}

func (s Screen) server(server api.ToolServer) string {
	if server.Up {
		return s.Item(s.Ok(), "server", fmt.Sprintf("%s, tools: %d", server.Name, server.Tools), "")
	}
	return s.Item(s.Bad(), "server", server.Name+" is not running: "+Line(server.Problem)+".", "The hub starts it again by itself.")
}

// parameters names the parameters of a tool, required ones first. It is empty if it
// does not understand the schema.
func parameters(schema json.RawMessage) string {
	var known struct {
		Properties map[string]any
		Required   []string
	}
	if json.Unmarshal(schema, &known) != nil || len(known.Properties) == 0 {
		return ""
	}
	var optional []string
	for name := range known.Properties {
		if !slices.Contains(known.Required, name) {
			optional = append(optional, "["+Line(name)+"]")
		}
	}
	slices.Sort(optional)
	required := make([]string, len(known.Required))
	for i, name := range known.Required {
		required[i] = Line(name)
	}
	return "parameters: " + strings.Join(append(required, optional...), ", ")
}
