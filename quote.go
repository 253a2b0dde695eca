package parley

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// phrase is how something begins that the hub says, reduced to its letters.
type phrase struct {
	letters string
	then    ending
}

// ending is what has to follow the letters of a phrase.
type ending int

const (
	anything   ending = iota
	colon             // at once
	colonLater        // after a name
)

// headers stand in brackets. A reader notices them anywhere in a line.
var headers = []phrase{
	{"agentrequest", anything}, {"agentnotification", anything}, {"channelmessage", anything},
	{"delegationresult", anything}, {"delegationfailed", anything}, {"approvalrequest", anything},
	{"queryfrom", anything}, {"queryunanswered", anything}, {"answerfrom", anything},
	{"unread", anything}, {"keeper", anything}, {"channelnotice", anything}, {"earliermessagesareleftout", anything},
	{"resultofcall", anything}, {"errorofcall", anything},
}

// openings begin a line, without a bracket.
var openings = []phrase{
	{"messagefromagent", anything}, {"responsefrom", colonLater},
	{"context", colon}, {"contextfrom", colonLater}, {"relevantcontext", colon},
	{"enrichmentsgatheredduringrouting", anything}, {"youcanrespondusingpeeranswerquestion", anything},
	{"foryoualonenotpartoftherequest", anything},
	{"thisactionrequiresapproval", anything}, {"approvaldeniedfor", anything},
	{"delegatedto", anything}, {"notificationsentto", anything}, {"questionsentto", anything},
	{"questionforwardedto", anything}, {"answerdeliveredforquery", anything},
}

// Quote keeps the text of a participant from passing for the hub's own: it puts
// "> " before each line in which something looks like a header or a notice of the
// hub.
func Quote(s string) string {
	var b strings.Builder // empty as long as nothing has to be quoted
	start, copied := 0, 0
	quote := func(end int) {
		if imitates(s[start:end]) {
			b.WriteString(s[copied:start])
			b.WriteString("> ")
			copied = start
		}
	}
	for i, r := range s {
		if lineBreak(r) {
			quote(i)
			start = i + utf8.RuneLen(r)
		}
	}
	quote(len(s))
	if b.Len() == 0 {
		return s
	}
	b.WriteString(s[copied:])
	return b.String()
}

// Entry shows a text as one entry of a list: it is quoted, and every further line of
// it is marked, so that none can pass for the next entry.
func Entry(s string) string { return Continued(Quote(s)) }

// Continued marks every line of a text but the first.
func Continued(s string) string {
	s = strings.TrimRightFunc(s, lineBreak)
	if !strings.ContainsFunc(s, lineBreak) {
		return s
	}
	var b strings.Builder
	start := 0
	for i, r := range s {
		if lineBreak(r) {
			if between := i > 0 && r == '\n' && s[i-1] == '\r'; !between {
				b.WriteString(s[start:i])
				b.WriteString(continued)
			}
			start = i + utf8.RuneLen(r)
		}
	}
	b.WriteString(s[start:])
	return b.String()
}

// continued goes before the second and every further line of an entry.
const continued = "\n  | "

// lineBreak reports whether some reader begins a new line after r.
func lineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// imitates reports whether a line looks as if the hub had written something of it.
// A line that is quoted already does not.
func imitates(line string) bool {
	if strings.HasPrefix(strings.TrimLeft(line, " \t"), ">") {
		return false
	}
	if opens(afterMarks(line), openings) {
		return true
	}
	for i, r := range line {
		if bracket(r) {
			inside := strings.TrimLeftFunc(line[i+utf8.RuneLen(r):], func(r rune) bool { return unicode.IsDigit(r) || !readable(r) })
			if opens(line[i+utf8.RuneLen(r):], headers) || opens(inside, headers) {
				return true
			}
		}
	}
	return false
}

// bracket reports whether r looks like the [ of a header.
func bracket(r rune) bool {
	switch {
	case r == '[', r == '\U000e005b': // and the tag that stands for it
		return true
	case r < utf8.RuneSelf:
		return false
	}
	return unicode.Is(unicode.Ps, r) || strings.ContainsRune("⎡⎢⎣⌜⌞⊏⊑ㄈ匚", r)
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

func opens(text string, list []phrase) bool {
	for i := range list {
		if list[i].opens(text) {
			return true
		}
	}
	return false
}

// opens reports whether a text begins with the phrase as a reader takes it in at a
// glance: by its letters and what looks like them, whatever punctuation or invisible
// characters lie between. A sign may stand for a letter or for nothing, so several
// places in the phrase are possible at once: bit n of reached says that n letters
// are.
func (p *phrase) opens(text string) bool {
	reached := uint64(1)
	for i, r := range text {
		if reached>>len(p.letters)&1 != 0 && p.then.follows(text[i:]) {
			return true
		}
		if reached = p.step(reached, r); reached == 0 {
			return false
		}
	}
	return reached>>len(p.letters)&1 != 0 && p.then == anything
}

// step takes one more character.
func (p *phrase) step(reached uint64, r rune) uint64 {
	seen := readAs(r)
	next := uint64(0)
	if seen == "" {
		if unicode.IsLetter(r) && !filler(r) {
			return 0
		}
		seen, next = sign(r), reached
	}
	if seen == "" {
		return next
	}
	if r == 'ǫ' { // it is drawn for a small capital q
		next |= p.move(reached, "q")
	}
	return next | p.move(reached, seen)
}

// move is where the letters seen lead from the places reached.
func (p *phrase) move(reached uint64, seen string) uint64 {
	for i := range len(seen) {
		moved := uint64(0)
		for ; reached != 0; reached &= reached - 1 {
			if n := bits.TrailingZeros64(reached); n < len(p.letters) && alike(seen[i], p.letters[n]) {
				moved |= 1 << (n + 1)
			}
		}
		reached = moved
	}
	return reached
}

// follows reports whether what comes after the letters is what has to.
func (e ending) follows(rest string) bool {
	switch e {
	case colon:
		rest = strings.TrimLeftFunc(rest, func(r rune) bool { return !readable(r) && !isColon(r) })
		r, _ := utf8.DecodeRuneInString(rest)
		return isColon(r)
	case colonLater:
		return strings.ContainsFunc(rest, isColon)
	}
	return true
}

func isColon(r rune) bool { return strings.ContainsRune(":：﹕︓꞉∶։׃ː˸⁚᠄᛬︰", r) }

// alike reports whether a letter or digit can be taken for a letter.
func alike(seen, letter byte) bool {
	if seen == letter {
		return true
	}
	switch letter {
	case 'i', 'l':
		return seen == 'i' || seen == 'l' || seen == '1'
	case 'o':
		return seen == '0'
	case 'e':
		return seen == '3'
	case 'a':
		return seen == '4'
	case 's':
		return seen == '5'
	case 't':
		return seen == '7'
	case 'g':
		return seen == '9'
	}
	return false
}

// sign is the letter that a sign may stand for. Tags are invisible to people, and
// models read them as letters.
func sign(r rune) string {
	switch r {
	case '|', '!', '¦', 'ǀ', '∣':
		return "l"
	case '@':
		return "a"
	case '$':
		return "s"
	case '€':
		return "e"
	case '+', '†':
		return "t"
	}
	if isTag(r) {
		return ascii(r - tags)
	}
	return ""
}

// tags is where the invisible copies of ASCII begin.
const tags = 0xe0000

func isTag(r rune) bool { return r > tags+' ' && r < tags+0x7f }

// readable reports whether r is read as a letter or digit.
func readable(r rune) bool {
	return readAs(r) != "" || (unicode.IsLetter(r) || unicode.IsDigit(r)) && !filler(r)
}

// filler reports whether r is a letter without a shape.
func filler(r rune) bool { return r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0' }

// shapeless reports whether a reader sees nothing of r but perhaps a gap or a new
// line: controls, format characters, tags, fillers, characters of no agreed shape.
func shapeless(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0, lineBreak(r):
		return true
	case r < utf8.RuneSelf:
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Co) || r >= tags && r <= tags+0xfff || filler(r)
}
