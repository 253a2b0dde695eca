package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marks stand before the names of agents, of people and of the hub. No text has them.
const (
	AgentMark  = "🤖"
	PersonMark = "👤"
	HubMark    = "⚙"
)

// alike are the marks, and what looks like one of them.
const alike = AgentMark + PersonMark + HubMark + "👥🧑⛭⛮"

const (
	joiner  = '\u200D' // makes one picture of two
	colored = '\uFE0F' // makes a picture of a sign
	keycap  = '\u20E3' // makes a key of what is before it
)

// blank are characters that show nothing, besides those of the categories Cf and Cc.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{{0x034F, 0x034F, 1}, {0x115F, 0x1160, 1}, {0x17B4, 0x17B5, 1}, {0x180B, 0x180F, 1}, {0x2028, 0x2029, 1}, {0x2800, 0x2800, 1}, {0x3164, 0x3164, 1},
		{0xFE00, 0xFE0F, 1}, {0xFFA0, 0xFFA0, 1}},
	R32: []unicode.Range32{{0xE0000, 0xE0FFF, 1}},
}

// Clean takes out of a text what only serves to deceive: the marks before names, and
// characters that turn the direction of others or are not seen at all. What joins or
// colors pictures stays where there are pictures.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, "�")
	var b strings.Builder
	before := rune(0) // of what is written
	for i, r := range text {
		after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		switch {
		case strings.ContainsRune(alike, r):
			r = '▫'
		case r == '\n' || r == '\t':
		case r == joiner && (pictured(before) || before == colored) && pictured(after):
		case r == colored && (pictured(before) || after == keycap):
		case unicode.Is(unicode.Cf, r), unicode.IsControl(r), unicode.Is(blank, r):
			continue
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// pictured reports whether a character is a picture, or may be shown as one.
func pictured(r rune) bool {
	return r > unicode.MaxASCII && unicode.In(r, unicode.So, unicode.Sm) || r >= 0x1F3FB && r <= 0x1F3FF // the colors of skin
}
