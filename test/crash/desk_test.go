package crash

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// deskEnv makes this program an outside server that writes down in a file who
// was called.
const deskEnv = "PARLEY_CRASH_DESK"

// serveDesk is a server over its standard input and output, with a tool that has
// its effect at once and never answers. It does not care that its input ends.
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
	_ = server.Run(context.Background(), &mcp.StdioTransport{}) // how it ends matters to nobody
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
