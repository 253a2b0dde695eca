// Command conformance runs the official conformance suite of MCP against a real hub. The
// suite comes from npm into a folder of its own; make conformance calls this.
//
// The suite calls tools, resources and prompts by names of its own and sends no token. So
// the hub here has them besides its own, and a listener in front of it adds the token.
// Neither is in the product.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/app"
	"parley/internal/config"
)

const (
	suite     = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
	inspector = "@modelcontextprotocol/inspector@2.12.0"
	node      = "node@22" // the suite needs it
)

func main() {
	tools := flag.String("tools", "bin/conformance", "the `folder` for what comes from npm")
	serve := flag.Bool("serve", false, "serve until the program is stopped, and run nothing")
	flag.Parse()
	if err := run(*tools, *serve, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(tools string, serve bool, args []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	more := &fixtures{}
	go more.pulse(ctx)
	hub, err := start(ctx, more.extend)
	if err != nil {
		return err
	}
	defer hub.stop()
	if serve {
		fmt.Println(hub.front + "/mcp")
		select {}
	}
	if tools, err = filepath.Abs(tools); err != nil {
		return err
	}
	if err := install(tools); err != nil {
		return err
	}
	if len(args) > 0 {
		return call(tools, append([]string{"conformance", "server", "--url", hub.front + "/mcp"}, args...)...)
	}
	return errors.Join(
		call(tools, "conformance", "server", "--url", hub.front+"/mcp", "--requirements", "2026-07-28"),
		call(tools, "conformance", "server", "--url", hub.front+"/mcp"),
		inspect(ctx, tools),
	)
}

// hub is a running hub with the listener in front of it.
type hub struct {
	front string // adds the token
	url   string
	token string
	stop  func()
}

const files = `team: main
person: Ada
listen: 127.0.0.1:0
model: scripted:script.yaml
`

// start starts a hub, whose MCP servers have what extend adds.
func start(ctx context.Context, extend func(*mcp.Server)) (*hub, error) {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"parley.yaml": files, "agents/DataBot.md": "---\ndescription: Knows.\n---\nYou know.\n",
		"agents/Coder.md": "---\ndescription: Writes code.\nkind: client\n---\nA client.\n",
		"script.yaml":     "agents:\n  DataBot: [{steps: [{say: 'Twelve.'}]}]\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	team, problems, err := config.Load(dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ready, ended := make(chan app.Serving, 1), make(chan error, 1)
	go func() {
		ended <- app.Serve(ctx, app.ServeConfig{Team: team, Problems: problems, ExtendMCP: extend,
			Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), Ready: func(s app.Serving) { ready <- s }})
	}()
	select {
	case err := <-ended:
		cancel()
		return nil, err
	case s := <-ready:
		token, err := os.ReadFile(filepath.Join(s.Data, "hub.token"))
		if err != nil {
			cancel()
			return nil, err
		}
		h := &hub{url: s.URL, token: strings.TrimSpace(string(token)), stop: func() {
			cancel()
			<-ended
			_ = os.RemoveAll(dir)
		}}
		return h, h.listen()
	}
}

// listen opens the listener that adds the token. It passes the Host on, since the hub has
// to look at it.
func (h *hub) listen() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	to, err := url.Parse(h.url)
	if err != nil {
		return err
	}
	h.front = "http://localhost:" + l.Addr().String()[strings.LastIndex(l.Addr().String(), ":")+1:]
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
		if origin := r.In.Header.Get("Origin"); origin != "" {
			r.Out.Header.Set("Origin", origin)
		}
		r.Out.Header.Set("Authorization", "Bearer "+h.token)
	}}
	go func() {
		server := &http.Server{Handler: whole(proxy), ReadHeaderTimeout: 10 * time.Second}
		_ = server.Serve(l) // until the program ends
	}()
	return nil
}

// whole has a request read to its end before it is passed on. Otherwise an answer that
// comes while the proxy still looks for the end of the body makes the server close that
// body, the proxy takes this for a failed request and cuts the answer off, and a client
// waits for the rest until it gives up.
func whole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func install(tools string) error {
	if err := os.MkdirAll(tools, 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(tools, "node_modules", ".bin", "conformance")); err == nil {
		return nil
	}
	cmd := exec.Command("npm", "install", "--no-fund", "--no-audit", "--prefix", tools, suite, inspector, node)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// command is a program from npm, run with the right node.
func command(tools, name string, args ...string) *exec.Cmd {
	bin := filepath.Join(tools, "node_modules", ".bin")
	cmd := exec.Command(filepath.Join(bin, name), args...)
	cmd.Dir = tools
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd
}

func call(tools string, args ...string) error {
	fmt.Println("$", strings.Join(args, " "))
	cmd := command(tools, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return nil
}
