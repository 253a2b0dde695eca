package cli

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/hubfile"
	"parley/internal/join"
	"parley/internal/mcpbridge"
)

// mcpPatience is for how long a request of an MCP client waits for the hub. Most clients
// give up soon after that.
const mcpPatience = 45 * time.Second

func mcpCommand(c *console) *cobra.Command {
	var f memberFlags
	var asPerson bool
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Connect an MCP client over standard input and output",
		Long: `Connect an MCP client that starts its servers as programs with the hub. The client
speaks over standard input and output; nothing else is printed there.

The hub is that of the team's folder, or the one at --url or PARLEY_URL. The token says
who the client is: --token-file or PARLEY_TOKEN. Without one the command refuses to
start: a program that finds the folder would otherwise have the powers of the person
who uses the command line, and could approve its own calls. If it is meant to, say
--as-person.

If the hub is restarted, the client does not notice: its session is made anew, and what
did not reach the hub is sent again.`,
		Example: `  parley mcp --url http://127.0.0.1:7420 --token-file ~/claude.token
  claude mcp add parley -- parley mcp --dir ~/my-team --token-file ~/claude.token`,
		GroupID: groupStart,
		Args:    naming(0, between(0, 0)),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			find, err := c.mcpHub(f, asPerson)
			if err != nil {
				return err
			}
			return c.runBridge(ctx, find)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asPerson, "as-person", false, "without a token, act as the person who uses the command line")
	return cmd
}

func (c *console) runBridge(ctx context.Context, find func() (mcpbridge.Hub, error)) error {
	b := &mcpbridge.Bridge{Find: find, Patience: mcpPatience, Log: slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
		HTTP: &http.Client{
			// No proxy and no redirects, so that only the hub sees the token.
			Transport:     &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: 90 * time.Second},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}}
	defer b.HTTP.CloseIdleConnections()
	if c.getenv(join.LookVariable) != "" {
		b.HTTP.Transport = looking{b.HTTP.Transport}
	}
	err := b.Run(ctx, c.in, c.out)
	if ctx.Err() != nil {
		return nil // it was asked to stop
	}
	return err
}

// looking marks every request as one that only looks whether the connection works.
type looking struct{ http.RoundTripper }

func (l looking) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(parley.LookHeader, "1")
	return l.RoundTripper.RoundTrip(r)
}

// mcpHub says how to find the hub, now and after a restart.
func (c *console) mcpHub(f memberFlags, asPerson bool) (func() (mcpbridge.Hub, error), error) {
	address := cmp.Or(f.url, c.namedByAddress())
	token := c.getenv(tokenEnv)
	if f.tokenFile != "" {
		text, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return nil, parley.Errorf(parley.Invalid, "The token cannot be read from %s.", f.tokenFile).WithCause(err)
		}
		token = strings.TrimSpace(string(text))
	}
	if address != "" {
		if token == "" {
			return nil, parley.Errorf(parley.Invalid, "There is no token for %s.", address).WithHint("Give one with --token-file or in PARLEY_TOKEN; parley token create makes one.")
		}
		return func() (mcpbridge.Hub, error) { return mcpbridge.Hub{URL: address, Token: token}, nil }, c.checkAddress(address)
	}
	if token == "" && !asPerson {
		return nil, parley.Errorf(parley.Unauthentic, "There is no token, so the hub cannot know who the client is.").
			WithHint("Run: parley join NAME. To let the client act as you, with all that you may decide, use --as-person.")
	}
	p, err := c.place()
	if err != nil {
		return nil, err
	}
	find := func() (mcpbridge.Hub, error) {
		hub, err := hubfile.FindTeam(p.data, p.team)
		if err == nil && token != "" {
			err = f.checkFound(p.data, hub.URL)
		}
		return mcpbridge.Hub{URL: hub.URL, Token: cmp.Or(token, hub.Token)}, err
	}
	if _, err := find(); parley.KindOf(err) == parley.Denied {
		return nil, err // waiting does not help
	}
	return find, nil
}
