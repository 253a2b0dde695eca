package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxWordBytes limits what counts as a word.
	maxWordBytes = 64
	// maxTextBytes is how much of a document is looked at.
	maxTextBytes = 64 << 10
)

// token is a word at its position in a text. Each part of an identifier is a token,
// and the whole is one more, at the position of its first part.
type token struct {
	word    string // folded and stemmed, as in the index
	surface string // only folded, to compare phrases
	at      int    // the number of the word in the text
	whole   bool   // an identifier of several parts as one word
	lang    language
	from    int // its byte range in the text
	to      int
}

// tokens splits a text into words. The same text must always give the same words,
// since removing a document from the index relies on it.
func tokens(text string) []token { return tokensInto(text, make([]token, 0, len(text)/4)) }

// tokensInto is tokens with a reused slice.
func tokensInto(text string, list []token) []token {
	if len(text) > maxTextBytes {
		text = text[:maxTextBytes]
	}
	t := tokenizer{text: text, list: list[:0]}
	start := -1
	for i, r := range text {
		switch inside := wordRune(r) || start >= 0 && joins(text, i, r); {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			t.run(start, i)
			start = -1
		}
	}
	if start >= 0 {
		t.run(start, len(text))
	}
	t.stem()
	return t.list
}

// wordRune reports whether words are made of r. Marks are combining accents.
func wordRune(r rune) bool {
	return r < utf8.RuneSelf && asciiWord(byte(r)) || r >= utf8.RuneSelf && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || pictograph(r))
}

func asciiWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// joins reports whether a character holds the parts of an identifier, a path, a
// number or a word with an apostrophe together: it must stand directly between two of
// them.
func joins(text string, at int, r rune) bool {
	switch r {
	case '_', '-', '.', '/', ':', '\'', '’', '@', '#':
	default:
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
	return wordRune(next) || r == '_' && next == '_'
}

type tokenizer struct {
	text string
	list []token
	at   int
	buf  []part
}

// part is a piece of a run, as bytes of the text.
type part struct{ from, to int }

// run splits what is written without spaces: user_id, parseQuery, internal/store,
// v1.2.3, don't.
func (t *tokenizer) run(from, to int) {
	if plain(t.text[from:to]) { // as most are
		t.part(from, to)
		return
	}
	t.buf = split(t.text, from, to, t.buf[:0])
	at, first := t.at, len(t.list)
	for _, p := range t.buf {
		t.part(p.from, p.to)
	}
	if len(t.list)-first > 1 {
		t.whole(first, at, from, to)
	}
}

func (t *tokenizer) part(from, to int) {
	surface := fold(t.text[from:to])
	if surface == "" {
		return
	}
	t.list = append(t.list, token{surface: surface, at: t.at, from: from, to: to})
	t.at++
}

// whole adds the tokens from first on as one word, if that is not too long.
func (t *tokenizer) whole(first, at, from, to int) {
	var joined strings.Builder
	for _, part := range t.list[first:] {
		joined.WriteString(part.surface)
	}
	if whole := joined.String(); len(whole) <= maxWordBytes {
		t.list = append(t.list, token{surface: whole, at: at, whole: true, from: from, to: to})
	}
}

// stem fills in the words of the index, which depend on the language of the text.
func (t *tokenizer) stem() {
	latin := detect(t.text, t.list)
	for i := range t.list {
		tok := &t.list[i]
		tok.lang = languageOf(tok.surface, latin)
		spelled := tok.surface
		if !tok.whole && !ascii(t.text[tok.from:tok.to]) {
			spelled = clip(lower(t.text[tok.from:tok.to]))
		}
		tok.word = stem(spelled, tok.lang)
	}
}

// split cuts a run at punctuation and before capital letters that begin a word.
func split(text string, from, to int, parts []part) []part {
	start := from
	var before rune // within the same part
	cut := func(at int) {
		if at > start {
			parts = append(parts, part{start, at})
		}
		before = 0
	}
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(text[i:])
		if n := hexLength(text[i:to]); before == 0 && n > 0 {
			cut(i)
			parts = append(parts, part{i, i + n})
			i += n
			start = i
			continue
		}
		switch {
		case r == '\'' || r == '’': // an apostrophe stays within its word
		case !wordRune(r):
			cut(i)
			start = i + size
			i += size
			continue
		case before != 0 && (single(r) || single(before) || startsWord(text[i+size:to], before, r)):
			cut(i)
			start = i
		}
		before = r
		i += size
	}
	cut(to)
	return parts
}

// hexLength is how long a number in hexadecimal digits is that a text begins with, such
// as the id of a commit; 0 if it begins with something else. Its capitals begin no
// words.
func hexLength(text string) int {
	n, digits := 0, 0
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] >= 'a' && text[n] <= 'f' || text[n] >= 'A' && text[n] <= 'F') {
		if text[n] <= '9' {
			digits++
		}
		n++
	}
	if rest, _ := utf8.DecodeRuneInString(text[n:]); n < 6 || digits == 0 || wordRune(rest) {
		return 0
	}
	return n
}

// startsWord reports whether a new word begins with r: userName and HTTPServer have
// two, sha256 has one.
func startsWord(rest string, before, r rune) bool {
	if !unicode.IsUpper(r) {
		return false
	}
	if !unicode.IsUpper(before) {
		return true
	}
	next, size := utf8.DecodeRuneInString(rest)
	after, _ := utf8.DecodeRuneInString(rest[size:])
	return unicode.IsLower(next) && unicode.IsLower(after)
}

// ideograph reports whether r belongs to a script written without spaces. Each such
// character counts as a word.
func ideograph(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// pictograph reports whether r is an emoji or a sign like one. Each counts as a word.
// Lines and blocks, of which tables and progress bars are drawn, do not count.
func pictograph(r rune) bool {
	return r >= 0x2190 && unicode.Is(unicode.So, r) && (r < 0x2500 || r > 0x259F) && (r < 0x2800 || r > 0x28FF)
}

// single reports whether r is a word by itself.
func single(r rune) bool { return ideograph(r) || pictograph(r) }

// fold unifies the spellings of a word: capitals, accents, widths, and apostrophes
// with what follows them.
func fold(s string) string {
	if plain(s) {
		return clip(s)
	}
	s = withoutApostrophes(strings.ToLower(s))
	if ascii(s) {
		return clip(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.IsMark(r):
		case r == 'ß':
			b.WriteString("ss")
		case wordRune(r):
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return clip(b.String())
}

// withoutApostrophes drops apostrophes, and the s of a genitive.
func withoutApostrophes(s string) string {
	s = strings.ReplaceAll(s, "’", "'")
	s = strings.TrimSuffix(strings.TrimSuffix(s, "'s"), "'")
	return strings.ReplaceAll(s, "'", "")
}

// plain reports whether a word needs no folding.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// clip shortens what is too long for a word, such as a key in base64, at a character
// boundary.
func clip(s string) string {
	if len(s) <= maxWordBytes {
		return s
	}
	cut := maxWordBytes
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}
