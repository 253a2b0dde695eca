package cli

import (
	"context"
	"sync"
	"unicode/utf8"

	"parley/internal/api"
	"parley/internal/cli/view"
)

// look shows what the agent is saying while it says it, until the returned function
// is called. It is only for the eye: if it cannot be had, nothing is shown and
// nothing is said of it.
func (w *waiting) look(ctx context.Context, task string) (stop func()) {
	if w.getenv("TERM") == "dumb" { // nothing can be taken away there
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
	if w.growing.take(l) {
		w.redraw()
	}
}

// growing is a reply in the making.
type growing struct {
	text string
	tool string // that is being used
}

// longestGrowing bounds what is kept of a reply; only its end is shown.
const longestGrowing = 8 << 10

// take adds what is new, and reports whether there is anything to draw.
func (g *growing) take(l api.Live) bool {
	before := *g
	switch l.Kind {
	case "step", "restart":
		*g = growing{}
	case "tool":
		g.tool = l.Tool
	case "text":
		if l.Missed {
			g.text += " […] "
		}
		g.text = lastBytes(g.text+l.Text, longestGrowing)
	}
	return *g != before
}

// lastBytes is the end of a text, from the beginning of a character.
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

// mostGrowing is how many lines of a reply are shown.
const mostGrowing = 10

// lines are the end of the reply, none of them as wide as the screen: one that the
// terminal breaks itself could not be taken away.
func (g *growing) lines(s view.Screen) []string {
	if g.text == "" {
		return nil
	}
	width := s.Width
	if width == 0 {
		width = 80 // a terminal that does not say
	}
	list := view.Wrap(view.Clean(g.text), max(width-1, 1))
	return list[max(0, len(list)-mostGrowing):]
}
