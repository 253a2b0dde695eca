package cli

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"parley/client"
	"parley/internal/cli/view"
	"parley/internal/hubfile"
)

// Page is what "parley up --open --json" prints beside a hub that is up already.
type Page struct {
	URL     string    `json:"url"`
	Link    string    `json:"link"` // signs you in to the page, once
	Expires time.Time `json:"expires"`
}

// newPage makes a link at a hub.
func newPage(ctx context.Context, hub *client.Client) (Page, error) {
	l, err := hub.CreateLink(ctx)
	return Page{URL: hub.Address(), Link: hub.Address() + l.Path, Expires: l.Expires}, err
}

// showsLinks reports whether a link may be printed. Whoever reads a log later must not
// find one there, so it takes a terminal.
func (c *console) showsLinks() bool {
	_, ok := terminal(c.out)
	return ok && !c.json
}

// linkTo makes the link to the page of a hub that has just come up, if it can be shown or is to be
// opened. Without one the hub is as good, so a failure is only said.
func (c *console) linkTo(ctx context.Context, data string, open bool) string {
	if !open && !c.showsLinks() {
		return ""
	}
	hub, err := client.Discover(data)
	if err != nil {
		c.say("There is no link to the page: %v", err)
		return ""
	}
	defer hub.Close()
	p, err := newPage(ctx, hub)
	if err != nil {
		c.say("There is no link to the page: %v", err)
		return ""
	}
	return p.Link
}

// linkText is the link for people.
func linkText(link string) string {
	return "Open " + link + "\n  It opens the page once, within ten minutes. For another: parley up --open\n"
}

// openBeside makes a link to the page of a hub that is up already, and opens it. found
// is false if no hub runs.
func (c *console) openBeside(ctx context.Context) (found bool, err error) {
	dir, err := c.folder()
	if err != nil {
		return false, err
	}
	data, err := c.dataOf(dir)
	if err != nil {
		return false, err
	}
	running, err := hubfile.Find(data)
	if err != nil {
		return false, nil // to start one says better what is wrong
	}
	hub, err := client.DiscoverTeam(data, c.team)
	if err != nil {
		return true, err
	}
	defer hub.Close()
	p, err := newPage(ctx, hub)
	if err != nil {
		return true, err
	}
	c.advise("The hub of %s is up at %s.", running.Team, running.URL)
	switch {
	case c.json:
		err = c.show(p, func(view.Screen) string { return "" })
	case c.showsLinks():
		_, err = io.WriteString(c.out, linkText(p.Link))
	}
	c.openPage(p.Link)
	return true, err
}

// openPage shows a link in the browser. If there is none, whoever asked for it gets the link.
func (c *console) openPage(link string) {
	if link == "" {
		return
	}
	if err := c.browse(link); err != nil {
		c.say("No browser could be started: %v. Open %s", err, link)
		return
	}
	c.advise("The page opens in your browser.")
}

// browserTime is how long a browser may take to say that it cannot. Some programs end
// at once, and others with their last window.
const browserTime = 3 * time.Second

var errNoBrowser = errors.New("there is no screen here")

// browse starts the first browser that works.
func (c *console) browse(link string) error {
	err := errNoBrowser
	for _, words := range c.browsers() {
		if err = startBrowser(words, link); err == nil {
			return nil
		}
	}
	return err
}

// browsers are the commands that open a page: those of $BROWSER, which are separated by
// colons and may have a %s for the address, or else that of the system.
func (c *console) browsers() (list [][]string) {
	for command := range strings.SplitSeq(c.getenv("BROWSER"), ":") {
		if words := strings.Fields(command); len(words) > 0 {
			list = append(list, words)
		}
	}
	switch {
	case list != nil:
		return list
	case runtime.GOOS == "darwin":
		return [][]string{{"open"}}
	case c.getenv("DISPLAY") == "" && c.getenv("WAYLAND_DISPLAY") == "":
		return nil
	}
	return [][]string{{"xdg-open"}}
}

func startBrowser(words []string, link string) error {
	args, put := make([]string, 0, len(words)), false
	for _, w := range words[1:] {
		put = put || strings.Contains(w, "%s")
		args = append(args, strings.ReplaceAll(w, "%s", link))
	}
	if !put {
		args = append(args, link)
	}
	cmd := exec.Command(words[0], args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C ends the hub, and not the browser
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(browserTime):
		return nil
	}
}
