package cli

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/cli/view"
)

// workLog tells whoever runs the hub what it works on: a line when a task is opened and
// one when it has ended, and with -v one for each step. It follows the record in process, because
// on a busy hub it leaves out most of what it reads. What it writes about, it fetches over HTTP
// like any client.
type workLog struct {
	log    *slog.Logger
	asJSON bool
	steps  bool

	mu     sync.Mutex
	second int64 // the one in which lines were written
	lines  int   // in it
	left   int   // lines that were left out since then
}

// mostLines is how many lines the log has in a second. A hub may end a thousand tasks in
// that time, and nobody reads them there.
const mostLines = 50

// run writes until the context is done.
func (w *workLog) run(ctx context.Context, s app.Serving) {
	hub, err := client.Discover(s.Data)
	if err != nil {
		return // the hub is gone already
	}
	defer hub.Close()
	var both sync.WaitGroup
	both.Go(func() {
		_ = s.Follow(ctx, "task.*", func(e parley.Event) error {
			w.task(ctx, hub, e)
			return nil
		}) // it ends with the hub
	})
	defer w.sumUp()
	if w.steps {
		both.Go(func() {
			_ = hub.FollowSteps(ctx, client.StepQuery{Cursor: "now"}, func(st api.Step) error {
				w.step(ctx, st)
				return nil
			}) // it ends with the hub
		})
		both.Go(func() { w.followWaits(ctx, hub) })
	}
	both.Wait()
}

func (w *workLog) task(ctx context.Context, hub *client.Client, e parley.Event) {
	switch e.Kind {
	case parley.EventTask:
		w.opened(ctx, hub, e)
	case parley.EventCompleted, parley.EventFailed, parley.EventCancelled:
		w.ended(ctx, hub, e)
	}
}

// followWaits tells of waits for providers as of steps.
func (w *workLog) followWaits(ctx context.Context, hub *client.Client) {
	for e, err := range hub.Record(ctx, client.EventFilter{Kind: providerWaits}, "now", true) {
		if err != nil {
			return // it ends with the hub
		}
		w.step(ctx, waitStep(e))
	}
}

func (w *workLog) opened(ctx context.Context, hub *client.Client, e parley.Event) {
	if !w.room(ctx, e.At.Time()) {
		return
	}
	t, err := hub.Task(ctx, e.Task.String())
	if err != nil {
		return
	}
	if w.asJSON {
		w.log.LogAttrs(ctx, slog.LevelInfo, "task opened", slog.String("task", t.ID), slog.String("agent", t.Agent), slog.String("requester", t.Requester), slog.String("title", t.Title))
		return
	}
	w.log.Info(fmt.Sprintf("%s for %s begins: %s", who(t), t.Requester, t.Title))
}

func who(t api.Task) string { return t.Agent + " " + t.ID }

// ended tells of the end of a task: how long it was open, and what its own turns cost.
func (w *workLog) ended(ctx context.Context, hub *client.Client, e parley.Event) {
	if !w.room(ctx, e.At.Time()) {
		return
	}
	t, err := hub.Task(ctx, e.Task.String())
	if err != nil || t.Ended == nil {
		return
	}
	spent := ownCost(ctx, hub, t.ID)
	took := t.Ended.Sub(t.Created)
	level := slog.LevelInfo
	if t.State == parley.TaskFailed.String() {
		level = slog.LevelWarn
	}
	if w.asJSON {
		w.log.LogAttrs(ctx, level, "task ended", slog.String("task", t.ID), slog.String("agent", t.Agent), slog.String("requester", t.Requester),
			slog.String("state", t.State), slog.Float64("seconds", took.Seconds()), slog.Float64("cost", spent.Cost),
			slog.Int64("input_tokens", spent.Input), slog.Int64("output_tokens", spent.Output), slog.String("error", t.Error))
		return
	}
	line := fmt.Sprintf("%s for %s %s after %s%s", who(t), t.Requester, t.State, view.Duration(took), view.Cost(spent))
	if t.Error != "" {
		line += ": " + t.Error
	}
	w.log.Log(ctx, level, line)
}

// ownCost adds up what the turns of a task have cost, as a step.
func ownCost(ctx context.Context, hub *client.Client, id string) (sum api.Step) {
	list, err := taskSteps(ctx, hub, id)
	if err != nil {
		return sum // the line says no cost
	}
	for _, st := range list.Steps {
		sum.Input, sum.Output, sum.Cost, sum.Estimated = sum.Input+st.Input, sum.Output+st.Output, sum.Cost+st.Cost, sum.Estimated || st.Estimated
	}
	return sum
}

func (w *workLog) step(ctx context.Context, st api.Step) {
	if !view.Logged(st) || !w.room(ctx, st.At) {
		return
	}
	if w.asJSON {
		w.log.LogAttrs(ctx, slog.LevelInfo, "step", slog.String("step", st.ID), slog.String("agent", st.Agent), slog.String("kind", st.Kind),
			slog.String("line", st.Line), slog.Float64("seconds", st.Took.Seconds()), slog.Float64("cost", st.Cost))
		return
	}
	line := st.Agent + " " + st.Task + " " + st.Line
	if st.Took >= time.Millisecond {
		line += ", " + view.Duration(st.Took)
	}
	w.log.Info(line + view.Cost(st))
}

// room reports whether there may be another line in the second of a time. What was left
// out is counted.
func (w *workLog) room(ctx context.Context, at time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if second := at.Unix(); second != w.second {
		w.sayLeft()
		w.second, w.lines = second, 0
	}
	if w.lines++; w.lines <= mostLines && ctx.Err() == nil {
		return true
	}
	if w.left++; w.left == 1 {
		time.AfterFunc(time.Second, w.sumUp) // perhaps nothing else happens
	}
	return false
}

// sumUp says how many lines were left out.
func (w *workLog) sumUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sayLeft()
}

// sayLeft is sumUp for those who hold the lock.
func (w *workLog) sayLeft() {
	if w.left > 0 {
		w.log.Info(fmt.Sprintf("and %d more lines; parley log and parley audit have all", w.left))
	}
	w.left = 0
}

// workLogger is the logger of a workLog beside another that writes to the same place.
func workLogger(log *slog.Logger) *slog.Logger {
	people, ok := log.Handler().(*logHandler)
	if !ok {
		return log
	}
	more := *people
	more.level = min(people.level, slog.LevelInfo)
	return slog.New(&more)
}
