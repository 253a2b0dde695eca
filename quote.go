package parley

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// headers are the beginnings of what the hub itself writes above a message,
// by their letters alone.
var headers = []string{
	"agentrequest", "agentnotification", "delegationresult", "delegationfailed", "queryfrom", "queryunanswered", "answerfrom", "keeper", "channelmessage",
}

// plainHeader is the one that needs no bracket.
const plainHeader = "messagefromagent"

// brackets look like the one that a header begins with.
const brackets = "[［⁅⌈⌊❲⟦⟬⦋⦍⦏【〔〖〘〚「『﹝｢"

// Quote renders text that came from somebody so that it cannot pose as one of
// the hub's headers: a line that imitates one is shown as quoted.
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

// harmless is quick about plain text, which most of what is quoted is: nothing in
// it looks like the beginning of a header.
func harmless(s string) bool {
	begins := true // nothing of the line was readable yet
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

// imitatesHeader compares what a reader takes in at a glance: a bracket, and
// the letters that follow, whatever invisible or small thing is between them.
// What is marked as quoted is not an imitation.
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

// letters are the first ones of a line, enough for the longest header.
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

// readable reports whether r is a letter or a digit that can be seen.
func readable(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0': // fillers: letters without a shape
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// plain is the small Latin letter that r looks like, if it looks like one.
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

// lookAlikes are letters of other scripts that read as the Latin ones in the
// headers.
var lookAlikes = map[rune]rune{
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'і': 'i', 'к': 'k', 'ӏ': 'l', 'м': 'm', 'п': 'n', 'о': 'o', 'р': 'p',
	'ԛ': 'q', 'г': 'r', 'ѕ': 's', 'т': 't', 'у': 'y', 'ԝ': 'w', // Cyrillic
	'α': 'a', 'ε': 'e', 'η': 'n', 'ι': 'i', 'κ': 'k', 'ν': 'n', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'ω': 'w', // Greek
	'ց': 'g', 'ո': 'n', 'օ': 'o', 'ս': 'u', // Armenian
	'ɑ': 'a', 'ɡ': 'g', 'ı': 'i', 'ſ': 's', // Latin
}
