package search

import (
	"strings"
	"unicode/utf8"
)

// Part is a piece of an excerpt. Found says that it matched.
type Part struct {
	Text  string
	Found bool
}

// excerptBytes is the approximate length of an excerpt.
const excerptBytes = 240

// Excerpt is the piece of the text with the most matches, on one line.
func (h Hit) Excerpt() []Part {
	from, to := h.window()
	e := excerpt{text: h.Text[:to]}
	if from > 0 {
		e.parts = append(e.parts, Part{Text: "… "})
	}
	at := from
	for _, s := range h.Spans {
		if s.From < at || s.To > to {
			continue // outside, or within a previous match
		}
		e.add(at, s.From, false)
		e.add(s.From, s.To, true)
		at = s.To
	}
	e.add(at, to, false)
	if to < len(h.Text) {
		e.parts = append(e.parts, Part{Text: " …"})
	}
	return e.parts
}

type excerpt struct {
	text  string
	parts []Part
}

var lines = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

func (e *excerpt) add(from, to int, found bool) {
	if from < to {
		e.parts = append(e.parts, Part{Text: lines.Replace(e.text[from:to]), Found: found})
	}
}

// window is where most matches are close together, cut between words.
func (h Hit) window() (from, to int) {
	if len(h.Text) <= excerptBytes || len(h.Spans) == 0 {
		return 0, h.cutBack(min(len(h.Text), excerptBytes), 0)
	}
	best, most := 0, 0
	for i, s := range h.Spans {
		n := 0
		for _, other := range h.Spans[i:] {
			if other.To-s.From <= excerptBytes*3/4 {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	start := max(0, h.Spans[best].From-excerptBytes/8)
	if start > 0 {
		if space := strings.IndexAny(h.Text[start:h.Spans[best].From], " \n\t"); space >= 0 {
			start += space + 1
		} else {
			start = h.Spans[best].From
		}
	}
	return start, h.cutBack(min(len(h.Text), max(start+excerptBytes, h.Spans[best].To)), h.Spans[best].To)
}

// cutBack moves an end back to the space before it, but not before least.
func (h Hit) cutBack(end, least int) int {
	if end == len(h.Text) {
		return end
	}
	if space := strings.LastIndexAny(h.Text[least:end], " \n\t"); space > 0 {
		return least + space
	}
	for end > least && !utf8.RuneStart(h.Text[end]) {
		end--
	}
	return end
}
