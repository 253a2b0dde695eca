package parley

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// glyph is a character as somebody sees it who reads in haste. It may be several
// things at once.
type glyph struct {
	letters string // what plain letters or digits it is read as; empty if none
	other   string // what else, where it is drawn for two
	nothing bool   // it may be overlooked
	readable,
	digit,
	opens, closes, // a bracket
	colon,
	ends bool // the line
	joker joker
}

// joker says whether a character may pass for a letter that it is not known to look
// like. No list of look-alikes is ever complete, so a letter of another script is
// taken for whatever would make sense in its place.
type joker int

const (
	noJoker   joker = iota
	strange         // of a script that few read, whose letters may have any shape
	unlikely        // of a script in common use, whose letters are seen for what they are; or a symbol
	atMostOdd = 7   // unlikely ones that any phrase may have
)

// glyphOf looks at a character.
func glyphOf(r rune) *glyph {
	if r >= 0 && r < utf8.RuneSelf {
		return &asciiGlyphs()[r]
	}
	return newGlyph(r)
}

var asciiGlyphs = sync.OnceValue(func() []glyph {
	list := make([]glyph, utf8.RuneSelf)
	for r := range list {
		list[r] = *newGlyph(rune(r))
	}
	return list
})

func newGlyph(r rune) *glyph {
	g := &glyph{letters: readAs(r), readable: readable(r), opens: bracket(r), closes: closing(r), colon: isColon(r), ends: lineBreak(r)}
	if r == 'ǫ' { // it is drawn for a small capital q
		g.other = "q"
	}
	letter := unicode.IsLetter(r) && !filler(r)
	g.digit = unicode.IsDigit(r) || len(g.letters) == 1 && g.letters[0] <= '9'
	switch {
	case r < utf8.RuneSelf:
	case letter && unicode.Is(unicode.Latin, r):
		if g.letters == "" {
			g.joker = strange
		}
	case letter && !unicode.In(r, commonScripts...):
		g.joker = strange
	case letter, unicode.In(r, unicode.S, unicode.N):
		g.joker = unlikely
	}
	if g.letters == "" {
		g.letters = sign(r)
		g.nothing = !letter || unicode.Is(unicode.Lm, r)
	}
	return g
}

// commonScripts are those that whole peoples write. Text in them is seldom meant to be
// read as Latin.
var commonScripts = []*unicode.RangeTable{
	unicode.Cyrillic, unicode.Greek, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Arabic,
	unicode.Hebrew, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
	unicode.Ethiopic, unicode.Armenian, unicode.Georgian, unicode.Mongolian, unicode.Thaana, unicode.Syriac, unicode.Common,
}

// bracket reports whether r looks like the [ of a header.
func bracket(r rune) bool {
	switch {
	case r == '[', r == '\U000e005b': // and the tag that stands for it
		return true
	case r < utf8.RuneSelf:
		return false
	}
	return unicode.Is(unicode.Ps, r) || r >= '─' && r <= '╿' || strings.ContainsRune("⎡⎢⎣⌜⌞⊏⊑ㄈ匚", r)
}

func closing(r rune) bool {
	return r == ']' || r == '\U000e005d' || r >= utf8.RuneSelf && unicode.Is(unicode.Pe, r)
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
