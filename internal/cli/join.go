package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
	"parley/internal/join"
)

// Joined is what "parley join --json" prints.
type Joined struct {
	Agent     string       `json:"agent"`
	New       bool         `json:"new"`
	Client    string       `json:"client"`
	TokenFile string       `json:"token_file"`
	URL       string       `json:"url"`
	Files     []JoinedFile `json:"files"`
	Command   string       `json:"command,omitempty"`
	Notes     []string     `json:"notes,omitempty"`
}

// JoinedFile is a file of the client: what belongs into it, or how it was changed.
type JoinedFile struct {
	Path    string `json:"path"`
	Content string `json:"content,omitempty"`
	Diff    string `json:"diff,omitempty"`
}

type joinFlags struct {
	client, description, profile, folder, url string
	toolsets                                  []string
	write, check, force, http, allow, noHooks bool
}

func joinCommand(c *console) *cobra.Command {
	var f joinFlags
	cmd := &cobra.Command{
		Use:   "join AGENT",
		Short: "Let an outside agent such as Claude Code or Codex join the team",
		Long: `Let an outside agent join the team: make it if it is new, make a token for it, and
print what belongs into the files of its client.

With --write the files are written. Whatever else is in them stays as it is, and the
change is shown. A file that is not understood is refused, and so is an entry of the
same name that is somebody else's, unless --force is given. With --check the files are
read again and the team is called as the client would call it.

The token is in a file that only you can read. No client's file holds it: the client
starts "parley mcp", which reads it, or, with --http, takes it from PARLEY_TOKEN.

Clients with hooks (claude, codex, gemini) also run "parley hook" when a turn begins and
when it is about to end, so that an agent at work hears of its messages.

CLIENT is one of ` + strings.Join(join.Names(), ", ") + `;
mcp stands for any other program that speaks MCP.`,
		Example: `  parley join claude --client claude --description "Writes code" --write
  parley join claude --client claude --check
  parley join reviewer --client codex        # only shows what to write
  parley join helper                         # any program that speaks MCP`,
		GroupID:           groupStart,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeAgent,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.join(cmd, f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.client, "client", "mcp", "the `client` that the agent runs in")
	flags.StringVar(&f.description, "description", "", "what a new agent is for, in a sentence for the others")
	flags.StringSliceVar(&f.toolsets, "toolsets", []string{"contact"}, "the toolsets of a new agent")
	flags.StringVar(&f.profile, "profile", "standard", "what a new agent may do: open, standard, guarded or locked")
	flags.BoolVar(&f.write, "write", false, "write the client's files")
	flags.BoolVar(&f.check, "check", false, "connect as the client would, and say what is wrong")
	flags.BoolVar(&f.force, "force", false, "replace an entry that is somebody else's")
	flags.BoolVar(&f.http, "http", false, "let the client call the hub by its address instead of starting parley")
	flags.BoolVar(&f.allow, "allow", false, "let the client use the team's tools without asking you each time")
	flags.BoolVar(&f.noHooks, "no-hooks", false, "leave the hooks out")
	flags.StringVar(&f.folder, "folder", "", "the `folder` that the client works in, if it is not this one")
	flags.StringVar(&f.url, "url", "", "the hub's `address`, if the client reaches it by another one than this command")
	_ = cmd.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(join.Names(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagDirname("folder")
	return cmd
}

func (c *console) join(cmd *cobra.Command, f joinFlags, name string) error {
	if f.write && f.check {
		return misused(cmd, "Use either --write or --check, not both.")
	}
	kind, err := join.Find(f.client)
	if err != nil {
		return err
	}
	return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
		if f.check {
			return c.checkJoined(ctx, hub, f, kind, name)
		}
		out, err := c.joinClient(cmd, hub, f, kind, name)
		if err != nil {
			return err
		}
		return c.show(out, func(v view.Screen) string { return c.joined(v, out, kind, f) })
	})
}

// findAgent finds a client agent by its name; empty if nobody has that name.
func findAgent(ctx context.Context, hub *client.Client, name string) (string, error) {
	agents, err := hub.Agents(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(agents, func(a api.Agent) bool { return strings.EqualFold(a.Name, name) })
	if i < 0 {
		return "", nil
	}
	if agents[i].Kind == string(parley.Person) {
		return "", parley.Errorf(parley.Conflict, "%s is a person, not an agent.", agents[i].Name).
			WithHint("Choose another name for the agent. A person's programs use a token of theirs: parley token create %s", shellQuote(agents[i].Name))
	}
	if agents[i].Kind != string(parley.Client) {
		return "", parley.Errorf(parley.Conflict, "%s is a %s agent of this team, which cannot join from outside.", agents[i].Name, agents[i].Kind).
			WithHint("Choose another name.")
	}
	return agents[i].Name, nil
}

// describe asks the person at the terminal what the agent is for.
func (c *console) describe(cmd *cobra.Command, name string) (string, error) {
	if _, interactive := terminal(c.in); !interactive {
		return "", misused(cmd, "%s is new: say with --description what it is for.", name)
	}
	_, _ = fmt.Fprintf(c.err, "%s is new. What is it for? One sentence, for the others: ", name)
	line, err := bufio.NewReader(c.in).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", err
	}
	if line = strings.TrimSpace(line); line == "" {
		return "", misused(cmd, "%s needs a description.", name)
	}
	return line, checkText("The description", line)
}

// joinSetup says how the agent's client reaches this hub.
func (c *console) joinSetup(ctx context.Context, hub *client.Client, f joinFlags, agent string) (s join.Setup, err error) {
	info, err := hub.Hub(ctx)
	if err != nil {
		return s, err
	}
	s = join.Setup{Agent: agent, HTTP: f.http, Allow: f.allow, NoHooks: f.noHooks, Getenv: c.getenv}
	if s.Program, err = thisProgram(); err != nil {
		return s, err
	}
	if s.Folder, err = filepath.Abs(f.folder); err != nil {
		return s, err
	}
	place, address := "", hub.Address()
	if elsewhere := cmp.Or(f.url, c.namedByAddress()); elsewhere != "" {
		address = strings.TrimSuffix(strings.TrimRight(elsewhere, "/"), "/mcp")
		place = address
		s.Locate = []string{"--url", address}
	} else {
		if place, err = c.hubData(); err != nil {
			return s, err
		}
		s.Locate = []string{"--data", place}
	}
	s.URL = address + "/mcp"
	s.TokenFile = join.TokenFile(join.StateFolder(c.getenv, info.Team, place), agent)
	s.Locate = append(s.Locate, "--token-file", s.TokenFile)
	return s, nil
}

// namedByAddress is the address of a hub elsewhere, if the environment names one and no
// flag names another.
func (c *console) namedByAddress() string {
	if c.dir != "" || c.data != "" || c.team != "" {
		return ""
	}
	return c.getenv(urlEnv)
}

// hubData is the data folder of the hub, from wherever it is looked at.
func (c *console) hubData() (string, error) {
	p, err := c.place()
	if err != nil {
		return "", err
	}
	return filepath.Abs(p.data)
}

// thisProgram is how a client starts parley. What go run builds is gone later.
func thisProgram() (string, error) {
	path, err := os.Executable()
	if err == nil && strings.Contains(path, "go-build") {
		return "", parley.Errorf(parley.Conflict, "A client cannot start what go run has built.").
			WithHint("Build the program first, with make build or go install ./cmd/parley, and use that one.")
	}
	return path, err
}

// ensureToken keeps a token that still works, or whose hub cannot be asked from here, and
// makes one otherwise.
func (c *console) ensureToken(ctx context.Context, hub *client.Client, s join.Setup, kind join.Client, made *joining) error {
	who, err := c.tokenOwner(ctx, s)
	if err == nil && strings.EqualFold(who, s.Agent) || parley.KindOf(err) == parley.Unavailable {
		return nil
	}
	if err := join.CheckSecret(s.TokenFile); err != nil {
		return err
	}
	label := "joined with " + kind.Name
	if host, err := os.Hostname(); err == nil {
		label += " on " + host
	}
	token, err := hub.CreateToken(ctx, api.TokenRequest{For: s.Agent, Label: label[:min(len(label), 80)]})
	if err != nil {
		return err
	}
	made.undo(func() error { _, err := hub.RevokeToken(context.WithoutCancel(ctx), token.ID); return err })
	made.undo(restore(s.TokenFile))
	return join.WriteSecret(s.TokenFile, []byte(token.Secret+"\n"))
}

// tokenOwner asks the hub that the agent's client is going to call whose token it has. The
// token is of no concern to any other hub.
func (c *console) tokenOwner(ctx context.Context, s join.Setup) (string, error) {
	token, err := readToken(s.TokenFile)
	if err != nil {
		return "", err
	}
	hub := c.clientOf(strings.TrimSuffix(s.URL, "/mcp"), token)
	defer hub.Close()
	hub.Looking = true // the client itself is not there
	info, err := hub.Hub(ctx)
	return info.You, err
}

func readToken(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", parley.Errorf(parley.NotFound, "The token cannot be read: %v.", err).WithHint("parley join makes a new one.").WithCause(err)
	}
	return strings.TrimSpace(string(text)), nil
}

func showJoined(kind join.Client, s join.Setup) ([]JoinedFile, string) {
	out := []JoinedFile{}
	for _, f := range kind.Files(s) {
		out = append(out, JoinedFile{Path: f.Path, Content: f.Sample(s)})
	}
	if kind.Command == nil {
		return out, ""
	}
	return out, join.Quote(kind.Command(s))
}

func joinNotes(kind join.Client, s join.Setup) []string {
	if kind.Notes == nil {
		return nil
	}
	return kind.Notes(s)
}

// joined tells what was done and what is left to do.
func (c *console) joined(v view.Screen, out Joined, kind join.Client, f joinFlags) string {
	var b strings.Builder
	what := "is a client agent of this team"
	if out.New {
		what = "is now a client agent of this team"
	}
	fmt.Fprintf(&b, "%s %s. Its token is in %s.\n", v.Paint(view.Bold, out.Agent), what, out.TokenFile)
	for _, file := range out.Files {
		switch {
		case !f.write:
			fmt.Fprintf(&b, "\nThis belongs into %s:\n\n%s", file.Path, file.Content)
		case file.Diff == "":
			fmt.Fprintf(&b, "\n%s is as it should be.\n", file.Path)
		default:
			fmt.Fprintf(&b, "\n%s", file.Diff)
		}
	}
	if out.Command != "" {
		fmt.Fprintf(&b, "\nFor the server alone, this command does the same:\n  %s\n", out.Command)
	}
	for _, note := range out.Notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	next := "--write"
	if f.write {
		next = "--check"
	}
	fmt.Fprintf(&b, "\n%s: %s\n", map[bool]string{true: "To see whether it works", false: "To write it"}[f.write],
		c.command("join %s --client %s %s", shellQuote(out.Agent), kind.Name, next))
	return b.String()
}
