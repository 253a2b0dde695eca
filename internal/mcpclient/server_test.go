package mcpclient_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/mcpclient"
	"parley/internal/tool"
	"parley/internal/workspace/sandbox"
)

// TestMain turns the test binary into a server if it was started as one.
func TestMain(m *testing.M) {
	if code, child := sandbox.Child(os.Args[1:]); child {
		os.Exit(code)
	}
	switch mode := os.Getenv("TEST_SERVER"); mode {
	case "":
		os.Exit(m.Run())
	case "raw":
		serveRaw()
	case "hub":
		beHub()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fallthrough
	default:
		serve(mode)
	}
}

func serve(mode string) {
	fmt.Fprintln(os.Stderr, "hello from", os.Getpid(), "with", os.Getenv("TEST_SECRET"))
	if mode == "broken" {
		fmt.Fprintln(os.Stderr, "no such database:", os.Getenv("TEST_SECRET"))
		os.Exit(3)
	}
	err := newServer().Run(context.Background(), &mcp.StdioTransport{})
	if mode == "stubborn" {
		select {} // ignores the end of its input
	}
	if err != nil {
		os.Exit(1)
	}
}

// beHub runs a server, prints the server's process id and waits to be killed.
func beHub() {
	servers := mcpclient.New(quiet())
	conn := servers.Add(self("stubborn"))
	go servers.Run(context.Background())
	<-conn.Ready()
	pid, _ := tool.Find(conn.Tools(), "test__pid")
	res, err := pid.Prepare(json.RawMessage(`{"text":""}`)).Run(context.Background(), tool.Call{})
	fmt.Println(res.Text, err)
	select {}
}

type words struct {
	Text string `json:"text" jsonschema:"what to say"`
}

// newServer is a server with a tool for each thing that may happen.
func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, readOnly bool, run func(ctx context.Context, text string) (*mcp.CallToolResult, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "It does " + name + ".", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}},
			func(ctx context.Context, _ *mcp.CallToolRequest, in words) (*mcp.CallToolResult, any, error) {
				res, err := run(ctx, in.Text)
				return res, nil, err
			})
	}
	add("echo", true, func(_ context.Context, text string) (*mcp.CallToolResult, error) { return say(text), nil })
	add("env", false, func(context.Context, string) (*mcp.CallToolResult, error) {
		return say(strings.Join(os.Environ(), "\n")), nil
	})
	add("read", true, func(_ context.Context, name string) (*mcp.CallToolResult, error) {
		text, err := os.ReadFile(name)
		return say(fmt.Sprint(string(text), err)), nil
	})
	add("pid", true, func(context.Context, string) (*mcp.CallToolResult, error) { return say(fmt.Sprint(os.Getpid())), nil })
	add("fail", false, func(context.Context, string) (*mcp.CallToolResult, error) { return nil, errors.New("the disk is full") })
	add("huge", false, func(context.Context, string) (*mcp.CallToolResult, error) {
		return say(strings.Repeat("ä", 1<<20)), nil
	})
	add("die", false, func(context.Context, string) (*mcp.CallToolResult, error) { os.Exit(7); return nil, nil })
	// It records that it has begun, and that it was told to cancel.
	add("slow", false, func(ctx context.Context, file string) (*mcp.CallToolResult, error) {
		note(file, "begun\n")
		<-ctx.Done()
		note(file, "given up\n")
		return nil, ctx.Err()
	})
	add("grow", false, func(context.Context, string) (*mcp.CallToolResult, error) {
		add("grown", false, func(context.Context, string) (*mcp.CallToolResult, error) { return say("I am new."), nil })
		return say("grown"), nil
	})
	add("mixed", false, func(context.Context, string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "one"}, &mcp.ImageContent{Data: []byte("12345"), MIMEType: "image/png"},
			&mcp.ResourceLink{URI: "file:///a", Name: "a"}, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///b", Text: "two"}},
		}}, nil
	})
	return s
}

func say(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func note(file, text string) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(text)
	_ = f.Close()
}

// serveRaw is a server written by hand: no provider accepts its tools as they are
// described.
func serveRaw() {
	answers := map[string]string{
		"initialize": `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`,
		"tools/list": `{"tools":[
			{"name":"typeless","inputSchema":{"$schema":"x","properties":{"a":{"type":"string"}}}},
			{"name":"none","inputSchema":null},
			{"name":"a list","inputSchema":{"type":"array"}},
			{"name":"a list","inputSchema":{"type":"object"}},
			{"name":"` + strings.Repeat("long", 30) + `","description":"` + strings.Repeat("d", 10000) + `","inputSchema":{"type":["object","null"],"properties":null}}]}`,
		"tools/call": `{"content":[]}`,
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var call struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &call) != nil || call.ID == nil {
			continue
		}
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", call.ID, strings.NewReplacer("\n", "", "\t", "").Replace(answers[call.Method]))
	}
}

// self is the test binary as a server.
func self(mode string) mcpclient.Server {
	return mcpclient.Server{Name: "test", Command: os.Args[0], Env: map[string]string{"TEST_SERVER": mode}}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
