package cli

import (
	"context"
	"sync"
	"unicode/utf8"

	"parley/api"
	"parley/internal/cli/view"
)

// look shows what the agent is saying as it says it, until the returned function
// is called. This is only for display: if it fails, nothing is shown and the
// command goes on.
func (w *waiting) look(ctx context.Context, task string) (stop func()) {
	if w.getenv("TERM") == "dumb" { // it cannot erase anything
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var looking sync.WaitGroup
	looking.Go(func() {
		for l, err := range w.hub.Live(ctx, task) {
			if err != nil {
				return
			}
			w.hear(l)
		}
	})
	return func() {
		cancel()
		looking.Wait()
	}
}

func (w *waiting) hear(l api.Live) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.partial.take(l) {
		w.redraw()
	}
}

// partialReply is what an agent has said so far.
type partialReply struct {
	text string
	tool string // in use
	wait string // for what the task waits
}

// maxPartialBytes bounds the text that is kept; only its end is shown.
const maxPartialBytes = 8 << 10

// take adds the news, and reports whether there is anything to draw.
func (g *partialReply) take(l api.Live) bool {
	before := *g
	switch l.Kind {
	case "step", "restart":
		*g = partialReply{}
	case "waiting":
		*g = partialReply{wait: l.Text}
	case "tool":
		g.tool = l.Tool
	case "text":
		if l.Missed {
			g.text += " […] "
		}
		g.text = lastBytes(g.text+l.Text, maxPartialBytes)
	}
	return *g != before
}

// lastBytes returns the last n bytes of a text, or fewer so as to begin with a
// whole character.
func lastBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	from := len(text) - n
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

const (
	maxPartialLines = 10
	partialMargin   = "  | "
)

// lines returns the end of the reply. No line is as wide as the screen, because
// the terminal would break it and it could not be erased.
func (g *partialReply) lines(s view.Screen) []string {
	if g.text == "" {
		return nil
	}
	width := s.Width
	if width == 0 {
		width = 80 // if the terminal does not say
	}
	// Every line is set in, so that what an agent says does not pass for a question of
	// the command.
	list := view.Wrap(view.Clean(g.text), max(width-1-len(partialMargin), 1))
	list = list[max(0, len(list)-maxPartialLines):]
	for i := range list {
		list[i] = partialMargin + list[i]
	}
	return list
}
