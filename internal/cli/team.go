package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/config"
	"parley/internal/hubfile"
)

const (
	dirEnv = "PARLEY_DIR"
	// urlEnv and tokenEnv are the address and the token of a hub that may be anywhere.
	urlEnv   = "PARLEY_URL"
	tokenEnv = "PARLEY_TOKEN"
)

// teamDir is the folder of the command's team.
func (c *console) teamDir() (string, error) {
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

// connect finds the hub that runs for the team.
func (c *console) connect() (*client.Client, error) {
	if c.dir == "" && c.data == "" && c.getenv(urlEnv) != "" {
		return c.byAddress()
	}
	if c.data != "" {
		hub, err := discover(c.data)
		if err != nil {
			return nil, noHubFor(c.startCommand(), c.data, err)
		}
		return hub, nil
	}
	dir, err := c.teamDir()
	if err != nil {
		return nil, err
	}
	data, err := dataDir(dir)
	if err != nil {
		return nil, err
	}
	hub, err := discover(data)
	if err != nil {
		return nil, noHubFor(c.startCommand(), data, err)
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
	return client.New(c.getenv(urlEnv), secret), nil
}

// startTime is how long a starting hub may take to publish its address.
const startTime = 3 * time.Second

// discover finds a hub, even one that is just starting.
func discover(data string) (*client.Client, error) {
	for end := time.Now().Add(startTime); ; {
		held := hubfile.Held(data)
		hub, err := client.Discover(data)
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
func (c *console) startCommand() string {
	up := "parley up"
	dir, err := c.teamDir()
	if err != nil {
		up += " DIR" // --data alone does not say which team
	} else if here, err := os.Getwd(); err != nil || !sameDir(here, dir) {
		up += " " + shellQuote(dir)
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
