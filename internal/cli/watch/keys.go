package watch

import (
	"slices"
	"strconv"
	"strings"

	"parley"
)

// key is the state after a key, and what has to be done.
func (s State) key(k Key) (State, Action) {
	switch {
	case k.Name == "ctrl+c":
		return s, Quit{}
	case k.Name == "ctrl+z":
		return s, Suspend{}
	case s.line.open:
		return s.lineKey(k)
	case s.help:
		s.help = false
		return s, nil
	case s.reader.open:
		return s.readerKey(k)
	}
	s.note = note{}
	switch k.Name {
	case "q":
		return s, Quit{}
	case "?":
		s.help = true
	case "tab":
		s.focus = (s.focus + 1) % panes
	case "shift+tab":
		s.focus = (s.focus + panes - 1) % panes
	case "w":
		s.focus = waitPane
		if s.chosenItem() == nil && len(s.waiting) > 0 {
			s.at[waitPane] = s.waiting[0].id
		}
	case "@", "#":
		s.line = line{open: true}.typed(k.Name)
	case "i", ":", "/":
		s.line = line{open: true}
	case "esc":
		s.at[s.focus] = ""
	case "down", "j", "up", "k", "pgdown", "pgup", "home", "g", "end", "G":
		s.at[s.focus] = move(s.ids(), s.at[s.focus], k.Name, s.focus == feedPane, max(1, s.h-6))
	default:
		return s.chosenKey(k)
	}
	return s, nil
}

// ids are what can be chosen in the pane that has the keys.
func (s State) ids() []string {
	var list []string
	switch s.focus {
	case feedPane:
		for _, e := range s.feed.entries {
			list = append(list, e.id)
		}
	case agentPane:
		for _, a := range s.agents {
			list = append(list, a.Name)
		}
	case taskPane:
		for _, t := range s.tasks {
			list = append(list, t.ID)
		}
	case waitPane:
		for _, i := range s.waiting {
			list = append(list, i.id)
		}
	}
	return list
}

// move chooses another of a list. If nothing is chosen, a list begins at its top, and
// the feed at its newest line; below that the feed follows what happens.
func move(ids []string, at, key string, feed bool, page int) string {
	if len(ids) == 0 {
		return ""
	}
	i, last := slices.Index(ids, at), len(ids)-1
	if i < 0 {
		switch {
		case feed && (key == "down" || key == "j" || key == "pgdown" || key == "end" || key == "G"):
			return ""
		case feed:
			i = last + 1
		case key == "down" || key == "j":
			return ids[0]
		}
	}
	switch key {
	case "down", "j":
		i++
	case "up", "k":
		i--
	case "pgdown":
		i += page
	case "pgup":
		i -= page
	case "home", "g":
		i = 0
	case "end", "G":
		i = last + 1
	}
	if feed && i > last {
		return ""
	}
	return ids[max(0, min(i, last))]
}

// chosenKey is for keys that do something with what is chosen.
func (s State) chosenKey(k Key) (State, Action) {
	if s.focus == waitPane {
		return s.decide(k)
	}
	if k.Name != "enter" && k.Name != "s" {
		return s, nil
	}
	at := s.at[s.focus]
	switch s.focus {
	case agentPane:
		for _, a := range s.agents {
			if a.Name == at {
				s.reader = reader{open: true, title: oneLine(a.Name), text: manyLines(s.agentText(a))}
			}
		}
	case taskPane:
		if at != "" {
			return s.show(at)
		}
	case feedPane:
		for _, e := range s.feed.entries {
			if e.id == at {
				return s.showEntry(e)
			}
		}
	}
	return s, nil
}

func (s State) show(id string) (State, Action) {
	s.reader = reader{open: true, title: id, loading: true}
	return s, Show{ID: id}
}

func (s State) showEntry(e entry) (State, Action) {
	if e.message != "" {
		return s.show(e.message)
	}
	text := strings.TrimSpace(e.verb+" "+e.text) + "\n\n" + e.whole
	s.reader = reader{open: true, title: strings.TrimSpace(e.who + " " + e.task), text: manyLines(text)}
	return s, nil
}

func (s State) readerKey(k Key) (State, Action) {
	if r, ok := s.reader.scroll(k.Name, s.w, s.h-2); ok {
		s.reader = r
		return s, nil
	}
	if k.Name == "q" || k.Name == "esc" || k.Name == "s" || k.Name == "backspace" {
		s.reader = reader{}
		return s, nil
	}
	if s.readItem() != nil {
		before := s.line.open
		next, action := s.decide(k)
		if action != nil || next.line.open != before {
			next.reader = reader{}
		}
		return next, action
	}
	return s, nil
}

// readItem is what waits and is shown whole: it can be decided there. Nil if it is
// something else that is shown.
func (s State) readItem() *item {
	if s.focus != waitPane || s.reader.title != s.at[waitPane] {
		return nil
	}
	return s.chosenItem()
}

// decide is for keys that decide about what waits.
func (s State) decide(k Key) (State, Action) {
	i := s.chosenItem()
	if i == nil {
		return s, nil
	}
	if k.Name == "s" || k.Name == "enter" {
		return s.showItem(*i)
	}
	if i.busy {
		return s, nil
	}
	if a := i.approval; a != nil {
		switch k.Name {
		case "a":
			return s.begin(i.id), Approve{ID: a.ID, Digest: a.Digest}
		case "d":
			s.line = line{open: true, purpose: denying, about: i.id}
		case "A", "shift+a":
			if a.Always == nil {
				s = s.say("There is no rule for this: "+oneLine(a.NotAlways), true)
				return s, nil
			}
			return s.begin(i.id), Always{ID: a.ID, Digest: a.Digest, Agent: a.Agent, Key: a.Always.Key, Value: a.Always.Value}
		}
		return s, nil
	}
	switch n, err := strconv.Atoi(k.Name); {
	case err == nil && n >= 1 && n <= len(i.options):
		return s.begin(i.id), Answer{Task: i.id, Routed: i.question.Routed, Text: i.options[n-1]}
	case k.Name == "r":
		s.line = line{open: true, purpose: answering, about: i.id}
	case k.Name == "d" && i.question.Routed != "":
		return s.begin(i.id), Decline{Task: i.id, Routed: i.question.Routed}
	case k.Name == "d":
		s.line = line{open: true, purpose: declining, about: i.id}
	}
	return s, nil
}

func (s State) showItem(i item) (State, Action) {
	if i.approval != nil {
		return s.show(i.id)
	}
	s.reader = reader{open: true, title: i.id, text: manyLines(i.who() + " asks:\n\n" + i.question.Text)}
	return s, nil
}

// begin marks an item whose decision is on its way, so that no second key decides it.
func (s State) begin(id string) State {
	s.waiting = slices.Clone(s.waiting)
	for i := range s.waiting {
		if s.waiting[i].id == id {
			s.waiting[i].busy = true
		}
	}
	return s
}

// lineKey is for keys while something is typed.
func (s State) lineKey(k Key) (State, Action) {
	switch k.Name {
	case "esc":
		s.line = line{}
		return s, nil
	case "enter":
		return s.send()
	case "tab":
		if s.line.purpose == writing {
			s.line = s.line.complete(s.names(), s.channels)
		}
		return s, nil
	}
	if l, ok := s.line.key(k.Name); ok {
		s.line = l
		return s, nil
	}
	s.line = s.line.typed(k.Text)
	return s, nil
}

// names are those who can be written to.
func (s State) names() []string {
	var list []string
	for _, a := range s.agents {
		if a.Name != s.you {
			list = append(list, a.Name)
		}
	}
	return list
}

// send does what the line is for.
func (s State) send() (State, Action) {
	l, text := s.line, strings.TrimSpace(s.line.text())
	if l.purpose != writing {
		return s.sendAbout(text)
	}
	sign, name, message := l.address(s.names(), s.channels)
	switch {
	case text == "":
		s.line = line{}
		return s, nil
	case sign == "":
		s = s.say("Begin with @name to hand work over, or with #channel to post.", true)
		return s, nil
	case name == "" || message == "":
		s = s.say("Write "+sign+"name, a space, and what you want to say.", true)
		return s, nil
	}
	s.line = line{}
	s = s.say("sending"+s.ellipsis(), false)
	if sign == "#" {
		return s, Post{Channel: name, Text: message, Line: text}
	}
	return s, Delegate{Agent: name, Text: message, Line: text}
}

// sendAbout decides about the item that the line is for, if it still waits.
func (s State) sendAbout(text string) (State, Action) {
	l := s.line
	at := slices.IndexFunc(s.waiting, func(i item) bool { return i.id == l.about })
	if at < 0 || s.waiting[at].busy {
		s.line = line{}
		s = s.say(l.about+" does not wait any more.", true)
		return s, nil
	}
	i := s.waiting[at]
	if text == "" && l.purpose != denying {
		s = s.say("Write something, or press Esc.", true)
		return s, nil
	}
	s.line = line{}
	s = s.say("sending"+s.ellipsis(), false)
	s = s.begin(i.id)
	switch {
	case i.approval != nil:
		return s, Deny{ID: i.id, Digest: i.approval.Digest, Reason: text}
	case l.purpose == declining:
		return s, Decline{Task: i.id, Routed: i.question.Routed, Reason: text}
	}
	return s, Answer{Task: i.id, Routed: i.question.Routed, Text: parley.Chosen(text, i.options), Line: text}
}
