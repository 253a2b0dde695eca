package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"parley"
	"parley/client"
	"parley/internal/cli/view"
	"parley/internal/config"
	"parley/internal/hubfile"
)

const (
	hubLog = "hub.log"
	// longestLog is how much a log may hold before a new start puts it aside.
	longestLog = 16 << 20
)

// upDetached starts the hub in the background, waits until it is up, and shows what
// "parley up" shows. A hub that runs already is fine.
func (c *console) upDetached(ctx context.Context, flags []string, open bool) error {
	dir, err := c.folder()
	if err != nil {
		return err
	}
	data, err := c.dataOf(dir)
	if err != nil {
		return err
	}
	if hub, err := hubfile.Find(data); err == nil {
		return c.alreadyUp(ctx, data, hub)
	}
	log, err := openLog(data)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	// One start at a time: what a second one has to complain about would be in the log
	// of the first.
	turn, err := os.Open(data)
	if err != nil {
		return err
	}
	defer func() { _ = turn.Close() }()
	if err := syscall.Flock(int(turn.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if hub, err := hubfile.Find(data); err == nil {
		return c.alreadyUp(ctx, data, hub)
	}
	begin, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	up, err := c.launch(append([]string{"up", dir, "--json"}, flags...), log)
	if errors.Is(err, errNotUp) {
		if hub, ok := overtaken(ctx, data); ok {
			return c.alreadyUp(ctx, data, hub)
		}
	}
	if err != nil {
		return hubFailed(log.Name(), begin, err)
	}
	// The hub does not know the link, so that its log cannot have it.
	up.Link = c.linkTo(ctx, up.Data, open)
	if open {
		defer c.openPage(up.Link)
	}
	up.detached = true
	if c.json {
		return c.line(up)
	}
	return c.show(up, func(s view.Screen) string {
		return c.upText(s, up) + "It writes its log to " + log.Name() + ".\n" + "Stop it with: " + c.command("down") + "\n"
	})
}

// alreadyUp tells where the hub is that runs already; with --json in the form that a
// start has.
func (c *console) alreadyUp(ctx context.Context, data string, hub hubfile.Hub) error {
	if !c.json {
		c.say("The hub of %s is already up at %s, as process %d.", hub.Team, hub.URL, hub.Process)
		return nil
	}
	at := client.New(hub.URL, hub.Token)
	defer at.Close()
	about, err := at.Hub(ctx)
	if err != nil {
		return err
	}
	team, err := members(ctx, data)
	if err != nil {
		return err
	}
	return c.line(Up{URL: hub.URL, Team: about.Team, Person: about.You, Data: data, Store: about.Store,
		Agents: team.agents, Lead: team.lead, Paused: team.paused, Problems: []Mistake{}, Warnings: []Mistake{}, Already: true})
}

// overtaken finds the hub that somebody else started in the same moment: it has the data
// folder, and says where it is when it is up.
func overtaken(ctx context.Context, data string) (hubfile.Hub, bool) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for hubfile.Held(data) {
		if hub, err := hubfile.Find(data); err == nil {
			return hub, true
		}
		select {
		case <-ctx.Done():
			return hubfile.Hub{}, false
		case <-tick.C:
		}
	}
	return hubfile.Hub{}, false
}

// dataOf is the data folder of a team's hub, whether it runs or not.
func (c *console) dataOf(dir string) (string, error) {
	if c.data != "" {
		return filepath.Abs(c.data)
	}
	return config.DataFolder(dir)
}

// openLog opens the file that a hub in the background writes to. Only its owner may
// read it, like everything in the folder.
func openLog(data string) (*os.File, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(data, hubLog)
	if info, err := os.Stat(path); err == nil && info.Size() > longestLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
}

// launch starts this program again, without a terminal and in a session of its own, so
// that neither Ctrl-C nor the end of the shell reaches it. It returns when the hub has
// said that it is up.
func (c *console) launch(args []string, log *os.File) (up Up, err error) {
	program, err := os.Executable()
	if err != nil {
		return up, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return up, err
	}
	defer func() { _ = read.Close() }()
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = write, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		return up, err
	}
	line, err := bufio.NewReader(read).ReadBytes('\n')
	if err != nil {
		return up, errors.Join(errNotUp, cmd.Wait())
	}
	if err := json.Unmarshal(line, &up); err != nil {
		return up, err
	}
	return up, cmd.Process.Release()
}

var errNotUp = errors.New("the hub ended before it was up")

// hubFailed says why a hub in the background did not start, in its own words.
func hubFailed(log string, begin int64, err error) error {
	if !errors.Is(err, errNotUp) {
		return err
	}
	said, readErr := os.ReadFile(log)
	if readErr != nil || int64(len(said)) < begin {
		said, begin = nil, 0
	}
	var p struct{ Message, Hint string }
	for line := range bytes.SplitSeq(bytes.TrimSpace(said[begin:]), []byte("\n")) {
		if json.Unmarshal(line, &p) == nil && p.Message != "" {
			break
		}
	}
	if p.Message == "" {
		_ = json.Unmarshal(said[begin:], &p) // written over several lines
	}
	if p.Message == "" {
		p.Message, p.Hint = "The hub did not start.", "Its log says more: "+log
	}
	return parley.Errorf(parley.Failed, "%s", strings.TrimSpace(p.Message)).WithHint("%s", strings.TrimSpace(p.Hint)).WithCause(err)
}
