package view

import (
	"fmt"
	"strings"

	"parley/api"
)

// Hits shows what a search found. tasks says that it was a search for tasks.
func (s Screen) Hits(hits []api.SearchHit, tasks bool) string {
	palette := &Palette{}
	var parts []string
	for _, h := range hits {
		head := s.hitHeading(h, palette)
		if tasks {
			head = s.taskHeading(h) + head
		}
		parts = append(parts, head+s.excerpt(h.Parts))
	}
	return strings.Join(parts, "\n")
}

func (s Screen) hitHeading(h api.SearchHit, palette *Palette) string {
	aside := []string{"  " + h.Place}
	if h.Task != "" {
		aside = append(aside, h.Task)
	}
	aside = append(aside, h.ID, s.Clock(h.At))
	return s.Paint(palette.Of(h.Author), h.Author) + s.Paint(Dim, strings.Join(aside, s.Dot())) + "\n"
}

func (s Screen) taskHeading(h api.SearchHit) string {
	text := h.Task + " " + h.State + " " + Clean(h.Title)
	if h.More > 0 {
		text += fmt.Sprintf(" (%d more)", h.More)
	}
	if s.Width > 0 {
		text = s.fit(text, s.Width)
	}
	return s.Paint(Bold, text) + "\n"
}

// excerpt is indented like the body of a message, with the matches painted.
func (s Screen) excerpt(parts []api.Excerpt) string {
	var b strings.Builder
	b.WriteString("  ")
	for _, p := range parts {
		text := Clean(p.Text)
		if p.Found {
			text = s.Paint(Bold, text)
		}
		b.WriteString(text)
	}
	return b.String() + "\n"
}
