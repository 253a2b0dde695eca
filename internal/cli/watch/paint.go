package watch

import (
	"strings"

	"charm.land/lipgloss/v2"

	"parley"
)

// style is how a piece of text looks. The colours are the terminal's own, which go
// with its background.
type style int

const (
	plain style = iota
	bold
	dim
	red
	green
	yellow
	blue
	magenta
	cyan
	chosen // the title of the pane that has the keys
	alarm  // what must not be overlooked
)

var (
	decorated = map[style]lipgloss.Style{
		bold:   lipgloss.NewStyle().Bold(true),
		dim:    lipgloss.NewStyle().Faint(true),
		chosen: lipgloss.NewStyle().Bold(true).Reverse(true),
		alarm:  lipgloss.NewStyle().Bold(true).Reverse(true),
	}
	coloured = map[style]lipgloss.Style{
		red:     lipgloss.NewStyle().Foreground(lipgloss.Red),
		green:   lipgloss.NewStyle().Foreground(lipgloss.Green),
		yellow:  lipgloss.NewStyle().Foreground(lipgloss.Yellow),
		blue:    lipgloss.NewStyle().Foreground(lipgloss.Blue),
		magenta: lipgloss.NewStyle().Foreground(lipgloss.Magenta),
		cyan:    lipgloss.NewStyle().Foreground(lipgloss.Cyan),
		alarm:   lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red).Reverse(true),
	}
)

// brush draws rows. Without colours it keeps bold and reverse.
type brush struct {
	color, ascii bool
}

func (b brush) paint(st style, text string) string {
	if text == "" || st == plain {
		return text
	}
	if s, ok := coloured[st]; ok && b.color {
		return s.Render(text)
	}
	if s, ok := decorated[st]; ok {
		return s.Render(text)
	}
	return text
}

// sign chooses between a drawing character and its plain replacement.
func (b brush) sign(unicode, ascii string) string {
	if b.ascii {
		return ascii
	}
	return unicode
}

func (b brush) ellipsis() string { return b.sign("…", "...") }
func (b brush) dot() string      { return b.sign(" · ", " - ") }

// span is a piece of a row.
type span struct {
	text  string
	style style
}

func width(spans []span) int {
	n := 0
	for _, s := range spans {
		n += columns(s.text)
	}
	return n
}

// row draws spans in exactly n columns. Those at the right stay whole if at least
// half of the row is left for the others; otherwise they are left out.
func (b brush) row(n int, left []span, right ...span) string {
	if n <= 0 {
		return ""
	}
	taken := 0
	if w := width(right); w > 0 && w+1 <= n/2 {
		taken = w + 1
	} else {
		right = nil
	}
	var out strings.Builder
	room := n - taken
	cut := width(left) > room
	for _, s := range left {
		text := s.text
		if cut && columns(text) >= room {
			text = fit(text+" ", room, b.ellipsis())
		}
		room -= columns(text)
		out.WriteString(b.paint(s.style, text))
		if room <= 0 {
			break
		}
	}
	out.WriteString(strings.Repeat(" ", max(0, room)))
	if taken > 0 {
		out.WriteByte(' ')
		for _, s := range right {
			out.WriteString(b.paint(s.style, s.text))
		}
	}
	return out.String()
}

// rule is the title of a pane, with a line up to its end.
func (b brush) rule(n int, title string, st style, right ...span) string {
	name := " " + title + " "
	line := strings.Repeat(b.sign("─", "-"), max(0, n-columns(name)-width(right)-1))
	if width(right)+1 > n/2 {
		line, right = strings.Repeat(b.sign("─", "-"), max(0, n-columns(name))), nil
	}
	return b.row(n, append([]span{{name, st}, {line, dim}, {" ", plain}}, right...))
}

// nameStyle gives each name a colour of its own, always the same one.
func nameStyle(name string) style {
	palette := [...]style{cyan, magenta, blue, green, yellow}
	sum := uint32(2166136261)
	for i := range len(name) {
		sum = (sum ^ uint32(name[i])) * 16777619
	}
	return palette[sum%uint32(len(palette))]
}

// stateSign is how the state of a task looks.
func (b brush) stateSign(state string) span {
	switch state {
	case parley.Queued.String():
		return span{b.sign("◌", "o"), dim}
	case parley.Running.String():
		return span{b.sign("●", "*"), cyan}
	case parley.Waiting.String():
		return span{b.sign("◐", "~"), yellow}
	case parley.Completed.String():
		return span{b.sign("✓", "+"), green}
	case parley.TaskFailed.String():
		return span{b.sign("✗", "x"), red}
	case parley.Cancelled.String():
		return span{b.sign("⊘", "-"), dim}
	}
	return span{"?", plain}
}

// statusSign is how the status of an agent looks.
func (b brush) statusSign(status string) span {
	switch parley.Status(status) {
	case parley.StatusWorking:
		return span{b.sign("●", "*"), cyan}
	case parley.StatusAwaitingApproval, parley.StatusAwaitingDelegation:
		return span{b.sign("◐", "~"), yellow}
	case parley.StatusIdle:
		return span{b.sign("○", "o"), green}
	case parley.StatusOffline:
		return span{b.sign("✗", "x"), red}
	}
	return span{b.sign("◌", "."), dim}
}
