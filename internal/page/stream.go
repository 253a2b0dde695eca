package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/reading"
)

// hint says what has changed: the kinds of events up to the dot, and "step" for a step
// of a turn. It carries nothing else; whoever is interested reads it where it is read
// anyway.
type hint struct {
	Topics []string `json:"topics"`
	Count  int      `json:"count"` // of events
}

const (
	streamPath = "/stream"
	// gather is how long a hint waits for further changes, stepGather the same where
	// only steps were stored, of which there are many.
	gather     = 20 * time.Millisecond
	stepGather = 250 * time.Millisecond
	beat       = 15 * time.Second
	// streamWrite is how long a browser may take to accept one hint.
	streamWrite = 30 * time.Second
)

// hints gathers what happens until it is sent.
type hints struct {
	mu     sync.Mutex
	topics map[string]bool
	count  int
	cursor string
	some   chan struct{} // holds one if there are events
	steps  chan struct{} // holds one if there are steps

	pieces []piece       // of what agents are saying
	speech chan struct{} // holds one if there are any
}

func newHints() *hints {
	return &hints{topics: map[string]bool{}, some: make(chan struct{}, 1), steps: make(chan struct{}, 1), speech: make(chan struct{}, 1)}
}

func (h *hints) add(topic, cursor string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.topics[topic] = true
	told := h.steps
	if cursor != "" {
		if cursor != h.cursor { // an event may have two topics
			h.count++
		}
		h.cursor, told = cursor, h.some
	}
	select {
	case told <- struct{}{}:
	default:
	}
}

// take empties what was gathered, and with it what was told of it.
func (h *hints) take() (out hint, cursor string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, told := range []chan struct{}{h.some, h.steps} {
		select {
		case <-told:
		default:
		}
	}
	for t := range h.topics {
		out.Topics = append(out.Topics, t)
	}
	slices.Sort(out.Topics)
	out.Count, cursor = h.count, h.cursor
	h.topics, h.count = map[string]bool{}, 0
	return out, cursor
}

// stream sends hints as server-sent events. The id of each is the cursor of the record,
// from which the browser goes on after a break.
func (d *Door) stream(w http.ResponseWriter, r *http.Request) {
	v, ok := d.enter(w, r)
	if !ok {
		return
	}
	cursor := r.Header.Get("Last-Event-ID")
	if cursor == "" {
		cursor = r.URL.Query().Get("cursor")
	}
	if cursor == "" {
		cursor = reading.Now
	}
	ctx, cancel := context.WithCancel(v.ctx)
	defer cancel()
	defer context.AfterFunc(d.stopping, cancel)()
	h := newHints()
	var readers sync.WaitGroup
	defer readers.Wait()
	defer cancel()
	ended := make(chan error, 2)
	in := v.treeOf(r.URL.Query().Get("tree"))
	listening := v.listen(ctx, h, &readers)
	readers.Go(func() { ended <- v.followEvents(ctx, h, cursor, in, listening) })
	readers.Go(func() { ended <- v.followSteps(ctx, h, in) })
	v.sendHints(ctx, h, ended)
}

func (v *visit) followEvents(ctx context.Context, h *hints, cursor string, in *treeWatch, listening *listener) error {
	take := func(e parley.Event) error {
		if e.Kind == parley.EventTask {
			listening.consider(e.Task)
		}
		topic, _, _ := strings.Cut(string(e.Kind), ".")
		h.add(topic, e.Cursor)
		if in.has(e.Task) {
			h.add("tree", e.Cursor)
		}
		return nil
	}
	return v.Reading.Events(ctx, v.Caller, reading.Record{Cursor: cursor, Follow: true}, take, func() error { return nil })
}

func (v *visit) followSteps(ctx context.Context, h *hints, in *treeWatch) error {
	take := func(s reading.Step) error {
		h.add("step", "")
		if in.has(s.Task) {
			h.add("tree-step", "")
		}
		return nil
	}
	return v.Reading.FollowSteps(ctx, v.Caller, reading.StepQuery{Cursor: reading.Now}, take, func(string) error { return nil })
}

func (v *visit) sendHints(ctx context.Context, h *hints, ended <-chan error) {
	v.w.Header().Set("Content-Type", "text/event-stream")
	v.w.Header().Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(v.w)
	send := func(format string, args ...any) bool {
		_ = out.SetWriteDeadline(time.Now().Add(streamWrite)) // without one, that of the whole answer holds
		_, err := fmt.Fprintf(v.w, format, args...)
		return err == nil && out.Flush() == nil
	}
	// The script compares the digest with its own: a new program has a new script.
	if !send("retry: 1000\nevent: hello\ndata: {\"assets\":%q,\"person\":%q}\n\n", v.assets.digest, v.person()) {
		return
	}
	sendHint := func() bool {
		out, cursor := h.take()
		data, err := json.Marshal(out)
		id := ""
		if cursor != "" {
			id = "id: " + cursor + "\n"
		}
		return err == nil && send("%sevent: hint\ndata: %s\n\n", id, data)
	}
	beats := time.NewTicker(beat)
	defer beats.Stop()
	var soon, later <-chan time.Time // when what was gathered is sent
	for going := true; going; {
		select {
		case <-ctx.Done():
			return
		case err := <-ended:
			if err != nil && ctx.Err() == nil {
				v.Log.Warn("a stream of a page ended", "error", err)
			}
			return // the browser connects again and finds out why
		case <-beats.C:
			// An event and no comment, since a script does not see comments: what hears no
			// beat for long has lost its connection without a word.
			going = send("event: beat\ndata: {}\n\n")
		case <-h.speech:
			going = sendPieces(send, h.takePieces())
		case <-h.some:
			if soon == nil {
				soon = time.After(gather)
			}
		case <-h.steps:
			if later == nil {
				later = time.After(stepGather)
			}
		case <-soon:
			going, soon, later = sendHint(), nil, nil
		case <-later:
			going, soon, later = sendHint(), nil, nil
		}
	}
}
