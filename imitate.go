package parley

import (
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"
)

// headers stand in brackets. A reader notices them anywhere in a line.
var headers = []string{
	"agentrequest", "agentnotification", "channelmessage", "delegationresult", "delegationfailed", "approvalrequest",
	"queryfrom", "queryunanswered", "answerfrom", "unread", "keeper", "channelnotice", "earliermessagesareleftout",
	"resultofcall", "errorofcall", "redactedby", "taskended", "taskresumed", "reminder",
}

// openings begin a line, without a bracket. A star is a name or the like, and a colon
// is a colon.
var openings = []string{
	"messagefromagent", "responsefrom*:", "context:", "contextfrom*:", "relevantcontext:",
	"enrichmentsgatheredduringrouting", "youcanrespondusingpeeranswerquestion", "foryoualonenotpartoftherequest",
	"thisactionrequiresapproval", "approvaldeniedfor", "approval*isapprovedforthiscall", "approval*isdenied",
	"delegatedto", "notificationsentto", "questionsentto", "questionforwardedto", "answerdeliveredforquery", "query*notfound",
	"formaterror:", "moreisnotshownhere", "morearenotshownhere", "moreisunread", "moreareunread",
	"error*failedtorespond", "error*didnotrespondwithin", "error*failedtocompletethetask", "error*ratelimitreached",
	"error*blockedbycaninvokepolicy",
}

// phrase is how something begins that the hub says, reduced to its letters. Bit n of a
// place says that n of its parts have been read; there are several bits, since a
// character may stand for a letter or for nothing.
type phrase struct {
	parts     int
	bracketed bool
	reads     ['z' + 1]uint64 // the places from which a letter or digit leads on
	letters   uint64          // those from which any letter does
	colons    uint64          // and a colon
	gaps      uint64          // the places before a star
	odd       int             // how many unlikely letters it may have
}

// place is how far a phrase has been read, by how many unlikely letters that took.
type place [atMostOdd + 1]uint64

// phrases are the headers, and then the openings.
var phrases = sync.OnceValue(func() (list []phrase) {
	for _, text := range headers {
		list = append(list, newPhrase(text, true))
	}
	for _, text := range openings {
		list = append(list, newPhrase(text, false))
	}
	return list
})

func newPhrase(text string, bracketed bool) phrase {
	p := phrase{parts: len(text), bracketed: bracketed}
	for n := range text {
		bit := uint64(1) << n
		switch part := text[n]; part {
		case '*':
			p.gaps |= bit
		case ':':
			p.colons |= bit
		default:
			p.letters |= bit
			for _, seen := range []byte(letters + digits) {
				if alike(seen, part) {
					p.reads[seen] |= bit
				}
			}
		}
	}
	p.odd = min(bits.OnesCount64(p.letters)/2, atMostOdd)
	return p
}

// mayBegin reports whether the phrase can begin with a character.
func (p *phrase) mayBegin(g *glyph) bool {
	return g.joker != noJoker || g.letters != "" && p.reads[g.letters[0]]&1 != 0 || g.other != "" && p.reads[g.other[0]]&1 != 0
}

// step reads one more character.
func (p *phrase) step(at *place, g *glyph) (next place, whole bool) {
	for odd, reached := range at {
		if reached == 0 {
			continue
		}
		on := p.move(reached, g.letters) | p.move(reached, g.other)
		if g.nothing {
			on |= reached
		}
		if within := p.gaps << 1; g.ends {
			on &^= within
		} else {
			on |= reached & within
		}
		if g.colon {
			on |= reached & p.colons << 1
		}
		next[odd] |= on
		switch {
		case g.joker == strange && p.bracketed:
			next[odd] |= reached & p.letters << 1
		case g.joker != noJoker && odd < p.odd:
			next[odd+1] |= reached & p.letters << 1
		}
	}
	for odd := range next {
		next[odd] |= next[odd] & p.gaps << 1
		whole = whole || next[odd]>>p.parts&1 != 0
		next[odd] &^= 1 << p.parts
	}
	return next, whole
}

// move is where the letters seen lead from the places reached.
func (p *phrase) move(reached uint64, seen string) uint64 {
	if seen == "" {
		return 0
	}
	for i := range len(seen) {
		reached = reached & p.reads[seen[i]] << 1
	}
	return reached
}

// imitations are where the lines begin in which something looks as if the hub had
// written it, in one pass over the text. Lines that are quoted already are left out.
func imitations(s string) []int {
	w := watches.Get().(*watch)
	defer watches.Put(w)
	w.reset()
	for rest := s; ; {
		end := nextBreak(rest)
		if end < 0 {
			w.read(rest, len(s)-len(rest))
			break
		}
		_, size := utf8.DecodeRuneInString(rest[end:])
		if strings.HasPrefix(rest[end:], "\r\n") {
			size = 2
		}
		w.read(rest[:end+size], len(s)-len(rest))
		rest = rest[end+size:]
	}
	var found []int
	for _, l := range w.lines {
		if l.imitates && !l.quoted {
			found = append(found, l.start)
		}
	}
	return found
}

// nextBreak finds the end of a line; -1 if there is none. Nearly all characters are told
// apart by their first byte.
func nextBreak(s string) int {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b >= ' ' && b < utf8.RuneSelf {
			continue
		} else if b < ' ' || utf8.RuneStart(b) {
			if r, _ := utf8.DecodeRuneInString(s[i:]); lineBreak(r) {
				return i
			}
		}
	}
	return -1
}

// line is a line of a text that is being read.
type line struct {
	start            int
	imitates, quoted bool
}

// watch looks out for all phrases at once, across the ends of lines.
type watch struct {
	list  []phrase
	lines []line
	live  uint64 // the phrases that have begun
	at    [64]place
	since [64]int // the lines that they began in
	// open says that the next letter is the first after a bracket, which was in the
	// line opened, and closed that the bracket is no longer open.
	open, closed bool
	opened       int
}

// watches are used again: one is far larger than most texts.
var watches = sync.Pool{New: func() any { return &watch{list: phrases()} }}

// reset begins with another text. Where a phrase was read to is set when it begins.
func (w *watch) reset() {
	w.lines, w.live, w.open, w.closed, w.opened = w.lines[:0], 0, false, false, 0
}

// read reads a line with what ends it.
func (w *watch) read(text string, start int) {
	w.lines = append(w.lines, line{start: start, quoted: strings.HasPrefix(strings.TrimLeft(text, " \t"), ">")})
	first := len(text) - len(afterMarks(text))
	begins := true // no letter was read yet
	size := 0
	for i := 0; i < len(text); i += size {
		if w.live == 0 && !w.open && !begins {
			if i += nextBracket(text[i:]); i == len(text) { // past most of what is ever read
				break
			}
		}
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		g := glyphOf(r)
		w.goOn(g)
		letter := g.letters != "" || g.joker != noJoker
		if w.open && letter {
			w.begin(g, true, w.opened)
		}
		if begins && i >= first && letter {
			w.begin(g, false, len(w.lines)-1)
		}
		passes := g.nothing || g.digit
		begins = begins && (i < first || passes)
		w.bracket(g, passes)
	}
}

// nextBracket is how much comes before the next bracket, or all.
func nextBracket(s string) int {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			if s[i] == '[' {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if bracket(r) {
			return i
		}
		i += size
	}
	return len(s)
}

// bracket notes what a character means for the header that may come. One that is
// closed does not go on in the next line.
func (w *watch) bracket(g *glyph, passes bool) {
	switch {
	case g.opens && w.open:
		w.closed = false
	case g.opens:
		w.open, w.closed, w.opened = true, false, len(w.lines)-1
	case !passes, g.ends && w.closed:
		w.open = false
	case g.closes:
		w.closed = true
	}
}

// goOn reads on in the phrases that have begun.
func (w *watch) goOn(g *glyph) {
	for live := w.live; live != 0; live &= live - 1 {
		n := bits.TrailingZeros64(live)
		next, whole := w.list[n].step(&w.at[n], g)
		if whole {
			w.found(n)
		}
		if w.at[n] = next; next == (place{}) {
			w.live &^= 1 << n
		}
	}
}

// begin begins phrases with a character.
func (w *watch) begin(g *glyph, bracketed bool, since int) {
	for n := range w.list {
		p := &w.list[n]
		if p.bracketed != bracketed || !p.mayBegin(g) {
			continue
		}
		next, _ := p.step(&place{1}, g)
		if next[0] &^= 1; next == (place{}) { // where it begins is noted elsewhere
			continue
		}
		if w.live>>n&1 == 0 {
			w.live |= 1 << n
			w.at[n], w.since[n] = place{}, since
		}
		for odd := range next {
			w.at[n][odd] |= next[odd]
		}
	}
}

// found marks the lines in which a phrase was read. It may be read in yet another way
// that ends later; the lines so far are marked then.
func (w *watch) found(n int) {
	for i := w.since[n]; i < len(w.lines); i++ {
		w.lines[i].imitates = true
	}
	w.since[n] = len(w.lines) - 1
}

// afterMarks is a line without what may stand before its first word: marks and
// numbers of a list, arrows, emphasis.
func afterMarks(line string) string {
	for range 4 {
		line = strings.TrimLeftFunc(line, func(r rune) bool { return !readable(r) && !isTag(r) })
		end := strings.IndexFunc(line, func(r rune) bool { return !readable(r) })
		if end <= 0 || utf8.RuneCountInString(line[:end]) > 3 || !strings.ContainsRune(".):]", rune(line[end])) {
			return line
		}
		line = line[end+1:]
	}
	return line
}
