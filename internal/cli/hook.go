package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/hubfile"
	"parley/internal/join"
)

// hookTime is how long a client waits for a hook at most.
const hookTime = 2 * time.Second

type hookFlags struct {
	memberFlags
	client  string
	project string
	verbose bool
}

func hookCommand(c *console) *cobra.Command {
	var f hookFlags
	cmd := &cobra.Command{
		Use:   "hook --client CLIENT start|prompt|stop",
		Short: "Hand waiting messages to a client at the beginning and the end of its turns",
		Long: `Hand waiting messages to a client when a session begins (start), when its user has
said something (prompt), and when a turn is about to end (stop). Clients run this command
as a hook; "parley join --write" enters it.

What is handed over is acknowledged by the next run. If it gets lost on the way, it comes
again, marked as handed out before. A turn is kept from ending at most 5 times in a row.

With --project, a client that works in another project is told nothing. Claude Code runs
the hooks of the main worktree in the others too.

A hook never holds its client up: it takes 2 seconds at most, and if no hub answers, it
says nothing and its exit code is 0. With --verbose it says why, on standard error.`,
		Example: `  parley hook --client claude --token-file claude.token stop`,
		GroupID: groupCare,
		// A client takes some exit codes as a decision, so nothing here is a mistake.
		Args:               func(*cobra.Command, []string) error { return nil },
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		ValidArgs:          join.Events(),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := c.hook(cmd.Context(), f, args)
			if err != nil && f.verbose {
				c.say("%s", problem(err).Message)
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.client, "client", "", "the `client` that runs the hook: claude, codex or gemini")
	cmd.Flags().StringVar(&f.project, "project", "", "the `folder` for which the hook was written: do nothing for a client in another project")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "say on standard error why nothing was handed over")
	return cmd
}

func (c *console) hook(ctx context.Context, f hookFlags, args []string) error {
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	if len(args) != 1 {
		return parley.Errorf(parley.Invalid, "The event is missing.")
	}
	event := args[0]
	kind, err := join.Find(f.client)
	if err != nil {
		return err
	}
	if _, err := kind.HookOutput(event, ""); err != nil {
		return err
	}
	in, err := c.hookInput(ctx)
	if err != nil {
		return err
	}
	if kind.Elsewhere(f.project, in, c.getenv) {
		return parley.Errorf(parley.Denied, "The client works in another project than %s, whose hook this is.", f.project)
	}
	hub, memory, err := f.connect(c)
	if err != nil {
		return err
	}
	defer hub.Close()
	hub.Patience = 0
	m := join.ReadMemory(memory)
	if err := hub.Ack(ctx, m.Seen(in)...); err != nil {
		return err
	}
	if m.Enough(event, in) {
		m.Messages = nil
		return m.Write(memory)
	}
	batch, err := hub.Receive(ctx, client.Fetch{Limit: join.MostLetters})
	if err != nil {
		return err
	}
	letters := make([]join.Letter, len(batch.Items))
	if len(letters) > 0 {
		for i, item := range batch.Items {
			letters[i] = join.Letter{Text: item.Text, ID: item.Message, Task: item.Task, Again: item.Again}
		}
		out, err := kind.HookOutput(event, join.Handover(letters, batch.More))
		if err != nil {
			return err
		}
		// What was handed over is stored only when the client has the text.
		if _, err := c.out.Write(out); err != nil {
			return err
		}
	}
	return m.After(event, in, letters).Write(memory)
}

// hookInput reads what the client says, without waiting for it longer than a hook may
// take. Without input there is nothing to know.
func (c *console) hookInput(ctx context.Context) (in join.HookInput, err error) {
	if _, interactive := terminal(c.in); interactive {
		return in, nil
	}
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(c.in, longestInput))
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		_ = json.Unmarshal(r.text, &in) // a client that says something else says nothing
		return in, r.err
	case <-ctx.Done():
		return in, errors.New("the client did not finish its input")
	}
}

// memberFlags say as whom a command acts, for commands that a client's agent runs.
type memberFlags struct{ url, tokenFile string }

func (f *memberFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.url, "url", "", "the hub's `address`; PARLEY_URL does the same")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "the `file` with the agent's token; PARLEY_TOKEN can hold the token itself")
}

// connect returns the hub and the file of what hooks remember.
func (f memberFlags) connect(c *console) (hub *client.Client, memory string, err error) {
	address, err := f.address(c)
	if err != nil {
		return nil, "", err
	}
	if f.tokenFile == "" {
		token := c.getenv(join.TokenVariable)
		if token == "" {
			return nil, "", parley.Errorf(parley.Invalid, "There is no token: give --token-file, or set %s.", join.TokenVariable)
		}
		sum := sha256.Sum256([]byte(token))
		name := hex.EncodeToString(sum[:8]) + ".token"
		return c.clientOf(address, token), join.MemoryFile(filepath.Join(join.StateFolder(c.getenv, "token", address), name)), nil
	}
	token, err := readToken(f.tokenFile)
	if err != nil {
		return nil, "", err
	}
	return c.clientOf(address, token), join.MemoryFile(f.tokenFile), nil
}

// address is where the token goes.
func (f memberFlags) address(c *console) (string, error) {
	if address := cmp.Or(f.url, c.namedByAddress()); address != "" {
		return address, c.checkAddress(address)
	}
	data, err := c.hubData()
	if err != nil {
		return "", err
	}
	hub, err := hubfile.Find(data)
	if err == nil {
		err = f.checkFound(data, hub.URL)
	}
	return hub.URL, err
}

// checkFound refuses to send a token to a hub that only the folder names, unless it is one
// of this user on this machine. The folder may be somebody else's, such as a repository that
// was cloned, and must not be able to direct the token elsewhere.
func (f memberFlags) checkFound(data, address string) error {
	if !client.OnThisMachine(address) {
		return parley.Errorf(parley.Denied, "The folder names a hub elsewhere, %s, which does not get the token.", address).
			WithHint("If it is right, name it with %s or --url.", urlEnv)
	}
	if f.tokenFile != "" {
		return nil // it was given together with the folder
	}
	return hubfile.CheckOwner(data)
}

// checkAddress refuses an address to which a token would go unencrypted, unless the
// environment allows it.
func (c *console) checkAddress(address string) error {
	if c.insecure() {
		return nil
	}
	return client.CheckAddress(address)
}

func (c *console) insecure() bool { return c.getenv(client.EnvInsecure) == "1" }

// clientOf makes a client of a hub that may be anywhere.
func (c *console) clientOf(address, token string) *client.Client {
	hub := client.New(address, token)
	hub.Insecure = c.insecure()
	return hub
}
