package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
)

// mostCompleted is what the protocol allows.
const mostCompleted = 100

// complete offers names: of the others for a prompt, of what is on a shelf for a resource.
func (s *server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	var names []string
	for _, shelf := range shelves() {
		prompt := req.Params.Ref.Type == "ref/prompt" && shelf.name == "agents" && req.Params.Argument.Name == "to"
		if !prompt && req.Params.Ref.URI != shelf.uri()+"/{name}" {
			continue
		}
		found, err := shelf.list(ctx, s)
		if err != nil {
			break // what the rules keep from the caller is not offered
		}
		for _, e := range found {
			names = append(names, e.Name)
		}
	}
	values := []string{}
	typed := parley.FoldName(req.Params.Argument.Value)
	for _, name := range names {
		if strings.HasPrefix(parley.FoldName(name), typed) {
			values = append(values, name)
		}
	}
	shown := values[:min(len(values), mostCompleted)]
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: shown, Total: len(values), HasMore: len(shown) < len(values)}}, nil
}
