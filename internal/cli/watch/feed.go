package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// keep is how many lines the feed keeps. Whoever wants more reads parley audit or
// parley log.
const keep = 1000

// keepText is how many bytes of a step's own text are kept for the reader.
const keepText = 4000

// entry is one line of the feed.
type entry struct {
	id   string // by which it is found again
	also string // the id of the result that took the place of a call
	at   time.Time
	who  string
	verb string
	to   string
	// place stands after the name of whom it is for.
	place string
	look  style
	text  string
	task  string
	// aside stands at the right: how long it took, what it cost.
	aside string
	// whole is what the reader shows; message is what it reads at the hub.
	whole, message string
	// open marks a call whose result has not come.
	open, result bool
	// words are those of a message or of a reply, which says the same as the message
	// that it becomes.
	words string
}

// feed is what happened, oldest first. Only the newest state may be used after add,
// which changes entries in their place.
type feed struct {
	entries []entry
	count   int
}

// near is how far back a call is looked for when its result comes, and a reply when it
// has become a message.
const near = 200

// add takes an entry. What is there already is not told again: the
// result of a call takes the place of the call, the message that a reply became the
// place of the reply, and what a hub tells again after a restart is told once.
func (f feed) add(e entry, show bool) feed {
	if !show {
		return f
	}
	for i := len(f.entries) - 1; i >= 0; i-- {
		old := &f.entries[i]
		switch {
		case e.id != "" && (old.id == e.id || old.also == e.id):
			return f
		case len(f.entries)-i > near || old.task != e.task:
		case e.result && old.open && strings.HasPrefix(e.text, old.text):
			// It stands where it ended, so that whoever follows sees it.
			e.id, e.also = old.id, e.id
			f.entries = slices.Delete(f.entries, i, i+1)
			return f.insert(e)
		case e.words != "" && old.words == e.words && e.verb == "" && old.verb != "":
			return f
		case e.words != "" && old.words == e.words && e.verb != "" && old.verb == "":
			e.id, e.also, e.at = old.id, e.id, old.at
			*old = e
			return f
		}
	}
	f.count++
	if e.id == "" {
		e.id = fmt.Sprintf("#%d", f.count)
	}
	return f.insert(e)
}

// insert puts an entry where its time is, and drops the oldest.
func (f feed) insert(e entry) feed {
	at := len(f.entries)
	for at > 0 && f.entries[at-1].after(e) {
		at--
	}
	f.entries = slices.Insert(f.entries, at, e)
	if len(f.entries) >= 2*keep { // seldom, since it copies
		f.entries = slices.Clone(f.entries[len(f.entries)-keep:])
	}
	return f
}

// after reports whether an entry belongs behind another. The record and the steps come by
// different ways, and what is stored together has the same time: a call then stands before
// what came of it, whichever is heard of first.
func (e entry) after(other entry) bool {
	if e.at.Equal(other.at) {
		return e.verb != "" && other.open
	}
	return e.at.After(other.at)
}

// missed notes that more happened than was shown.
func (f feed) missed(n int, now time.Time) feed {
	return f.add(entry{at: now, verb: fmt.Sprintf("%d more, too fast to show; parley log has them", n), look: dim}, true)
}

// drawFeed draws the newest lines, or those around the one that is chosen.
func (s State) drawFeed(w, h int) []string {
	list := s.feed.entries
	at := slices.IndexFunc(list, func(e entry) bool { return e.id == s.at[feedPane] })
	from := max(0, len(list)-h)
	if at >= 0 {
		from = window(at, len(list), h)
	}
	var rows []string
	for i := from; i < min(len(list), from+h); i++ {
		rows = append(rows, s.feedRow(list[i], w, i == at))
	}
	if len(list) == 0 {
		rows = append(rows, s.row(w, []span{{" Nothing has happened yet.", dim}}))
	}
	return rows
}

func (s State) feedRow(e entry, w int, here bool) string {
	clock := e.at.In(s.zoneOr()).Format("15:04:05")
	left := []span{s.marker(here), {clock + " ", dim}}
	left = append(left, span{e.who, nameStyle(e.who)})
	switch {
	case e.verb == "":
		left = append(left, span{" ", plain}, span{e.text, e.look})
	default:
		if e.who != "" {
			left = append(left, span{" ", plain})
		}
		left = append(left, span{e.verb, e.look})
		if e.to != "" && e.to != e.who {
			left = append(left, span{" ", plain}, span{e.to, nameStyle(e.to)})
		}
		if e.place != "" {
			left = append(left, span{" " + e.place, e.look})
		}
		if e.text != "" {
			left = append(left, span{": " + e.text, plain})
		}
	}
	right := []span{}
	if e.aside != "" {
		right = append(right, span{e.aside, dim})
	}
	if e.task != "" && w >= 60 {
		right = append(right, span{" " + e.task, dim})
	}
	return s.row(w, left, right...)
}

func (s State) zoneOr() *time.Location {
	if s.zone == nil {
		return time.UTC
	}
	return s.zone
}

// marker shows what is chosen.
func (s State) marker(here bool) span {
	if here {
		return span{s.sign("▸", ">"), bold}
	}
	return span{" ", plain}
}

// window is the first of n rows to draw so that the one at a place is seen.
func window(at, n, h int) int { return max(0, min(at-h/2, n-h)) }
