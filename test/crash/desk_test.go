package crash

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// deskEnv makes this program an outside server that records its calls in a file.
const deskEnv = "PARLEY_CRASH_DESK"

// serveDesk is a server over standard input and output, with a tool that takes effect
// at once and never answers. It ignores the end of its input.
func serveDesk(file string) {
	server := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "book", Description: "Books a room."},
		func(_ context.Context, _ *mcp.CallToolRequest, in struct {
			Room string `json:"room"`
		}) (*mcp.CallToolResult, any, error) {
			if err := enter(file, fmt.Sprintln(os.Getpid(), in.Room)); err != nil {
				return nil, nil, err
			}
			select {}
		})
	_ = server.Run(context.Background(), &mcp.StdioTransport{}) // how it ends does not matter
	select {}
}

// enter adds a line to a file.
func enter(file, line string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(line); err != nil {
		return err
	}
	return f.Close()
}
