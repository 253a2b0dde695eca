package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
	"parley/internal/demo"
)

// stage is the demo's hub, of which pictures are taken after its story.
type stage struct {
	*client.Client
	url string
}

// story runs the demo with its pauses, so that times are as people see them, and then has
// pictures taken. The browser is signed in, and the page has been open all the time.
func (c *camera) story(ctx context.Context, dir string, then func(context.Context, stage) error) (err error) {
	ctx, stop := context.WithCancel(ctx)
	link, ended := make(chan string, 1), make(chan error, 1)
	told := &listener{text: "Your turn", heard: make(chan struct{})}
	go func() {
		ended <- demo.Run(ctx, demo.Options{Out: told, Screen: view.Screen{Width: 80}, Keep: dir, Program: "parley",
			Open: func(l string) { link <- l }, Log: slog.New(slog.DiscardHandler)})
	}()
	defer func() { stop(); err = errors.Join(err, <-ended) }()
	select {
	case err := <-ended:
		ended <- nil
		return err
	case l := <-link:
		if err := chromedp.Do(c.ctx, chromedp.Navigate(l), chromedp.WaitVisible(chromedp.CSS("#needs-h"))); err != nil {
			return err
		}
	}
	select {
	case err := <-ended:
		ended <- nil
		return err
	case <-told.heard:
	}
	hub, err := client.Discover(filepath.Join(dir, ".parley"))
	if err != nil {
		return err
	}
	defer hub.Close()
	at, err := chromedp.Run(c.ctx, chromedp.Location())
	if err != nil {
		return err
	}
	return then(ctx, stage{hub, strings.TrimSuffix(at, "/")})
}

// views are all views of the demo: when the story has ended, and while the next report is
// made.
func (c *camera) views(ctx context.Context, h stage) error {
	approvals, err1 := h.Approvals(ctx, false, 1)
	threads, err2 := h.Threads(ctx, "PublisherBot", "ArchiveBot")
	if err := errors.Join(err1, err2); err != nil || len(approvals) == 0 || len(threads) < 2 {
		return fmt.Errorf("no approval, or no thread: %w", err)
	}
	for _, v := range []struct{ name, path string }{
		{"home", "/"}, {"tasks", "/tasks"}, {"task", "/tasks/task-101"}, {"diff", "/tasks/task-104/diff"}, {"talk", "/talk"},
		{"channel", "/c/reports"}, {"dm", "/dm/CoordinatorBot"}, {"between", "/dm/AnalystBot/DataBot"}, {"thread", "/thread/" + threads[1].ID},
		{"agents", "/agents"}, {"agent", "/agents/CoordinatorBot"}, {"rules", "/agents/PublisherBot/rules"}, {"tools", "/agents/CoordinatorBot/tools"}, {"docs", "/agents/DataBot/docs"},
		{"approvals", "/approvals"}, {"approval", "/approvals/" + approvals[0].ID}, {"questions", "/questions"}, {"question", "/questions/query-1"},
		{"keepers", "/keepers"}, {"keeper", "/keepers/keeper-1"}, {"search", "/search?q=customers"}, {"everything", "/search"},
		{"graph", "/graph"}, {"cost", "/cost"}, {"you", "/you"},
	} {
		if err := c.take(h.url+v.path, v.name); err != nil {
			return err
		}
	}
	task, err := c.working(ctx, h)
	if err != nil {
		return err
	}
	if err := c.catch("home-working"); err != nil {
		return err
	}
	if err := c.open(h.url + "/tasks/" + task); err != nil {
		return err
	}
	return c.catch("task-working")
}

// working asks for another report and returns in the middle of the work on it, with home
// open: somebody has just been named in the channel, and three others are still busy.
func (c *camera) working(ctx context.Context, h stage) (task string, err error) {
	if err := errors.Join(c.look(shots[0]), c.open(h.url)); err != nil {
		return "", err
	}
	r, err := h.Contact(ctx, api.ContactRequest{Action: string(parley.Delegate), Agent: "CoordinatorBot", Message: "Now the report for Q2, please."})
	if err != nil {
		return "", err
	}
	// It has happened once before, for the first report.
	for e, err := range h.Events(ctx, "", true) {
		if err != nil {
			return "", err
		}
		if !r.Task.Created.After(e.At) && e.Kind == string(parley.EventTask) && e.Target == "PublisherBot" && e.Actor == "AnalystBot" {
			return r.Task.ID, chromedp.Do(c.ctx, chromedp.WaitVisible(chromedp.CSS("#row-"+e.Task+" .st-run")))
		}
	}
	return "", errors.New("nobody was asked to prepare the page")
}

// listener notices when a text has been written.
type listener struct {
	text  string
	heard chan struct{}

	mu   sync.Mutex
	told bytes.Buffer
	done bool
}

func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.told.Write(p)
	if !l.done && strings.Contains(l.told.String(), l.text) {
		l.done = true
		close(l.heard)
	}
	return n, err
}
