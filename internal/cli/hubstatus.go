package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

// HubStatus is what "parley status --json" prints.
type HubStatus struct {
	api.Hub
	URL       string       `json:"url"`
	Agents    int          `json:"agents"`
	Working   []string     `json:"working"`
	Open      int          `json:"open_tasks"` // roots that have not ended
	Approvals int          `json:"approvals"`  // that you may decide
	Unread    int          `json:"unread"`     // in your inbox
	Today     api.Spending `json:"today"`
	Log       string       `json:"log,omitempty"` // of a hub in the background
}

func hubStatusCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show whether the hub runs, what it does and what waits for you",
		Long: `Show whether the hub of a team runs, since when, what its agents do, what the team has
spent today and what waits for you. The exit code is 3 if no hub runs.`,
		Example: `  parley status
  parley status --json | jq -r .url`,
		GroupID: groupStart,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				slow := time.AfterFunc(slowHub, func() {
					c.advise("The hub at %s is there but has not answered yet. It may be overloaded or stopped; still waiting.", hub.Address())
				})
				defer slow.Stop()
				status, err := c.hubStatus(ctx, hub)
				slow.Stop()
				if err != nil {
					return err
				}
				return c.show(status, func(s view.Screen) string { return c.hubStatusText(s, status) })
			})
		},
	}
}

// slowHub is how long a hub may be silent before the person is told what is waited for.
const slowHub = 3 * time.Second

func (c *console) hubStatus(ctx context.Context, hub *client.Client) (s HubStatus, err error) {
	s.URL, s.Working = hub.Address(), []string{}
	if s.Hub, err = hub.Hub(ctx); err != nil {
		return s, err
	}
	agents, err := hub.Agents(ctx)
	if err != nil {
		return s, err
	}
	for _, a := range agents {
		if a.Kind == string(parley.Person) || a.Status == string(parley.StatusOffline) {
			continue
		}
		s.Agents++
		if a.Running > 0 {
			s.Working = append(s.Working, a.Name)
		}
	}
	roots, err := hub.Tasks(ctx, client.TaskFilter{Open: true, Limit: longestList})
	if err != nil {
		return s, err
	}
	s.Open = len(roots)
	inbox, err := hub.Inbox(ctx, inboxLimit)
	if err != nil {
		return s, err
	}
	s.Approvals, s.Unread = len(inbox.Approvals), len(inbox.Items)
	if s.Today, err = hub.TeamBudget(ctx); err != nil {
		return s, err
	}
	s.Log = c.logOf()
	return s, nil
}

// logOf is the log of a hub in the background, if there is one on this machine.
func (c *console) logOf() string {
	if c.namedByAddress() != "" {
		return ""
	}
	p, err := c.place()
	if err != nil {
		return ""
	}
	log := filepath.Join(p.data, hubLog)
	if _, err := os.Stat(log); err != nil {
		return ""
	}
	return log
}

func (c *console) hubStatusText(s view.Screen, h HubStatus) string {
	text := s.Paint(view.Bold, "The hub of "+h.Team+" is up.") + "\n" + s.Facts(
		"address", h.URL,
		"since", s.When(h.Started),
		"process", fmt.Sprint(h.Process),
		"version", h.Version,
		"store", h.Store,
		"you are", h.You,
		"agents", atWork(h),
		"open tasks", fmt.Sprint(h.Open),
		"for you", forYou(h),
		"spent today", s.SpentToday(h.Today),
		"log", h.Log,
	)
	if h.Paused {
		text += s.Paint(view.Yellow, "!") + " " + c.pausedNote()
	}
	if h.Approvals+h.Unread > 0 {
		text += "See what waits for you with: " + c.command("inbox") + "\n"
	}
	return text
}

func atWork(h HubStatus) string {
	if len(h.Working) == 0 {
		return fmt.Sprintf("%d, none at work", h.Agents)
	}
	return fmt.Sprintf("%d, at work: %s", h.Agents, some(h.Working))
}

func forYou(h HubStatus) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{h.Approvals, "approval"}, {h.Unread, "message"}} {
		if p.n > 0 {
			parts = append(parts, view.Plural(p.n, p.what))
		}
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
