package view

import (
	"slices"
	"strings"
)

// cell is a piece of a table. It is coloured after it was fitted.
type cell struct {
	text  string
	color Color
	// trunk and then sign come before the text, in their own colours, and are
	// never shortened.
	trunk     string
	sign      string
	signColor Color
	right     bool
}

func (c cell) columns() int { return Columns(c.trunk) + Columns(c.sign) + Columns(c.text) }

// table arranges cells in columns. The elastic column takes the width that the
// others leave. A row with a single cell spans all columns.
type table struct {
	rows    [][]cell
	elastic int
	// least is the smallest width of the elastic column.
	least int
}

const gap = "  "

func (t table) text(s Screen) string {
	widths := t.widths(s)
	var b strings.Builder
	for _, row := range t.rows {
		b.WriteString(t.line(s, row, widths))
		b.WriteByte('\n')
	}
	return b.String()
}

func (t table) widths(s Screen) []int {
	var widths []int
	for _, row := range t.rows {
		if len(row) == 1 {
			continue
		}
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], c.columns())
		}
	}
	if s.Width > 0 && len(widths) > 0 {
		t.squeeze(widths, s.Width-len(gap)*(len(widths)-1))
	}
	return widths
}

// narrowest is the width of a column on a screen with too little room.
const narrowest = 6

// squeeze narrows the columns until they fit: first the elastic one, then
// whichever is the widest.
func (t table) squeeze(widths []int, room int) {
	for _, w := range widths {
		room -= w
	}
	if taken := min(-room, widths[t.elastic]-t.least); taken > 0 {
		widths[t.elastic] -= taken
		room += taken
	}
	for ; room < 0; room++ {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= narrowest {
			return
		}
		widths[widest]--
	}
}

func (t table) line(s Screen, row []cell, widths []int) string {
	if len(row) == 1 {
		return s.cell(row[0], s.Width, false)
	}
	parts := make([]string, len(row))
	for i, c := range row {
		parts[i] = s.cell(c, widths[i], i < len(row)-1)
	}
	return strings.TrimRight(strings.Join(parts, gap), " ")
}

// cell fits a cell into its column and pads it if fill is set.
func (s Screen) cell(c cell, width int, fill bool) string {
	room := 0
	if width > 0 {
		room = max(1, width-Columns(c.trunk)-Columns(c.sign))
	}
	text := s.fit(c.text, room)
	space := ""
	if missing := room - Columns(text); missing > 0 && (fill || c.right) {
		space = strings.Repeat(" ", missing)
	}
	before := s.Paint(Dim, c.trunk) + s.Paint(c.signColor, c.sign)
	if c.right {
		return before + space + s.Paint(c.color, text)
	}
	return before + s.Paint(c.color, text) + space
}

func heads(names ...string) []cell {
	row := make([]cell, len(names))
	for i, name := range names {
		row[i] = cell{text: name, color: Dim}
	}
	return row
}
