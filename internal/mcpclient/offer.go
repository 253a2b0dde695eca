package mcpclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/policy"
	"parley/internal/tool"
)

const (
	// maxTools is how many tools of a server are offered.
	maxTools = 200
	// maxName is the longest name that providers allow.
	maxName = 64
	// maxDescription and maxSchema are in bytes, and small because they are part of
	// every request.
	maxDescription = 4 << 10
	maxSchema      = 32 << 10
)

// offer turns what the server listed into tools.
func (c *Conn) offer(listed []*mcp.Tool) []tool.Tool {
	var tools []tool.Tool
	for _, t := range listed {
		name := toolName(c.def.Name, t.Name)
		if _, taken := tool.Find(tools, name); taken {
			c.log.Warn("an MCP server lists a tool twice; the second is not offered", "tool", t.Name)
			continue
		}
		tools = append(tools, c.offerOne(name, t))
	}
	return tools
}

func (c *Conn) offerOne(name string, t *mcp.Tool) tool.Tool {
	schema, whole := repairSchema(t.InputSchema)
	if !whole {
		c.log.Warn("the parameters of an MCP server's tool are not described in a way that a model can be told", "tool", t.Name)
	}
	action := c.action(t)
	return tool.Outside(schema, tool.Spec[json.RawMessage]{
		Name: name, Title: titleOf(t), Description: describe(c.def.Name, t), Hints: hints(t.Annotations),
		Action: func(json.RawMessage) string { return action },
		Run: func(ctx context.Context, _ tool.Call, args json.RawMessage) (tool.Result, error) {
			return c.call(ctx, t.Name, args)
		},
	})
}

func titleOf(t *mcp.Tool) string {
	if t.Title == "" && t.Annotations != nil {
		return t.Annotations.Title
	}
	return t.Title
}

// hints are the server's word. What it does not say is taken for the worse, as the
// protocol has it.
func hints(a *mcp.ToolAnnotations) tool.Hints {
	if a == nil {
		return tool.Hints{Destructive: true, OpenWorld: true}
	}
	return tool.Hints{
		ReadOnly:    a.ReadOnlyHint,
		Destructive: !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint),
		OpenWorld:   a.OpenWorldHint == nil || *a.OpenWorldHint,
	}
}

// action names the call for the rules. Whether a tool only reads is the server's
// claim, which counts only if the files say so.
func (c *Conn) action(t *mcp.Tool) string {
	category := policy.MCP
	if c.def.TrustReads && t.Annotations != nil && t.Annotations.ReadOnlyHint {
		category = policy.MCPRead
	}
	return policy.Action(category, c.def.Name+"."+t.Name)
}

// describe is what the model reads about the tool.
func describe(server string, t *mcp.Tool) string {
	text := strings.TrimSpace(t.Description)
	if text == "" {
		text = t.Title
	}
	if text == "" {
		text = "The tool " + t.Name + " of the server " + server + "."
	}
	return cut(text, maxDescription)
}

// separator stands between the names of a server and its tool.
const separator = "__"

var invalidChars = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// toolName is what a model calls a tool of a server. A name that had to be changed
// gets a hash, so that two different names never become the same.
func toolName(server, name string) string {
	whole := server + separator + name
	fit := invalidChars.ReplaceAllString(whole, "_")
	if fit == whole && len(fit) <= maxName {
		return fit
	}
	sum := sha256.Sum256([]byte(whole))
	mark := "_" + hex.EncodeToString(sum[:4])
	return fit[:min(len(fit), maxName-len(mark))] + mark
}

// Combine joins the tools of several servers. Of two with the same name, which takes
// servers with odd names, the first counts.
func Combine(conns []*Conn) []tool.Tool {
	var tools []tool.Tool
	for _, c := range conns {
		for _, t := range c.Tools() {
			if _, taken := tool.Find(tools, t.Name); !taken {
				tools = append(tools, t)
			}
		}
	}
	return tools
}

// anything is the schema for unknown parameters.
var anything = json.RawMessage(`{"type":"object","properties":{}}`)

// repairSchema turns a schema into one that providers accept: an object with
// properties. If it cannot be repaired, or is too long to send with every request, it
// is replaced by one that allows anything, and whole is false.
func repairSchema(given any) (schema json.RawMessage, whole bool) {
	raw, err := json.Marshal(given)
	if err != nil {
		return anything, false
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return anything, given == nil
	}
	if kind := string(fields["type"]); kind != `"object"` {
		if kind != "" && !strings.Contains(kind, `"object"`) {
			return anything, false // arguments cannot be of this type
		}
		fields["type"] = json.RawMessage(`"object"`)
	}
	var properties map[string]json.RawMessage
	if err := json.Unmarshal(fields["properties"], &properties); err != nil || properties == nil {
		fields["properties"] = json.RawMessage(`{}`)
	}
	delete(fields, "$schema") // some providers refuse it
	repaired, err := json.Marshal(fields)
	if err != nil || len(repaired) > maxSchema {
		return anything, false
	}
	return repaired, true
}
