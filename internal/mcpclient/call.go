package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/tool"
)

// call makes one call, with the arguments as the model wrote them and people may have
// approved them. If the turn is stopped, the server is told to cancel it.
func (c *Conn) call(ctx context.Context, name string, args json.RawMessage) (tool.Result, error) {
	session, err := c.current()
	if err != nil {
		return tool.Result{}, err
	}
	limited, cancel := context.WithTimeout(ctx, c.def.Timeout)
	defer cancel()
	res, err := session.CallTool(limited, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return tool.Result{}, c.failure(ctx, limited, err)
	}
	text := resultText(res)
	if res.IsError {
		return tool.Result{}, parley.Errorf(parley.Failed, "%s", text)
	}
	return tool.Result{Text: text}, nil
}

const unknownEffect = "Whether the call took effect is unknown: look before you try again."

// failure distinguishes an error that the server reported, a time-out, and a lost
// connection.
func (c *Conn) failure(ctx, limited context.Context, err error) error {
	var said *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		return parley.Errorf(parley.Timeout, "The MCP server %s did not answer within %s.", c.def.Name, c.def.Timeout).WithHint(unknownEffect)
	case errors.As(err, &said):
		return parley.Errorf(parley.Failed, "%s", cut(clean(said.Message), maxResult))
	}
	select {
	case c.broken <- struct{}{}:
	default:
	}
	c.log.Warn("a call of an MCP server's tool failed", "problem", c.explain(err))
	return parley.Errorf(parley.Unavailable, "The connection to the MCP server %s was lost during the call.", c.def.Name).
		WithHint(unknownEffect).WithCause(err)
}

// maxResult is how much of a result a model reads.
const maxResult = 64 << 10

// resultText is a result as text. Content that is not text is described, so that the
// model knows of it.
func resultText(res *mcp.CallToolResult) string {
	var parts []string
	for _, content := range res.Content {
		if text := contentText(content); text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 && res.StructuredContent != nil {
		if raw, err := json.Marshal(res.StructuredContent); err == nil {
			parts = append(parts, string(raw))
		}
	}
	text := clean(strings.Join(parts, "\n\n"))
	switch {
	case strings.TrimSpace(text) == "" && res.IsError:
		return "The tool failed and did not say why."
	case strings.TrimSpace(text) == "":
		return "(no text)"
	case len(text) > maxResult:
		return cut(text, maxResult) + fmt.Sprintf("\n\n[This is the beginning of a result of %d bytes; the rest was left out. Ask for less.]", len(text))
	}
	return text
}

func contentText(content mcp.Content) string {
	switch c := content.(type) {
	case *mcp.TextContent:
		return c.Text
	case *mcp.ImageContent:
		return fmt.Sprintf("[An image, %s, %d bytes, which cannot be shown here.]", c.MIMEType, len(c.Data))
	case *mcp.AudioContent:
		return fmt.Sprintf("[A sound, %s, %d bytes, which cannot be played here.]", c.MIMEType, len(c.Data))
	case *mcp.ResourceLink:
		return "[A resource: " + strings.TrimSpace(c.URI+" "+c.Title) + "]"
	case *mcp.EmbeddedResource:
		return resourceText(c.Resource)
	}
	return "[Something of a kind that is not known here.]"
}

func resourceText(r *mcp.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case r.Text != "":
		return r.URI + ":\n" + r.Text
	}
	return fmt.Sprintf("[The resource %s, %s, %d bytes, which cannot be shown here.]", r.URI, r.MIMEType, len(r.Blob))
}

// clean makes a server's text storable.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// cut shortens a text to at most n bytes, at a character boundary.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
