// Package demo shows a team at work. It starts a real hub in a temporary folder
// with a team that follows a script, asks for a report, and narrates what happens
// by following the hub's own record.
//
// It uses the same API as everyone else, so it shows what a user gets.
package demo

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/cli/view"
	"parley/internal/config"
)

// Options say how the story is told.
type Options struct {
	Out io.Writer
	// Screen describes the reader's terminal.
	Screen view.Screen
	// JSON prints the hub's events, one per line, and nothing else.
	JSON bool
	// Fast leaves out the pauses for reading.
	Fast bool
	// Exit ends the demo with the story, instead of staying up until the context is
	// done.
	Exit bool
	// Keep is the folder in which the team and its data are kept. If it is empty, a
	// temporary folder is used and removed.
	Keep string
	// Link prints a link that signs the reader in to the page, once.
	Link bool
	// Open shows such a link in the browser; nil if it is not to.
	Open func(link string)
	// Program is how the reader starts this program.
	Program string
	Log     *slog.Logger
}

// Run tells the story. Then, without Exit, it stays up and tells what else happens.
// It returns an error if the story did not go as planned.
func Run(ctx context.Context, o Options) (err error) {
	dir, remove, err := makeTeam(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	hub, err := startHub(ctx, o, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hub.stop()) }()
	s := &stage{Options: o, hub: hub, dir: dir}
	return s.play(ctx)
}

// runningHub is a hub in this process, and a client of it.
type runningHub struct {
	*client.Client
	url   string
	end   context.CancelFunc
	ended chan error
}

// stopTime is how long turns get when the demo ends. It is short, since they are
// scripts.
const stopTime = 100 * time.Millisecond

func startHub(ctx context.Context, o Options, dir string) (*runningHub, error) {
	team, problems, err := config.Load(dir)
	if err != nil {
		return nil, err
	}
	// Ctrl-C first ends the story, then the hub, when nothing uses it any more.
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	h := &runningHub{end: end, ended: make(chan error, 1)}
	up := make(chan app.Serving, 1)
	go func() {
		h.ended <- app.Serve(ctx, app.ServeConfig{Team: team, Problems: problems, Listen: "127.0.0.1:0", Grace: stopTime, Log: o.Log,
			Ready: func(s app.Serving) { up <- s }})
	}()
	select {
	case err := <-h.ended:
		end()
		return nil, err
	case s := <-up:
		h.url = s.URL
		h.Client, err = client.Discover(s.Data)
	}
	if err != nil {
		return nil, errors.Join(err, h.stop())
	}
	return h, nil
}

func (h *runningHub) stop() error {
	if h.Client != nil {
		h.Close()
	}
	h.end()
	return <-h.ended
}

// stage is where the story is told.
type stage struct {
	Options
	hub      *runningHub
	dir      string
	printing sync.Mutex
}

// play tells the story from beginning to end.
func (s *stage) play(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	link, err := s.link(ctx)
	if err != nil {
		return err
	}
	s.print(s.opening(link))
	if s.Open != nil {
		s.Open(link)
	}
	n := newNarrator(s)
	told := make(chan error, 1)
	go func() { told <- n.follow(ctx) }()
	// The narrator stops before the hub does.
	defer func() { cancel(); <-told }()

	contact, err := s.hub.Contact(ctx, api.ContactRequest{Action: string(parley.Ask), Agent: lead, Message: request})
	if err != nil {
		return err
	}
	t, err := s.hub.WaitTask(ctx, contact.Task.ID, storyTime)
	if err != nil {
		return err
	}
	for _, what := range append([]string{t.ID}, beside...) {
		select {
		case <-n.heard(what):
		case <-time.After(storyTime): // what is missing is said below
		case err := <-told:
			told <- err
			return err
		}
	}
	tree, err := s.finale(ctx, t)
	if err != nil {
		return err
	}
	if err := errors.Join(asTold(t, tree, n.notified()), s.besides(ctx)); err != nil {
		return err
	}
	if s.Exit {
		return nil
	}
	return s.stay(ctx)
}

// storyTime is how long the story may take before something is wrong.
const storyTime = 2 * time.Minute

// stay keeps the hub up for whoever wants to try it.
func (s *stage) stay(ctx context.Context) error {
	waiting, err := s.hub.Approvals(ctx, false, 1)
	if err != nil {
		return err
	}
	s.print(s.invitation(waiting))
	select {
	case <-ctx.Done():
		s.print("\n")
		return nil
	case err := <-s.hub.ended:
		s.hub.ended <- err
		if err == nil {
			err = parley.Errorf(parley.Internal, "The hub stopped by itself.")
		}
		return err
	}
}
