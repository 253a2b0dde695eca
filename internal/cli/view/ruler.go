package view

import (
	"sort"
	"strings"
)

// ruler is a line that is filled by column, in any order. A later piece covers an
// earlier one, and each keeps its colour.
type ruler struct {
	screen Screen
	pieces []piece
}

type piece struct {
	at, width int
	text      string
	color     Color
}

func (s Screen) ruler() *ruler { return &ruler{screen: s} }

func (r *ruler) put(at int, text string, color Color) {
	p := piece{at: at, width: Columns(text), text: text, color: color}
	for i, old := range r.pieces {
		if old.at == p.at && old.width == p.width {
			r.pieces[i] = p
			return
		}
	}
	r.pieces = append(r.pieces, p)
}

func (r *ruler) String() string {
	sort.SliceStable(r.pieces, func(i, j int) bool { return r.pieces[i].at < r.pieces[j].at })
	var b strings.Builder
	at := 0
	for i := 0; i < len(r.pieces); {
		p := r.pieces[i]
		b.WriteString(strings.Repeat(" ", max(0, p.at-at)))
		text := p.text
		at = max(at, p.at) + p.width
		// Neighbours of one colour are painted together.
		for i++; i < len(r.pieces) && r.pieces[i].at == at && r.pieces[i].color == p.color; i++ {
			text += r.pieces[i].text
			at += r.pieces[i].width
		}
		b.WriteString(r.screen.Paint(p.color, text))
	}
	return b.String()
}
