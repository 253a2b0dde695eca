package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/app"
	"parley/internal/cli/view"
	"parley/internal/config"
)

// Up is what "parley up --json" prints when the hub is up.
type Up struct {
	URL      string    `json:"url"`
	Public   string    `json:"public,omitempty"` // where other machines reach it
	Team     string    `json:"team"`
	Person   string    `json:"person"`
	Data     string    `json:"data"`
	Store    string    `json:"store"`
	Agents   []string  `json:"agents"`
	Lead     string    `json:"lead,omitempty"`   // whom to talk to first
	Paused   bool      `json:"paused,omitempty"` // the team was paused before the hub stopped
	Problems []Mistake `json:"problems"`
	Warnings []Mistake `json:"warnings"`
	// Teams are the further teams of the hub.
	Teams []string `json:"teams,omitempty"`
	// Unserved says what keeps further teams out.
	Unserved []string `json:"unserved,omitempty"`
	// Link signs you in to the page, once. It is there only with --open.
	Link string `json:"link,omitempty"`
	// Already says that the hub was up before.
	Already bool `json:"already,omitempty"`

	detached bool // it leaves this terminal free
}

// Mistake is a mistake in a team's files. Line is left out if it is about the
// whole file.
type Mistake struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

func upCommand(c *console) *cobra.Command {
	var listen string
	var verbose, logJSON, detach, open bool
	cmd := &cobra.Command{
		Use:   "up [DIR]",
		Short: "Start the hub of a team",
		Long: `Start the hub of a team and keep it running.

A mistake in a file is shown with its place; the rest of the team starts anyway.
It logs a line when a task begins and when it ends; -v logs each step too.

Ctrl-C stops in order: running turns get a moment to finish. A second Ctrl-C stops
at once. Nothing is lost either way, not even if the machine loses power.

The hub reads changed files while it runs, some seconds after the change. SIGHUP
makes it read them at once, like "parley reload".

With -d it runs in the background: the command returns when the hub is up, or says why
it is not, and does nothing if it is up already. "parley down" stops it, "parley status"
looks after it, and its log is hub.log in the data folder. To start it with the machine,
see "parley service".

At a terminal it prints a link that signs you in to the hub's page, once, within ten
minutes. --open opens the page in the browser ($BROWSER, or that of the system), also
if the hub is up already.`,
		Example: `  parley up
  parley up -d
  parley up --open                         # and see the page
  parley up my-team
  parley up my-team --listen 127.0.0.1:0   # any free port
  parley up my-team --log-json 2>> hub.log`,
		GroupID: groupStart,
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				c.dir = args[0]
			}
			if open {
				if found, err := c.openBeside(cmd.Context()); found || err != nil {
					return err
				}
			}
			if detach {
				return c.upDetached(cmd.Context(), passed(cmd, "listen", "verbose", "log-json"), open)
			}
			log := c.logger(logJSON, logLevel(logJSON, verbose))
			return c.up(cmd.Context(), listen, log, &workLog{log: workLogger(log), asJSON: logJSON, steps: verbose}, open)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "the `address` to listen on, instead of the one in parley.yaml")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "log everything that happens, with a line for each step")
	cmd.Flags().BoolVar(&logJSON, "log-json", false, "log as JSON")
	cmd.Flags().BoolVarP(&detach, "detach", "d", false, "run in the background")
	cmd.Flags().BoolVar(&open, "open", false, "open the page in the browser, also of a hub that is up already")
	return cmd
}

// passed is the flags among these that were given, to be given to another command,
// with the folder of the data.
func passed(cmd *cobra.Command, names ...string) (args []string) {
	for _, name := range append(names, "data") {
		if f := cmd.Flag(name); f != nil && f.Changed {
			args = append(args, "--"+name+"="+f.Value.String())
		}
	}
	return args
}

// logLevel is the lowest level to log. A person at the terminal wants to hear of
// trouble only. A file is read later, to find out when something happened.
func logLevel(forFile, verbose bool) slog.Level {
	switch {
	case verbose:
		return slog.LevelDebug
	case forFile:
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

func (c *console) up(ctx context.Context, listen string, log *slog.Logger, work *workLog, open bool) error {
	dir, err := c.folder()
	if err != nil {
		return err
	}
	team, problems, err := config.Load(dir)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	return c.serve(ctx, app.ServeConfig{
		Team: team, Problems: problems, Listen: listen, Data: c.data, Log: log,
	}, func(s app.Serving) error {
		link := c.linkTo(ctx, s.Data, open)
		err := c.showUp(ctx, s, link)
		if open {
			working.Go(func() { c.openPage(link) })
		}
		working.Go(func() { work.run(ctx, s) })
		return err
	})
}

// serve runs a hub until it is told to stop.
func (c *console) serve(ctx context.Context, cfg app.ServeConfig, ready func(app.Serving) error) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	reload := make(chan struct{}, 1)
	cfg.Reload = reload
	terminal := hasTerminal()
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	up := make(chan app.Serving, 1)
	cfg.Ready = func(s app.Serving) { up <- s }
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ctx, cfg) }()

	data := ""
	for stopping := false; ; {
		select {
		case err := <-ended:
			if stopping && err == nil {
				c.advise("Stopped.")
			}
			return err
		case s := <-up:
			data = s.Data
			if err := ready(s); err != nil {
				c.say("%v", err)
			}
		case got := <-signals:
			if got == syscall.SIGHUP && (!terminal || hasTerminal()) {
				select {
				case reload <- struct{}{}:
				default: // a reload is already pending
				}
				continue
			}
			if stopping && got != os.Interrupt { // whoever starts programs may say it twice
				c.say("Still stopping. Ctrl-C stops at once.")
				continue
			}
			if stopping {
				c.say("Stopped at once. Unfinished turns go on with the next start.")
				return silent{exitInterrupted}
			}
			stopping = true
			c.advise("%s", c.stopping(ctx, data, "Ctrl-C again stops at once."))
			stop()
		}
	}
}

// hasTerminal reports whether a terminal controls the program. If so, SIGHUP
// means that the terminal was closed and the program has to end. Otherwise it
// means: read the files again.
func hasTerminal() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	_ = tty.Close()
	return true
}

// busyTime is how long it may take to find out which turns are running.
const busyTime = 500 * time.Millisecond

// stopping says what an orderly stop waits for, and how not to.
func (c *console) stopping(ctx context.Context, data, impatient string) string {
	const nothing = "Stopping."
	hub, err := client.Discover(data)
	if err != nil {
		return nothing
	}
	defer hub.Close()
	ctx, cancel := context.WithTimeout(ctx, busyTime)
	defer cancel()
	agents, err := hub.Agents(ctx)
	if err != nil {
		return nothing
	}
	var busy []string
	for _, a := range agents {
		if a.Running > 0 && a.Kind == string(parley.Native) {
			busy = append(busy, a.Name)
		}
	}
	if busy == nil {
		return nothing
	}
	return "Stopping when the turns of " + some(busy) + " have finished. " + impatient
}

func (c *console) showUp(ctx context.Context, s app.Serving, link string) error {
	team, err := members(ctx, s.Data)
	if err != nil {
		return err
	}
	up := Up{URL: s.URL, Public: s.Public, Team: s.Team, Person: s.Person, Data: s.Data, Store: s.Store,
		Agents: team.agents, Lead: team.lead, Paused: team.paused, Link: link, Problems: mistakes(s.Problems), Warnings: mistakes(s.Warnings)}
	for _, t := range s.Teams {
		if t.Served() {
			up.Teams = append(up.Teams, t.Name)
		} else {
			up.Unserved = append(up.Unserved, t.Name+": "+strings.Join(t.Problems, " "))
		}
	}
	if c.json {
		return c.line(up)
	}
	return c.show(up, func(screen view.Screen) string { return c.upText(screen, up) + "Ctrl-C stops it.\n" })
}

// upTeam is the team of a hub that is up.
type upTeam struct {
	agents []string
	lead   string // whom to talk to first
	paused bool
}

// members asks the hub who is in the team, since an agent of the files may have
// been left out.
func members(ctx context.Context, data string) (upTeam, error) {
	team := upTeam{agents: []string{}}
	hub, err := client.Discover(data)
	if err != nil {
		return team, err
	}
	defer hub.Close()
	list, err := hub.AgentList(ctx)
	team.paused = list.Paused
	for _, a := range list.Agents {
		if a.Kind != string(parley.Person) && a.Status != string(parley.StatusOffline) {
			team.agents = append(team.agents, a.Name)
		}
		if a.Lead {
			team.lead = a.Name
		}
	}
	return team, err
}

func mistakes(problems []config.Problem) []Mistake {
	list := []Mistake{}
	for _, p := range problems {
		list = append(list, Mistake(p))
	}
	return list
}

// mostNames is how many names a line lists before it counts them instead.
const mostNames = 20

func some(names []string) string {
	if len(names) <= mostNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%d, among them %s", len(names), strings.Join(names[:mostNames], ", "))
}

func (c *console) upText(s view.Screen, up Up) string {
	facts := []string{"address", up.URL}
	if up.Public != "" {
		facts = append(facts, "for others", up.Public)
	}
	text := s.Paint(view.Bold, "The hub of "+up.Team+" is up.") + "\n" + s.Facts(append(facts,
		"you are", up.Person,
		"agents", some(up.Agents),
		"lead", up.Lead,
		"store", up.Store,
		"teams", some(up.Teams),
	)...)
	for _, problem := range up.Unserved {
		text += s.Bad() + " The team " + problem + "\n"
	}
	for _, m := range up.Problems {
		text += s.Bad() + " " + m.String() + "\n"
	}
	for _, m := range up.Warnings {
		text += s.Paint(view.Yellow, "!") + " " + m.String() + "\n"
	}
	if up.Paused {
		text += s.Paint(view.Yellow, "!") + " " + c.pausedNote()
	}
	if len(up.Agents) > 0 {
		where := " from another terminal"
		if up.detached {
			where = ""
		}
		text += "Talk to it" + where + ":\n" +
			"  " + c.command(`ask %s "..."`, shellQuote(cmp.Or(up.Lead, up.Agents[0]))) + "\n" +
			"  " + c.command("agents") + "\n"
	}
	if up.Link != "" && c.showsLinks() {
		text += linkText(up.Link)
	}
	return text
}

// String writes file:line, which editors and terminals make clickable.
func (m Mistake) String() string { return config.Problem(m).String() }
