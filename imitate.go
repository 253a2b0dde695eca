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

// phrases are the headers, and then the openings. A set of them is a bit for each.
type phrases struct {
	list      []phrase
	bracketed uint64          // those that are headers
	beginning ['z' + 1]uint64 // those that a letter or digit can begin
}

var allPhrases = sync.OnceValue(func() *phrases {
	all := &phrases{}
	for _, text := range headers {
		all.bracketed |= 1 << len(all.list)
		all.add(newPhrase(text, true))
	}
	for _, text := range openings {
		all.add(newPhrase(text, false))
	}
	return all
})

func (all *phrases) add(p phrase) {
	for letter, places := range p.reads {
		all.beginning[letter] |= places & 1 << len(all.list)
	}
	all.list = append(all.list, p)
}

// begun are those that can begin with a character.
func (all *phrases) begun(g *glyph, bracketed bool) (set uint64) {
	switch {
	case g.joker != noJoker:
		set = 1<<len(all.list) - 1
	case g.letters != "":
		set = all.beginning[g.letters[0]]
	}
	if g.other != "" {
		set |= all.beginning[g.other[0]]
	}
	if bracketed {
		return set & all.bracketed
	}
	return set &^ all.bracketed
}

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

// nextBreak finds the end of a line; -1 if there is none.
func nextBreak(s string) int {
	for i := ordinary(s); i < len(s); i += 1 + ordinary(s[i+1:]) {
		if b := s[i]; b < ' ' || b >= utf8.RuneSelf && utf8.RuneStart(b) {
			if r, _ := utf8.DecodeRuneInString(s[i:]); lineBreak(r) {
				return i
			}
		}
	}
	return -1
}

// ordinary is how many bytes of a text are for certain ASCII and none that controls
// anything: most of what is ever read, so it looks at eight at once.
func ordinary(s string) (n int) {
	const each = 0x0101010101010101
	for ; len(s)-n >= 8; n += 8 {
		b := s[n : n+8]
		eight := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		// The highest bit of a byte is set below a space by the subtraction, and by itself
		// past ASCII.
		if (eight-' '*each|eight)&(utf8.RuneSelf*each) != 0 {
			break
		}
	}
	return n
}

// line is a line of a text that is being read.
type line struct {
	start            int
	imitates, quoted bool
}

// watch looks out for all phrases at once, across the ends of lines.
type watch struct {
	*phrases
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
var watches = sync.Pool{New: func() any { return &watch{phrases: allPhrases()} }}

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
	end := strings.IndexByte(s, '[')
	if end < 0 {
		end = len(s)
	}
	for i := ordinary(s[:end]); i < end; i += ordinary(s[i:end]) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneSelf && bracket(r) {
			return i
		}
		i += size
	}
	return end
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
	for begun := w.begun(g, bracketed); begun != 0; begun &= begun - 1 {
		n := bits.TrailingZeros64(begun)
		next, _ := w.list[n].step(&place{1}, g)
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
