package page

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"

	"parley"
	"parley/internal/live"
	"parley/internal/reading"
)

// piece is something that an agent says or does at this moment, in the conversation that
// the visitor looks at. It is for display only.
type piece struct {
	Task    string `json:"task"`
	Who     string `json:"who"`
	Outside bool   `json:"outside,omitempty"`
	Kind    string `json:"kind"` // as of live.Piece, and "end"
	Text    string `json:"text,omitempty"`
}

// listened is how many tasks one stream listens to at once.
const listened = 32

// listener passes on what agents say in a conversation.
type listener struct {
	v       *visit
	ctx     context.Context
	h       *hints
	readers *sync.WaitGroup
	in      reading.Conversation // zero if there is none
	thread  parley.ThreadID      // of it; 0 until somebody has said something

	mu    sync.Mutex
	tasks map[parley.TaskID]bool
}

// listen begins to listen to the conversation that the request names. Without one the
// listener listens to nothing.
func (v *visit) listen(ctx context.Context, h *hints, readers *sync.WaitGroup) *listener {
	l := &listener{v: v, ctx: ctx, h: h, readers: readers, tasks: map[parley.TaskID]bool{}}
	var ok bool
	if l.in, ok = v.placeOf(v.r.URL.Query().Get("place")); !ok || !l.find() {
		return l
	}
	open, err := v.Reading.Speaking(ctx, v.Caller, l.thread, listened)
	if err != nil {
		return l
	}
	for _, t := range open {
		l.follow(t)
	}
	return l
}

// find reads which thread the conversation is, which two make with their first message.
func (l *listener) find() bool {
	if l.thread != 0 || l.in == (reading.Conversation{}) {
		return l.thread != 0
	}
	in := l.in
	in.Limit = 1
	page, err := l.v.Reading.Page(l.ctx, l.v.Caller, reading.Span{Conversation: in})
	if err == nil { // else the view itself says why
		l.thread = page.Thread.ID
	}
	return l.thread != 0
}

// placeOf reads a conversation from the address of its view.
func (v *visit) placeOf(path string) (in reading.Conversation, ok bool) {
	var names []string
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		name, err := url.PathUnescape(part)
		if err != nil {
			return in, false
		}
		names = append(names, name)
	}
	switch {
	case len(names) == 2 && names[0] == "c":
		return reading.Conversation{Channel: names[1]}, true
	case len(names) == 2 && names[0] == "dm":
		return reading.Conversation{With: names[1]}, true
	case len(names) == 3 && names[0] == "dm":
		return reading.Conversation{Of: names[1], With: names[2]}, true
	case len(names) == 2 && names[0] == "thread":
		id, err := parley.ParseThreadID(names[1])
		return reading.Conversation{Thread: id}, err == nil
	}
	return in, false
}

// consider listens to a task that was just opened, if it is worked on here.
func (l *listener) consider(id parley.TaskID) {
	if !l.find() {
		return
	}
	if t, err := l.v.Reading.Task(l.ctx, l.v.Caller, id); err == nil && t.Thread == l.thread {
		l.follow(t.Task)
	}
}

func (l *listener) follow(t parley.Task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !t.State.Open() || l.tasks[t.ID] || len(l.tasks) >= listened {
		return
	}
	l.tasks[t.ID] = true
	name, kind := l.v.Reading.Who(l.ctx, t.Agent)
	who := Who{Name: name, Kind: string(kind)}
	p := piece{Task: t.ID.String(), Who: who.Name, Outside: who.Outside()}
	l.readers.Go(func() {
		take := func(said live.Piece) error {
			p := p
			p.Kind, p.Text = string(said.Kind), said.Text
			l.h.speak(p)
			return nil
		}
		_, err := l.v.Reading.Live(l.ctx, l.v.Caller, t.ID, take, l.ctx.Err)
		if err != nil && l.ctx.Err() == nil { // the stored message is what counts
			l.v.Log.Warn("what an agent says could not be followed", "task", t.ID, "error", err)
		}
		p.Kind = "end"
		l.h.speak(p)
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.tasks, t.ID)
	})
}

// mostPieces bounds what waits for a browser that does not take it.
const mostPieces = 1000

// speak adds a piece; further text of the same reply joins what waits already.
func (h *hints) speak(p piece) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.pieces); n > 0 && p.Kind == string(live.Text) && h.pieces[n-1].Kind == p.Kind && h.pieces[n-1].Task == p.Task {
		h.pieces[n-1].Text += p.Text
	} else if n < mostPieces || p.Kind == "end" {
		h.pieces = append(h.pieces, p)
	}
	select {
	case h.speech <- struct{}{}:
	default:
	}
}

func (h *hints) takePieces() (list []piece) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list, h.pieces = h.pieces, nil
	return list
}

func sendPieces(send func(string, ...any) bool, list []piece) bool {
	data, err := json.Marshal(list)
	return err == nil && (len(list) == 0 || send("event: live\ndata: %s\n\n", data))
}
