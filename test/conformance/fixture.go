package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixtures are the tools, resources and prompts that the suite calls by name. Each server
// of the hub gets them.
type fixtures struct {
	mu      sync.Mutex
	servers []*mcp.Server
}

func (f *fixtures) extend(s *mcp.Server) {
	f.mu.Lock()
	f.servers = append(f.servers, s)
	f.mu.Unlock()
	f.addTools(s)
	f.addElicitations(s)
	addRounds(s)
	addResources(s)
	addPrompts(s)
}

// everywhere does something to every server, as a change of the team does.
func (f *fixtures) everywhere(do func(*mcp.Server)) {
	f.mu.Lock()
	all := append([]*mcp.Server(nil), f.servers...)
	f.mu.Unlock()
	for _, s := range all {
		do(s)
	}
}

const watched = "test://watched-resource"

// pulse says again and again that the watched resource has changed.
func (f *fixtures) pulse(ctx context.Context) {
	for ctx.Err() == nil {
		f.everywhere(func(s *mcp.Server) {
			_ = s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: watched})
		})
		rest(ctx, time.Second)
	}
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// The smallest picture and the shortest sound.
const (
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	sound   = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

func words(format string, args ...any) *mcp.TextContent {
	return &mcp.TextContent{Text: fmt.Sprintf(format, args...)}
}

func image() *mcp.ImageContent {
	return &mcp.ImageContent{Data: decoded(picture), MIMEType: "image/png"}
}

func embedded(uri, text string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: text}}
}

func result(content ...mcp.Content) *mcp.CallToolResult { return &mcp.CallToolResult{Content: content} }

type handler = func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error)

// add adds a tool. An error of its own becomes a result that says so.
func add(s *mcp.Server, name, schema string, h handler) {
	s.AddTool(&mcp.Tool{Name: name, Description: "For the conformance suite.", InputSchema: json.RawMessage(schema)}, h)
}

const nothing = `{"type":"object"}`

func (f *fixtures) addTools(s *mcp.Server) {
	plain := map[string]*mcp.CallToolResult{
		"test_simple_text":            result(words("This is a simple text response for testing.")),
		"test_image_content":          result(image()),
		"test_audio_content":          result(&mcp.AudioContent{Data: decoded(sound), MIMEType: "audio/wav"}),
		"test_embedded_resource":      result(embedded("test://embedded-resource", "This is an embedded resource content.")),
		"test_multiple_content_types": result(words("Multiple content types test:"), image(), embedded("test://mixed-content-resource", `{"test":"data"}`)),
		"test_streaming_elicitation":  result(words("done")),
		"test_x_mcp_header":           result(words("read")),
		"json_schema_2020_12_tool":    result(words("accepted")),
	}
	schemas := map[string]string{
		"test_x_mcp_header": `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`,
		"json_schema_2020_12_tool": `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
			`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
			`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},` +
			`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
			`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`,
	}
	for name, res := range plain {
		schema := schemas[name]
		if schema == "" {
			schema = nothing
		}
		add(s, name, schema, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return res, nil })
	}
	add(s, "test_error_handling", nothing, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{words("This tool intentionally returns an error for testing")}}, nil
	})
	add(s, "test_tool_with_logging", nothing, logging)
	add(s, "test_logging_tool", nothing, logging)
	add(s, "test_tool_with_progress", nothing, progressing)
	add(s, "test_reconnection", nothing, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if closing := req.Extra.CloseSSEStream; closing != nil {
			closing(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		rest(ctx, 200*time.Millisecond)
		return result(words("The client came back.")), nil
	})
	add(s, "test_missing_capability", nothing, needsSampling)
	add(s, "test_trigger_tool_change", nothing, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		f.everywhere(func(s *mcp.Server) { add(s, "passing_tool", nothing, needsSampling) })
		return result(words("changed")), nil
	})
	add(s, "test_trigger_prompt_change", nothing, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		f.everywhere(func(s *mcp.Server) { addPrompt(s, "passing_prompt", words("passing")) })
		return result(words("changed")), nil
	})
}

func logging(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, step := range []string{"started", "processing data", "completed"} {
		//lint:ignore SA1019 the suite asks for it
		_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "Tool execution " + step})
		rest(ctx, 50*time.Millisecond)
	}
	return result(words("logged")), nil
}

func progressing(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, done := range []float64{0, 50, 100} {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: done, Total: 100,
			Message: fmt.Sprintf("Completed step %.0f of 100", done)})
		rest(ctx, 50*time.Millisecond)
	}
	return result(words("%v", req.Params.GetProgressToken())), nil
}

func addResources(s *mcp.Server) {
	for uri, content := range map[string]*mcp.ResourceContents{
		"test://static-text":   {MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		"test://static-binary": {MIMEType: "image/png", Blob: decoded(picture)},
		watched:                {MIMEType: "text/plain", Text: "Watched resource content"},
	} {
		name := strings.TrimPrefix(uri, "test://")
		s.AddResource(&mcp.Resource{URI: uri, Name: name, Description: "For the conformance suite.", MIMEType: content.MIMEType},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				one := *content
				one.URI = uri
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&one}}, nil
			})
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			text := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: text}}}, nil
		})
}

func addPrompts(s *mcp.Server) {
	addPrompt(s, "test_simple_prompt", words("This is a simple prompt for testing."))
	addPrompt(s, "test_prompt_with_image", image(), words("Please analyze the image above."))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_arguments", Description: "For the conformance suite.", Arguments: []*mcp.PromptArgument{{Name: "arg1", Required: true}, {Name: "arg2", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return prompt(words("Prompt with arguments: arg1='%s', arg2='%s'", req.Params.Arguments["arg1"], req.Params.Arguments["arg2"])), nil
		})
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: "For the conformance suite.", Arguments: []*mcp.PromptArgument{{Name: "resourceUri", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return prompt(embedded(req.Params.Arguments["resourceUri"], "Embedded resource content for testing."), words("Please process the embedded resource above.")), nil
		})
}

func addPrompt(s *mcp.Server, name string, content ...mcp.Content) {
	s.AddPrompt(&mcp.Prompt{Name: name, Description: "For the conformance suite."}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return prompt(content...), nil
	})
}

func prompt(content ...mcp.Content) *mcp.GetPromptResult {
	res := &mcp.GetPromptResult{}
	for _, c := range content {
		res.Messages = append(res.Messages, &mcp.PromptMessage{Role: "user", Content: c})
	}
	return res
}
