// Package view turns the hub's answers into text for people: the task tree, the
// table of agents, messages, and a task's sequence diagram, fitted to the reader's
// terminal.
//
// It does no input or output: each function takes values of the API and a Screen
// and returns text, which is easy to test.
package view

import (
	"fmt"
	"strings"
	"time"
)

// Screen describes where a text will be shown.
type Screen struct {
	// Width is the number of columns; 0 means that lines may have any length, as in
	// a file.
	Width int
	Color bool
	// ASCII restricts the drawings to ASCII. What agents wrote is shown unchanged.
	ASCII bool
	// Zone is the reader's time zone.
	Zone *time.Location
	Now  time.Time
}

// Color is one of the terminal's own colours, which go with its background.
type Color string

const (
	Plain   Color = ""
	Bold    Color = "1"
	Dim     Color = "2"
	Red     Color = "31"
	Green   Color = "32"
	Yellow  Color = "33"
	Blue    Color = "34"
	Magenta Color = "35"
	Cyan    Color = "36"
)

// Paint colours a text. Do it after fitting, since the escape codes would count.
func (s Screen) Paint(c Color, text string) string {
	if !s.Color || c == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// glyph chooses between a drawing character and its plain replacement.
func (s Screen) glyph(unicode, ascii string) string {
	if s.ASCII {
		return ascii
	}
	return unicode
}

// Arrow is the sign between a speaker and the one spoken to.
func (s Screen) Arrow() string { return s.glyph("→", "->") }

// Dot separates the parts of a heading.
func (s Screen) Dot() string { return s.glyph(" · ", " - ") }

// Ok, Note and Bad mark what is in order, worth knowing, and wrong.
func (s Screen) Ok() string   { return s.Paint(Green, s.glyph("✓", "ok")) }
func (s Screen) Note() string { return s.Paint(Yellow, s.glyph("•", "--")) }
func (s Screen) Bad() string  { return s.Paint(Red, s.glyph("✗", "!!")) }

// Ellipsis stands for what was left out.
func (s Screen) Ellipsis() string { return s.glyph("…", "...") }

// Palette gives each name a colour, in the order in which they appear, so
// that the first few can be told apart.
type Palette struct {
	given map[string]Color
}

func (p *Palette) Of(name string) Color {
	if p.given == nil {
		p.given = map[string]Color{}
	}
	c, ok := p.given[name]
	if !ok {
		order := [...]Color{Cyan, Magenta, Yellow, Blue, Green}
		c = order[len(p.given)%len(order)]
		p.given[name] = c
	}
	return c
}

// Item is a line of a list with a mark, a name and a detail. A hint goes on a line
// of its own below.
func (s Screen) Item(mark, name, detail, hint string) string {
	const column = 10
	margin := strings.Repeat(" ", Columns(s.glyph("✓", "ok"))+1+column)
	text := mark + " " + pad(name, column) + strings.TrimPrefix(s.Indent(detail, margin), margin)
	if hint != "" {
		text += s.Indent(s.Arrow()+" "+hint, margin)
	}
	return text
}

// Bytes is a size in the unit that fits it.
func Bytes(n uint64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	size, unit := float64(n), 0
	for size >= 1024 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}
