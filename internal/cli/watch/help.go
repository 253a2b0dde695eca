package watch

import "strings"

// keyHelp are the keys and what they do. An empty line begins a new part.
var keyHelp = [][2]string{
	{"Tab, Shift-Tab", "the next pane, the one before"},
	{"↑ ↓, j k", "choose; PgUp, PgDn, g and G go further"},
	{"Enter", "show the whole of what is chosen"},
	{"Esc", "choose nothing; the feed follows what happens"},
	{"w", "go to what waits for you"},
	{"", ""},
	{"a", "approve the chosen call, exactly as it is shown"},
	{"d", "deny it, or decline a question, with a reason; pass on one to the team"},
	{"A", "approve it, and write the rule that allows it from now on"},
	{"s", "show all of it: every argument of the call"},
	{"1 to 9", "answer a question with that choice"},
	{"r", "answer a question in your own words"},
	{"", ""},
	{"@name text", "hand work to somebody; Tab completes the name"},
	{"#channel text", "post to a channel"},
	{"i : /", "an empty line to write in"},
	{"Esc", "leave the line without sending"},
	{"", ""},
	{"?", "these keys"},
	{"q, Ctrl-C", "leave; the team works on"},
}

func (s State) drawHelp(w, h int) []string {
	rows := []string{s.rule(w, "Keys", chosen)}
	for _, k := range keyHelp {
		name := k[0]
		if s.ascii {
			name = strings.ReplaceAll(name, "↑ ↓", "arrows")
		}
		if k[1] == "" && h < len(keyHelp)+1 {
			continue // a low screen has no room for gaps
		}
		rows = append(rows, s.row(w, []span{{" " + pad(name, 16), bold}, {k[1], plain}}))
	}
	return rows
}

// hint is the last row: what has just happened, or what can be done now.
func (s State) hint(w int) string {
	switch {
	case s.note.text != "" && s.note.bad:
		return s.row(w, []span{{" " + s.note.text, red}})
	case s.note.text != "":
		return s.row(w, []span{{" " + s.note.text, green}})
	case s.line.open:
		return s.row(w, []span{{" " + s.lineHint(), dim}})
	case s.help:
		return s.row(w, []span{{" Any key goes back.", dim}})
	case s.reader.open:
		text := " " + s.sign("↑ ↓", "arrows") + " scroll  Esc back"
		if i := s.readItem(); i != nil {
			text += "  " + strings.ReplaceAll(s.keysOf(*i), "  s show", "")
		}
		return s.row(w, []span{{text, dim}})
	case len(s.waiting) > 0 && s.focus != waitPane:
		return s.row(w, []span{{" w goes to what waits for you  Tab next pane  Enter show  ? keys  q leave", dim}})
	}
	return s.row(w, []span{{" Tab next pane  " + s.sign("↑ ↓", "arrows") + " choose  Enter show  ? keys  q leave", dim}})
}

// lineHint says what Enter does, or which names there are.
func (s State) lineHint() string {
	if s.line.purpose != writing {
		return "Enter sends  Esc leaves"
	}
	typed := s.line.text()
	if typed == s.line.turn.text && s.line.turn.typed != "" {
		typed = s.line.turn.typed
	}
	if names := candidates(typed, s.names(), s.channels); len(names) > 1 {
		if len(names) > 20 {
			names = append(names[:20], s.ellipsis())
		}
		return "Tab: " + oneLine(strings.Join(names, " "))
	}
	switch sign, name, _ := s.line.address(s.names(), s.channels); {
	case sign == "@" && name != "":
		return "Enter hands this to " + oneLine(name) + "  Tab completes  Esc leaves"
	case sign == "#" && name != "":
		return "Enter posts this to #" + oneLine(name) + "  Tab completes  Esc leaves"
	}
	return "@name hands work over, #channel posts  Tab completes  Esc leaves"
}
