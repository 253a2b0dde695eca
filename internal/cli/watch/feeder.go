package watch

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/api"
	"parley/client"
)

const (
	// pace is how often news reach the screen at most. A person cannot read faster, and
	// a storm of steps must not keep the keys waiting.
	pace = 80 * time.Millisecond
	// most is how much news may wait for the screen.
	most = 500
	// A snapshot is taken when something has happened, at most this often, and otherwise
	// now and then, which also shows whether the hub is still there.
	soonest = 300 * time.Millisecond
	latest  = 2 * time.Second
	// The pauses before the hub is tried again.
	firstTry = 200 * time.Millisecond
	lastTry  = 2 * time.Second

	history    = 100 // how much of the record is shown at the start
	manyTasks  = 500
	manyEnded  = 30
	manyToSign = 100
)

// feeder follows a hub and gathers what happens until the screen asks for it. It goes
// on after a restart of the hub where it was.
type feeder struct {
	dial Dial
	now  func() time.Time

	mu      sync.Mutex
	hub     Hub
	news    []Event
	missed  int
	snap    *Snapshot
	state   Event // Lost or Back
	changed chan struct{}
	stale   chan struct{}

	// Where the record and the steps go on.
	cursor, stepCursor string

	texts map[string]string   // of the questions that wait
	above map[string]api.Task // tasks that have ended, with children that are shown
}

func newFeeder(dial Dial, now func() time.Time) *feeder {
	return &feeder{dial: dial, now: now, changed: make(chan struct{}, 1), stale: make(chan struct{}, 1), texts: map[string]string{}, above: map[string]api.Task{}}
}

// run follows the hub until the context is done.
func (f *feeder) run(ctx context.Context) {
	wait := firstTry
	for ctx.Err() == nil {
		began := f.now()
		err := f.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		if f.now().Sub(began) > lastTry {
			wait = firstTry
		}
		f.put(func() { f.state = Lost{Why: explain(err)} })
		if !pause(ctx, wait) {
			return
		}
		wait = min(2*wait, lastTry)
	}
}

// follow follows one hub until something fails.
func (f *feeder) follow(ctx context.Context) error {
	hub, err := f.dial()
	if err != nil {
		return err
	}
	defer hub.Close()
	about, err := hub.Hub(ctx)
	if err != nil {
		return err
	}
	f.put(func() { f.hub = hub })
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for _, part := range []func(context.Context, Hub) error{f.events, f.steps, func(ctx context.Context, hub Hub) error { return f.snapshots(ctx, hub, about) }} {
		all.Go(func() { cancel(part(ctx, hub)) })
	}
	all.Wait()
	return context.Cause(ctx)
}

var errEnded = errors.New("the hub has ended the stream")

// events follows the record.
func (f *feeder) events(ctx context.Context, hub Hub) error {
	filter, old := client.EventFilter{}, 0
	if f.cursor == "" {
		filter.Last, old = history, history
	}
	for e, err := range hub.Record(ctx, filter, f.cursor, true) {
		if parley.KindOf(err) == parley.Invalid || parley.KindOf(err) == parley.NotFound {
			f.cursor = "" // it belongs to another database
		}
		if err != nil {
			return err
		}
		text := ""
		// What the screen begins with is always told whole: that is no storm, although the
		// steps that it begins with come at the same moment.
		old--
		if e.Message != "" && (old >= 0 || f.room()) {
			// A message that cannot be read is shown without its text.
			m, err := hub.Message(ctx, e.Message)
			if text = m.Body; err != nil && ctx.Err() != nil {
				return err
			}
		}
		f.cursor = e.Cursor
		f.happened(Said{Event: e, Text: text})
	}
	return errEnded
}

// steps follows the steps of all turns, beginning with the last ones that there are.
// A hub that has none to show, since it is older, is followed without them.
func (f *feeder) steps(ctx context.Context, hub Hub) error {
	err := f.followSteps(ctx, hub)
	switch parley.KindOf(err) {
	case parley.NotFound, parley.Denied, parley.Invalid:
		f.stepCursor = ""
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return err
}

func (f *feeder) followSteps(ctx context.Context, hub Hub) error {
	if f.stepCursor == "" {
		page, err := hub.Steps(ctx, client.StepQuery{Limit: history})
		if err != nil {
			return err
		}
		for _, s := range page.Steps {
			f.stepCursor = s.Cursor
			f.happened(Stepped{s})
		}
	}
	err := hub.FollowSteps(ctx, client.StepQuery{Cursor: f.stepCursor}, func(s api.Step) error {
		f.stepCursor = s.Cursor
		f.happened(Stepped{s})
		return ctx.Err()
	})
	if err == nil {
		err = errEnded
	}
	return err
}

// snapshots reads the team whenever something has happened.
func (f *feeder) snapshots(ctx context.Context, hub Hub, about api.Hub) error {
	for {
		began := f.now()
		snap, err := f.snapshot(ctx, hub, about)
		if err != nil {
			return err
		}
		f.put(func() { f.snap, f.state = &snap, Back{} })
		// A large team takes longer to read, and is read less often for that.
		if !pause(ctx, max(soonest, 4*f.now().Sub(began))) {
			return context.Cause(ctx)
		}
		due := time.NewTimer(latest)
		select {
		case <-ctx.Done():
		case <-due.C:
		case <-f.stale:
		}
		due.Stop()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

func (f *feeder) snapshot(ctx context.Context, hub Hub, about api.Hub) (Snapshot, error) {
	s := Snapshot{Team: about.Team, You: about.You, At: f.now()}
	agents, err := hub.AgentList(ctx)
	if err != nil {
		return s, err
	}
	s.Agents, s.Paused = agents.Agents, agents.Paused
	if s.Tasks, err = f.tasks(ctx, hub); err != nil {
		return s, err
	}
	if s.Channels, err = hub.Channels(ctx); err != nil {
		return s, err
	}
	if s.Approvals, err = hub.Approvals(ctx, false, manyToSign); err != nil {
		return s, err
	}
	if s.Questions, err = f.questions(ctx, hub); err != nil {
		return s, err
	}
	s.Today, err = hub.TeamBudget(ctx)
	s.Known = err == nil
	return s, nil
}

// questions are the tasks that wait for the person, each with its whole text, which
// is read once.
func (f *feeder) questions(ctx context.Context, hub Hub) ([]Question, error) {
	mine, err := hub.MyTasks(ctx)
	texts := map[string]string{}
	var list []Question
	for _, t := range mine {
		q := Question{Task: t}
		text, known := f.texts[t.Request]
		if !known {
			m, err := hub.Message(ctx, t.Request)
			if err != nil && parley.KindOf(err) != parley.NotFound {
				return nil, err
			}
			text = m.Question + "\n" + m.Body
		}
		texts[t.Request] = text
		q.Routed, q.Text, _ = strings.Cut(text, "\n")
		list = append(list, q)
	}
	f.texts = texts
	return list, err
}

// happened takes news. If the screen is slower than the team, the oldest are dropped
// and counted.
func (f *feeder) happened(e Event) {
	f.put(func() {
		f.news = append(f.news, e)
		if len(f.news) > most {
			over := len(f.news) - most/2
			f.missed += over
			f.news = append([]Event(nil), f.news[over:]...)
		}
	})
	f.refresh()
}

// room reports whether there is time to look at a message.
func (f *feeder) room() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.news) < most/4
}

// refresh asks for a new snapshot soon.
func (f *feeder) refresh() {
	select {
	case f.stale <- struct{}{}:
	default:
	}
}

// put changes what waits for the screen, and tells it.
func (f *feeder) put(change func()) {
	f.mu.Lock()
	change()
	f.mu.Unlock()
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// next waits for news and returns all there are. It is nil when the context is done.
func (f *feeder) next(ctx context.Context) []Event {
	select {
	case <-ctx.Done():
		return nil
	case <-f.changed:
	}
	// What comes within this time is drawn together.
	if !pause(ctx, pace) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	list := []Event{}
	if f.missed > 0 {
		list = append(list, Missed{N: f.missed})
	}
	list = append(list, f.news...)
	if f.snap != nil {
		list = append(list, *f.snap)
	}
	if f.state != nil {
		list = append(list, f.state)
	}
	f.news, f.missed, f.snap, f.state = nil, 0, nil, nil
	return list
}

// pause waits; it reports false when the context is done first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
