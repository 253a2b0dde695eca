package watch

// reader shows one text over the whole screen.
type reader struct {
	open  bool
	title string
	text  []string
	top   int // the first line that is shown, of those that are broken to fit
	// loading says that the hub was asked for the text.
	loading bool
}

// scroll moves the text; it reports whether the key does that.
func (r reader) scroll(name string, w, h int) (reader, bool) {
	page := max(1, h-2)
	switch name {
	case "down", "j", "enter":
		r.top++
	case "up", "k":
		r.top--
	case "pgdown", "space", "ctrl+d":
		r.top += page
	case "pgup", "ctrl+u":
		r.top -= page
	case "home", "g":
		r.top = 0
	case "end", "G":
		r.top = len(r.broken(w))
	default:
		return r, false
	}
	r.top = max(0, min(r.top, len(r.broken(w))-max(1, h-1)))
	return r, true
}

// broken is the text in lines of w columns.
func (r reader) broken(w int) []string {
	var lines []string
	for _, line := range r.text {
		lines = append(lines, wrap(line, max(minReader, w-2))...)
	}
	return lines
}

// minReader is the width below which a text is cut instead of broken.
const minReader = 8

// drawReader draws the text in h rows.
func (s State) drawReader(w, h int) []string {
	rows := []string{s.rule(w, s.reader.title, chosen)}
	if s.reader.loading {
		return append(rows, s.row(w, []span{{" Reading" + s.ellipsis(), dim}}))
	}
	lines := s.reader.broken(w)
	room := max(1, h-1)
	top := min(s.reader.top, max(0, len(lines)-room))
	for _, line := range lines[top:min(len(lines), top+room)] {
		rows = append(rows, s.row(w, []span{{" ", plain}, {line, plain}}))
	}
	return rows
}
