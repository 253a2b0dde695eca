package parley

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// headers are the beginnings of the headers that the hub writes above a
// message, reduced to their letters.
var headers = []string{
	"agentrequest", "agentnotification", "delegationresult", "delegationfailed", "queryfrom", "queryunanswered", "answerfrom", "keeper", "channelmessage", "channelnotice",
}

// plainHeader is the one header that has no bracket.
const plainHeader = "messagefromagent"

// brackets are the characters that look like the [ of a header.
const brackets = "[［⁅⌈⌊❲⟦⟬⦋⦍⦏【〔〖〘〚「『﹝｢"

// Quote keeps the text of a participant from passing for the hub's own: it puts
// "> " before each line that imitates a header.
func Quote(s string) string {
	if harmless(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	start := 0
	for i, r := range s {
		if lineBreak(r) {
			writeLine(&b, s[start:i])
			b.WriteRune(r)
			start = i + utf8.RuneLen(r)
		}
	}
	writeLine(&b, s[start:])
	return b.String()
}

// harmless reports whether nothing in the text looks like the beginning of a
// header. It is a quick check, since most texts are plain.
func harmless(s string) bool {
	begins := true // no letter or digit of the line has been seen yet
	for i := range len(s) {
		switch b := s[i]; {
		case b == '[', b >= utf8.RuneSelf, begins && b|0x20 == plainHeader[0]:
			return false
		case b < ' ':
			begins = begins || lineBreak(rune(b))
		case begins && readable(rune(b)):
			begins = false
		}
	}
	return true
}

func writeLine(b *strings.Builder, line string) {
	if imitatesHeader(line) {
		b.WriteString("> ")
	}
	b.WriteString(line)
}

// lineBreak reports whether some reader begins a new line after r.
func lineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// imitatesHeader compares what a reader takes in at a glance: a bracket and the
// letters after it, whatever punctuation or invisible characters lie between. A
// line that is already quoted is no imitation.
func imitatesHeader(line string) bool {
	at := strings.IndexFunc(line, readable)
	if at < 0 {
		return false
	}
	bracket := strings.IndexAny(line[:at], brackets)
	if strings.Contains(line[:max(bracket, 0)], ">") || bracket < 0 && strings.Contains(line[:at], ">") {
		return false
	}
	seen := letters(line[at:])
	if strings.HasPrefix(seen, plainHeader) {
		return true
	}
	return bracket >= 0 && slices.ContainsFunc(headers, func(h string) bool { return strings.HasPrefix(seen, h) })
}

// letters returns the first letters of a line, enough for the longest header.
func letters(line string) string {
	const longest = 32
	var seen strings.Builder
	for _, r := range line {
		if readable(r) {
			seen.WriteRune(plain(r))
		}
		if seen.Len() > longest {
			break
		}
	}
	return seen.String()
}

// readable reports whether r is a visible letter or digit.
func readable(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0': // fillers: letters without a shape
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// plain returns the lower-case Latin letter that r looks like, or else r in
// lower case.
func plain(r rune) rune {
	switch {
	case r >= 'Ａ' && r <= 'ｚ':
		r -= 'Ａ' - 'A'
	case r >= '𝐀' && r <= '𝚣': // mathematical alphabets, of 52 letters each
		r = (r - '𝐀') % 52
		if r >= 26 {
			r += 'a' - 'A' - 26
		}
		r += 'A'
	}
	r = unicode.ToLower(r)
	if latin, ok := lookAlikes[r]; ok {
		return latin
	}
	return r
}

// lookAlikes maps letters of other scripts to the Latin letters of the headers
// that they look like.
var lookAlikes = map[rune]rune{
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'і': 'i', 'к': 'k', 'ӏ': 'l', 'м': 'm', 'п': 'n', 'о': 'o', 'р': 'p',
	'ԛ': 'q', 'г': 'r', 'ѕ': 's', 'т': 't', 'у': 'y', 'ԝ': 'w', // Cyrillic
	'α': 'a', 'ε': 'e', 'η': 'n', 'ι': 'i', 'κ': 'k', 'ν': 'n', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'ω': 'w', // Greek
	'ց': 'g', 'ո': 'n', 'օ': 'o', 'ս': 'u', // Armenian
	'ɑ': 'a', 'ɡ': 'g', 'ı': 'i', 'ſ': 's', // Latin
}
