package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/api"
)

// Trace draws the sequence diagram of a task tree: a line down the page for each
// participant, the time on the left, and what was said on the right. If the screen
// is too narrow for this, it is a list.
func (s Screen) Trace(arrows []api.Arrow) string {
	if len(arrows) == 0 {
		return ""
	}
	d := diagram{Screen: s, arrows: arrows, palette: &Palette{}}
	d.arrange()
	if d.lanes == nil {
		return d.list()
	}
	return d.head() + d.body()
}

// diagram is a trace that is being laid out.
type diagram struct {
	Screen
	arrows  []api.Arrow
	palette *Palette
	names   []string
	// lanes are the columns of the participants' lines; nil if there is no room.
	lanes []int
	// sideBySide says that the names fit into one line above their lanes.
	sideBySide bool
	times      []string
	timeWidth  int
	kindWidth  int
}

const (
	leastLane  = 4  // columns from one lane to the next
	leastLabel = 26 // the smallest width of a label
	goodLabel  = 40 // lanes stay narrow until the label has this width
)

// arrange finds out who takes part and where their lanes go.
func (d *diagram) arrange() {
	for _, a := range d.arrows {
		for _, name := range []string{a.From, a.To} {
			if name != "" && !slices.Contains(d.names, name) {
				d.names = append(d.names, name)
				d.palette.Of(name)
			}
		}
		at := offset(a.At.Sub(d.arrows[0].At))
		d.times = append(d.times, at)
		d.timeWidth = max(d.timeWidth, len(at))
		d.kindWidth = max(d.kindWidth, Columns(kindOf(a)))
	}
	left := d.timeWidth + len(gap)
	if wide := d.wideLanes(left); d.fits(wide[len(wide)-1] + Columns(d.names[len(d.names)-1])/2) {
		d.lanes, d.sideBySide = wide, true
		return
	}
	d.lanes = d.narrowLanes(left)
}

func (d *diagram) fits(right int) bool {
	return d.Width == 0 || right+len(gap)+leastLabel <= d.Width
}

// wideLanes leave room for each name above its lane.
func (d *diagram) wideLanes(left int) []int {
	lanes := make([]int, len(d.names))
	for i, name := range d.names {
		half := (Columns(name) - 1) / 2
		if i == 0 {
			lanes[0] = left + half
			continue
		}
		before := Columns(d.names[i-1]) - (Columns(d.names[i-1])-1)/2
		lanes[i] = lanes[i-1] + max(8, before+len(gap)+half)
	}
	return lanes
}

// narrowLanes share what the label leaves, or are nil.
func (d *diagram) narrowLanes(left int) []int {
	room := d.Width - left - 1 - len(gap)
	n := max(1, len(d.names)-1)
	if (room-leastLabel)/n < leastLane {
		return nil
	}
	step := min(8, max(leastLane, (room-goodLabel)/n))
	lanes := make([]int, len(d.names))
	for i := range lanes {
		lanes[i] = left + i*step
	}
	return lanes
}

// head names the lanes, in one line if the names fit. Otherwise each name has its
// own line, with the lanes to its left already drawn, so that any name fits above
// a narrow lane.
func (d *diagram) head() string {
	if d.sideBySide {
		line, at := "", 0
		for i, name := range d.names {
			start := d.lanes[i] - (Columns(name)-1)/2
			line += strings.Repeat(" ", start-at) + d.Paint(d.palette.Of(name), name)
			at = start + Columns(name)
		}
		return line + "\n"
	}
	var b strings.Builder
	for i, name := range d.names {
		r := d.ruler()
		for j := range i {
			r.put(d.lanes[j], d.glyph("│", "|"), Dim)
		}
		r.put(d.lanes[i], d.fit(name, d.Width-d.lanes[i]), d.palette.Of(name))
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}

func (d *diagram) body() string {
	var b strings.Builder
	for i, a := range d.arrows {
		r := d.ruler()
		r.put(0, padLeft(d.times[i], d.timeWidth), Dim)
		d.drawLanes(r, a)
		label := d.lanes[len(d.lanes)-1] + 1 + len(gap)
		if d.sideBySide {
			last := d.names[len(d.names)-1]
			label = max(label, d.lanes[len(d.lanes)-1]+Columns(last)/2+1+len(gap))
		}
		room := 0
		if d.Width > 0 {
			room = d.Width - label
		}
		d.putLabel(r, label, a, room)
		b.WriteString(strings.TrimRight(r.String(), " ") + "\n")
	}
	return b.String()
}

// drawLanes draws the participants' lines and the arrow between two of them.
func (d *diagram) drawLanes(r *ruler, a api.Arrow) {
	from, to := slices.Index(d.names, a.From), slices.Index(d.names, a.To)
	for _, lane := range d.lanes {
		r.put(lane, d.glyph("│", "|"), Dim)
	}
	l := lookOf(a.Kind)
	switch {
	case from < 0 && to < 0:
	case from < 0 || to < 0 || from == to:
		r.put(d.lanes[max(from, to)], d.glyph(l.point, l.asciiPoint), l.color)
	default:
		left, right := d.lanes[min(from, to)], d.lanes[max(from, to)]
		line := d.glyph("─", "-")
		if l.back {
			line = d.glyph("╌", ".")
		}
		for x := left + 1; x < right; x++ {
			r.put(x, line, l.color)
		}
		if from < to {
			r.put(right-1, d.glyph("▶", ">"), l.color)
			r.put(left, d.glyph("├", "|"), Dim)
		} else {
			r.put(left+1, d.glyph("◀", "<"), l.color)
			r.put(right, d.glyph("┤", "|"), Dim)
		}
	}
}

func (d *diagram) putLabel(r *ruler, x int, a api.Arrow, room int) {
	kind := d.fit(kindOf(a), room)
	r.put(x, kind, lookOf(a.Kind).color)
	used := Columns(kind) + len(gap)
	if room == 0 || room > goodLabel {
		used = d.kindWidth + len(gap) // there is room to align the texts
	}
	if text := Line(a.Label); text != "" && (room == 0 || room-used > 3) {
		if room > 0 {
			text = d.fit(text, room-used)
		}
		r.put(x+used, text, Plain)
	}
}

func kindOf(a api.Arrow) string { return strings.TrimSpace(a.Kind + " " + a.Task) }

// list is the diagram without lanes.
func (d *diagram) list() string {
	left := d.timeWidth + len(gap)
	room := d.Width - left
	var b strings.Builder
	for i, a := range d.arrows {
		who := a.From
		if a.To != "" && a.To != a.From {
			who += " " + d.Arrow() + " " + a.To
		}
		r := d.ruler()
		r.put(0, padLeft(d.times[i], d.timeWidth), Dim)
		r.put(left, d.fit(who, room), d.palette.Of(a.From))
		at := left + Columns(who) + len(gap)
		if at+Columns(kindOf(a)) > d.Width {
			b.WriteString(r.String() + "\n")
			r, at = d.ruler(), left
		}
		r.put(at, d.fit(kindOf(a), room), lookOf(a.Kind).color)
		b.WriteString(r.String() + "\n")
		if text := Line(a.Label); text != "" {
			b.WriteString(strings.Repeat(" ", left) + d.fit(text, max(1, room)) + "\n")
		}
	}
	return b.String()
}

// look is how an arrow is drawn. An answer is a broken line.
type look struct {
	color      Color
	back       bool
	point      string // if it leads nowhere
	asciiPoint string
}

func lookOf(kind string) look {
	switch kind {
	case "ask", "delegate", "question", "retry":
		return look{color: Cyan, point: "●", asciiPoint: "*"}
	case "notify":
		return look{color: Blue, point: "●", asciiPoint: "*"}
	case "reply", "result", "answer":
		return look{color: Green, back: true, point: "●", asciiPoint: "*"}
	case "failed":
		return look{color: Red, back: true, point: "✗", asciiPoint: "x"}
	case "cancelled":
		return look{color: Red, back: true, point: "⊘", asciiPoint: "x"}
	case "waiting", "timeout":
		return look{color: Yellow, point: "◐", asciiPoint: "~"}
	}
	return look{color: Plain, point: "●", asciiPoint: "*"}
}

// offset is the time since the beginning, in fitting units.
func offset(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.2fs", d.Seconds())
	}
	return Duration(d)
}
