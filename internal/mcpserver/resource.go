package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
)

// scheme begins the address of every resource.
const scheme = "parley://"

const (
	jsonType = "application/json"
	textType = "text/plain"
	// mostListed is how many things of a kind are listed.
	mostListed = 100
	// mostShown is how many messages of a channel are shown.
	mostShown = 50
)

// shelf is a kind of resources. Each one below it is read by its name.
type shelf struct {
	name, title, about string
	// what one thing of it is
	one, aboutOne string
	list          func(ctx context.Context, s *server) ([]entry, error)
	read          func(ctx context.Context, s *server, name string) (any, error)
}

// entry is one thing on a shelf.
type entry struct {
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
	URI   string `json:"uri"`
}

func shelves() []shelf {
	return []shelf{
		{"channels", "Channels", "The group channels that you can read.", "channel", "The last messages of a channel.", listChannels, readChannel},
		{"tasks", "Tasks", "Your open tasks and those that you asked for.", "task", "A task with the tasks below it, and its result.", listTasks, readTask},
		{"keepers", "Keepers", "Conversations that were put away.", "keeper", "The messages in a keeper.", listKeepers, readKeeper},
		{"agents", "Agents", "Who is in the team.", "agent", "An agent and the docs that it offers.", listAgents, readAgent},
	}
}

func (s shelf) uri() string { return scheme + s.name }

func (s shelf) entry(name, about string) entry {
	return entry{Name: name, About: parley.Clip(about, 200), URI: s.uri() + "/" + url.PathEscape(name)}
}

// addResources offers what the caller may read. What there is is looked up when it is
// asked for.
func (s *server) addResources() {
	for _, shelf := range shelves() {
		s.AddResource(&mcp.Resource{URI: shelf.uri(), Name: shelf.name, Title: shelf.title, Description: shelf.about, MIMEType: jsonType}, s.readResource)
		s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: shelf.uri() + "/{name}", Name: shelf.one, Description: shelf.aboutOne}, s.readResource)
	}
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListResourcesResult); ok && err == nil && list.NextCursor == "" {
				s.listResources(ctx, list)
			}
			return res, err
		}
	})
}

// listResources adds what is on the shelves now. A shelf that the rules keep from the
// caller stays empty.
func (s *server) listResources(ctx context.Context, to *mcp.ListResourcesResult) {
	for _, shelf := range shelves() {
		found, err := shelf.list(ctx, s)
		if err != nil {
			continue
		}
		for _, e := range found {
			to.Resources = append(to.Resources, &mcp.Resource{URI: e.URI, Name: shelf.one + " " + e.Name, Title: e.Name, Description: e.About, MIMEType: jsonType})
		}
	}
}

func (s *server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	text, err := s.textOf(ctx, req.Params.URI)
	switch {
	case err == nil:
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: jsonType, Text: text}}}, nil
	case parley.KindOf(err) == parley.Internal:
		s.door.cfg.Log.Error("a resource could not be read", "error", err)
		return nil, fmt.Errorf("%s", parley.Public(err))
	default: // what is kept from the caller looks as if it did not exist
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
}

// textOf is the content of a resource as the caller sees it.
func (s *server) textOf(ctx context.Context, uri string) (string, error) {
	path, ours := strings.CutPrefix(uri, scheme)
	kind, rest, one := strings.Cut(path, "/")
	name, err := url.PathUnescape(rest)
	for _, shelf := range shelves() {
		if !ours || err != nil || shelf.name != kind {
			continue
		}
		var content any
		if one {
			content, err = shelf.read(ctx, s, name)
		} else {
			content, err = shelf.list(ctx, s)
		}
		if err != nil {
			return "", err
		}
		text, err := json.MarshalIndent(content, "", "  ")
		return string(text), err
	}
	return "", parley.Errorf(parley.NotFound, "%s not found.", uri)
}

func listChannels(ctx context.Context, s *server) ([]entry, error) {
	groups, err := s.door.cfg.Reading.Groups(ctx, s.caller)
	list := []entry{}
	for _, g := range groups {
		list = append(list, shelves()[0].entry(g.Name, g.Topic))
	}
	return list, err
}

func readChannel(ctx context.Context, s *server, name string) (any, error) {
	v, err := s.door.cfg.Reading.Read(ctx, s.caller, "#"+strings.TrimPrefix(name, "#"), 0, mostShown)
	if err != nil {
		return nil, err
	}
	messages := []map[string]any{}
	for _, m := range v.Messages {
		messages = append(messages, map[string]any{"message": m.ID.String(), "from": s.door.cfg.Reading.Name(ctx, m.Author), "at": at(m.At), "text": m.Body})
	}
	return map[string]any{"channel": v.Channel.Name, "topic": v.Channel.Topic, "messages": messages}, nil
}

func at(t parley.Micros) string { return t.Time().UTC().Format(time.RFC3339) }
