package cli

import (
	"context"
	"errors"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveMCP is a server with a tool that reads a variable of its environment and
// one that claims to change something. It leaves a note when it ends.
func serveMCP() {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for name, reads := range map[string]bool{"look": true, "change": false} {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "It does " + name + ".", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads}},
			func(_ context.Context, _ *mcp.CallToolRequest, in struct {
				Text string `json:"text"`
			}) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: os.Getenv(in.Text)}}}, nil, nil
			})
	}
	err := server.Run(context.Background(), &mcp.StdioTransport{})
	if note := os.Getenv("END_NOTE"); note != "" {
		err = errors.Join(err, os.WriteFile(note, nil, 0o600))
	}
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}
