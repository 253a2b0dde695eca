package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/hubfile"
)

const (
	dirEnv  = "PARLEY_DIR"
	teamEnv = "PARLEY_TEAM"
	// urlEnv and tokenEnv are the address and the token of a hub that may be anywhere.
	urlEnv   = "PARLEY_URL"
	tokenEnv = "PARLEY_TOKEN"
)

// place is where the command's team is and where its hub is.
type place struct {
	// dir is the folder of the team, and hubDir that of the hub's own team; empty if
	// only the data folder is known.
	dir, hubDir string
	data        string // the hub's data folder
	team        string // a further team of the hub; empty for its own
}

// place finds the team by the flags, the environment and the folder.
func (c *console) place() (place, error) {
	p, err := c.nearest()
	if err != nil {
		return p, err
	}
	name := cmp.Or(c.team, c.getenv(teamEnv))
	if name == "" {
		return p, nil
	}
	list, err := hubfile.Teams(p.data)
	if err != nil {
		return p, err
	}
	if i := slices.IndexFunc(list, func(t hubfile.Team) bool { return t.Is(name) && !t.Leaving }); i >= 0 {
		p.dir, p.team = list[i].Folder, list[i].Name
		return p, nil
	}
	p.dir, p.team = p.hubDir, ""
	if own := c.ownName(p); own == "" || parley.FoldName(own) != parley.FoldName(name) {
		return p, app.ErrNoTeam(name, list)
	}
	return p, nil
}

// nearest is the place without regard to the name of a team.
func (c *console) nearest() (p place, err error) {
	p.dir, err = c.folder()
	p.hubDir, p.data = p.dir, c.data
	if c.data == "" { // --data alone is enough to reach a hub
		if err != nil {
			return p, err
		}
		if p.data, err = dataDir(p.dir); err != nil {
			return p, err
		}
	}
	if hub, err := hubfile.FindTeam(p.data, ""); err == nil && hub.Folder != "" {
		p.hubDir = hub.Folder // --data may have been given in the folder of another team
	}
	if at, ok := hubfile.Pointed(p.data); ok {
		p.hubDir, p.data, p.team = at.Folder, at.Hub, at.Team
	}
	return p, nil
}

// ownName is the name of the hub's own team.
func (c *console) ownName(p place) string {
	if hub, err := hubfile.FindTeam(p.data, ""); err == nil || hub.Team != "" {
		return hub.Team
	}
	if p.hubDir == "" {
		return ""
	}
	name, err := config.TeamName(p.hubDir)
	if err != nil {
		return ""
	}
	return name
}

// teamDir is the folder of the command's team.
func (c *console) teamDir() (string, error) {
	if c.team == "" && c.getenv(teamEnv) == "" {
		return c.folder()
	}
	p, err := c.place()
	if err == nil && p.dir == "" {
		return c.folder() // its error says what is missing
	}
	return p.dir, err
}

// folder is the team's folder that was named, or the nearest one.
func (c *console) folder() (string, error) {
	if c.dir != "" {
		return c.dir, nil
	}
	if dir := c.getenv(dirEnv); dir != "" {
		return dir, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, config.TeamFile)); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", parley.Errorf(parley.NotFound, "There is no team in %s or above it: no folder there has a %s.", here, config.TeamFile).
				WithHint("Name the folder with --dir or %s, or make a team with: parley init", dirEnv)
		}
	}
}

// atHub runs the command at the hub of its team.
func (c *console) atHub(cmd *cobra.Command, do func(context.Context, *client.Client) error) error {
	hub, err := c.connect()
	if err != nil {
		return err
	}
	defer hub.Close()
	return do(cmd.Context(), hub)
}

// connect finds the hub that serves the team.
func (c *console) connect() (*client.Client, error) {
	if c.namedByAddress() != "" {
		return c.byAddress()
	}
	p, err := c.place()
	if err != nil {
		return nil, err
	}
	return c.connectTo(p)
}

func (c *console) connectTo(p place) (*client.Client, error) {
	hub, err := discover(p)
	if err != nil {
		return nil, noHubFor(c.startCommand(p), p.data, err)
	}
	return hub, nil
}

// byAddress connects to the hub that the environment names.
func (c *console) byAddress() (*client.Client, error) {
	secret := c.getenv(tokenEnv)
	if secret == "" {
		return nil, parley.Errorf(parley.Unauthentic, "%s is set, but %s is not.", urlEnv, tokenEnv).
			WithHint("A person of the team makes a token with: parley token create NAME. To use the hub of a folder, give --dir.")
	}
	return c.clientOf(c.getenv(urlEnv), secret), nil
}

// startTime is how long a starting hub may take to publish its address.
const startTime = 3 * time.Second

// discover finds a hub, even one that is just starting.
func discover(p place) (*client.Client, error) {
	for end := time.Now().Add(startTime); ; {
		held := hubfile.Held(p.data)
		hub, err := client.DiscoverTeam(p.data, p.team)
		if parley.KindOf(err) != parley.Unavailable || !held || time.Now().After(end) {
			return hub, err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// dataDir is the data folder of a team's hub. If parley.yaml has a mistake, the
// default folder is tried, so that a running hub can still be reached.
func dataDir(dir string) (string, error) {
	data, err := config.DataFolder(dir)
	if err == nil {
		return data, nil
	}
	usual := filepath.Join(dir, config.DefaultData)
	if hubfile.Held(usual) {
		return usual, nil
	}
	return "", err
}

// startCommand is the command that starts the hub of this team.
func (c *console) startCommand(p place) string {
	up := "parley up"
	if p.hubDir == "" {
		up += " DIR" // --data alone does not say which team
	} else if here, err := os.Getwd(); err != nil || !sameDir(here, p.hubDir) {
		up += " " + shellQuote(p.hubDir)
	}
	return up + c.dataFlag()
}

// dataFlag is the flag --data for a command that needs the same data folder.
func (c *console) dataFlag() string {
	if c.data == "" {
		return ""
	}
	return " --data " + shellQuote(c.data)
}

// noHubFor says how to start one.
func noHubFor(up, data string, err error) error {
	var e *parley.Error
	if errors.As(err, &e) && e.Kind == parley.Unavailable && !hubfile.Held(data) {
		err = e.WithHint("Start one with: %s", up)
	}
	return markNoHub(err)
}

// markNoHub marks an error for isNoHub.
func markNoHub(err error) error {
	var e *parley.Error
	if errors.As(err, &e) && e.Kind == parley.Unavailable {
		return e.WithCause(errNoHub)
	}
	return err
}

func sameDir(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

var errNoHub = errors.New("no hub")

// isNoHub reports whether an error says that no hub answered. A hub's own error
// about an agent that is unavailable has no cause, since causes are never sent.
func isNoHub(err error) bool {
	var e *parley.Error
	return errors.As(err, &e) && e.Kind == parley.Unavailable && e.Cause != nil
}
