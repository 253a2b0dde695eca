package client

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/api"
)

// Handler works on one task and returns its result. If it returns an error, the task
// fails with the error's text, and whoever asked reads it. The context ends when the task
// was cancelled or the program stops; what a handler returns after that does not count.
//
// A handler may run twice for the same task, if its program is killed in between. What it
// tells others through its Work is told once all the same.
type Handler func(ctx context.Context, w *Work) (result string, err error)

// Serve works as the agent whose token the client has, until the context is done: see
// Loop.
func Serve(ctx context.Context, c *Client, h Handler) error {
	return Loop{Client: c, Handler: h}.Run(ctx)
}

// Loop is what an agent program does: it waits for work, works on several tasks at once,
// and ends each with what its handler returns. It waits for a hub that is away. A program
// that is killed and started again goes on with the tasks that it had; each is ended
// once. There should be one such program for an agent at a time.
type Loop struct {
	Client  *Client
	Handler Handler
	// Mail is shown what is no task: notifications, posts, results of delegations,
	// requests for approval. They come one after the other, and count as seen when it
	// returns. If it is nil they are
	// only logged, at the level debug.
	Mail func(ctx context.Context, item api.BatchItem)
	// AtOnce is how many tasks are worked on at once; 4 if 0, at most 100.
	AtOnce int
	// Grace is how long tasks may still take when the program stops; 10 seconds if 0.
	// What is not done by then is handed out again when the program is started again.
	Grace time.Duration
	// Poll is how long one request waits for work; a minute if 0.
	Poll time.Duration
	// Log says what goes wrong; slog.Default() if nil.
	Log *slog.Logger
}

const (
	usualAtOnce = 4
	mostAtOnce  = 100
	usualGrace  = 10 * time.Second
	usualPoll   = time.Minute
	// beat is how often a program that does not poll says that it is there. The hub
	// takes work back after five minutes without a call.
	beat = 30 * time.Second
)

// Run serves until the context is done, and then stops in order: it takes no more work,
// lets handlers finish within the grace, ends their contexts, and returns nil. It returns
// an error if the hub refuses the program for good, as it does when the token was revoked.
func (l Loop) Run(ctx context.Context) error {
	l.AtOnce = min(cmp.Or(max(l.AtOnce, 0), usualAtOnce), mostAtOnce)
	l.Grace, l.Poll = cmp.Or(l.Grace, usualGrace), cmp.Or(l.Poll, usualPoll)
	if l.Log == nil {
		l.Log = slog.Default()
	}
	working, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	r := &running{Loop: l, working: working, slots: make(chan struct{}, l.AtOnce), freed: make(chan struct{}, 1), busy: map[string]context.CancelFunc{}}
	var beating sync.WaitGroup
	beating.Go(r.beats)
	err := r.receive(ctx)
	if err == nil {
		r.settle()
	}
	giveUp()
	r.handlers.Wait()
	beating.Wait()
	return err
}

// running is a Loop while it runs.
type running struct {
	Loop
	working  context.Context // ends when handlers are not waited for any longer
	slots    chan struct{}
	freed    chan struct{}
	handlers sync.WaitGroup
	cursor   string

	mu   sync.Mutex
	busy map[string]context.CancelFunc // by task
}

// receive begins what comes. A cursor is given back when everything of its batch is
// either done or held by this program's agent, who is handed it again when it resumes.
func (r *running) receive(ctx context.Context) error {
	resume, p := true, pauses{}
	for r.room(ctx) {
		f := Fetch{Cursor: r.cursor, Limit: r.AtOnce - len(r.tasks()), Wait: r.Poll}
		if resume {
			f = Fetch{Cursor: r.cursor, Limit: mostAtOnce, Resume: true}
		}
		b, err := r.Client.Receive(ctx, f)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !passes(err):
			return err
		case err != nil:
			r.Log.Warn("No work from the hub; trying again.", "error", err)
			p.next(ctx)
			continue
		}
		p, r.cursor = pauses{}, b.Cursor
		began := r.begin(ctx, b.Items)
		// Tasks that are held and not worked on were handed out in a response that got
		// lost. Looking for them twice in a row shows nothing new.
		resume = r.missing(b.Held) && (began || !resume)
	}
	return nil
}

// room waits until another task can be begun. It reports false when the context is done.
func (r *running) room(ctx context.Context) bool {
	for ctx.Err() == nil && len(r.tasks()) >= r.AtOnce {
		select {
		case <-ctx.Done():
		case <-r.freed:
		}
	}
	return ctx.Err() == nil
}

// tasks are those that are worked on.
func (r *running) tasks() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.busy))
}

// missing reports whether a task of the hub's list is not worked on.
func (r *running) missing(held []string) bool {
	busy := r.tasks()
	return slices.ContainsFunc(held, func(id string) bool { return !slices.Contains(busy, id) })
}

// begin begins the tasks of a batch, and then shows its mail. It reports whether there
// was a new task.
func (r *running) begin(ctx context.Context, items []api.BatchItem) (began bool) {
	for _, item := range items {
		if item.Task != "" && r.start(item) {
			began = true
		}
	}
	for _, item := range items {
		switch {
		case item.Task != "":
		case item.Kind == string(parley.TaskEndedMessage):
			r.dropEnded()
		case r.Mail != nil:
			r.Mail(r.working, item)
		default:
			r.Log.Debug("Mail.", "from", item.From, "kind", item.Kind, "message", item.Message)
		}
	}
	return began
}

// settle lets the handlers finish within the grace, and tells the hub what of the last
// batch has arrived.
func (r *running) settle() {
	ctx, cancel := context.WithTimeout(r.working, r.Grace)
	defer cancel()
	done := make(chan struct{})
	go func() {
		r.handlers.Wait()
		close(done)
	}()
	if err := r.Client.AckCursor(ctx, r.cursor); err != nil {
		r.Log.Warn("What arrived last could not be acknowledged; it will come again.", "error", err)
	}
	select {
	case <-done:
	case <-ctx.Done():
		r.Log.Warn("Stopped before the work was done; it will be handed out again.", "tasks", r.tasks())
	}
}

// beats tells the hub that the program is there, while it may be too busy to poll.
func (r *running) beats() {
	for pause(r.working, beat) {
		if len(r.tasks()) > 0 {
			r.dropEnded()
		}
	}
}

// dropEnded ends the handlers of tasks that have ended without them, by a cancel for
// instance.
func (r *running) dropEnded() {
	before := r.tasks()
	open, err := r.Client.MyTasks(r.working)
	if err != nil {
		return // the next beat looks again
	}
	for _, id := range before {
		if slices.ContainsFunc(open, func(t api.Task) bool { return t.ID == id }) {
			continue
		}
		r.mu.Lock()
		if end := r.busy[id]; end != nil {
			end()
		}
		r.mu.Unlock()
	}
}
