package redaction

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
)

// A text may be quoted in part. A part counts if it has quoteRunes characters, with every
// run of white space as one. The text is cut into blocks of half that length: whatever
// part is quoted, at least one block is quoted whole. So each stored text is looked at
// once, whatever the length of what is redacted.
const (
	quoteRunes = 200
	blockRunes = quoteRunes / 2
	// plainRunes is the least number of different characters in a block that is looked
	// for. A line of dashes stands in many texts that have nothing to do with each other.
	plainRunes = 8
	// mostPlaces bounds how many blocks with the same words are compared.
	mostPlaces = 8
)

// parts finds where a text quotes a part of another.
type parts struct {
	text   []rune
	blocks map[uint64][]int // where those with this hash begin
	// likely has a bit for each hash, by its upper 16 bits. Most places of most texts are
	// told apart by it, which is much faster than the map.
	likely [1 << 16 / 64]uint64
}

// newParts is nil for a text that is too short to be quoted in part.
func newParts(secret string) *parts {
	p := &parts{text: fold(secret, nil).runes, blocks: map[uint64][]int{}}
	if len(p.text) < quoteRunes {
		return nil
	}
	for at := 0; at+blockRunes <= len(p.text); at += blockRunes {
		block := p.text[at : at+blockRunes]
		if h := hashOf(block); distinct(block) >= plainRunes && len(p.blocks[h]) < mostPlaces {
			p.blocks[h] = append(p.blocks[h], at)
			p.likely[h>>54] |= 1 << (h >> 48 & 63)
		}
	}
	return p
}

func distinct(block []rune) int {
	sorted := slices.Clone(block)
	slices.Sort(sorted)
	return len(slices.Compact(sorted))
}

// span is where a quotation begins and ends.
type span struct{ from, to int }

// find returns the quotations within a folded text, in order.
func (p *parts) find(text []rune) (found []span) {
	for at := 0; at+blockRunes <= len(text); {
		one, ok := p.next(text, at)
		if !ok {
			break
		}
		found = append(found, one)
		at = one.to
	}
	return found
}

// next finds the first quotation that begins at a place or after it.
func (p *parts) next(text []rune, from int) (span, bool) {
	h := newRolling(text[from : from+blockRunes])
	for at := from; ; at++ {
		if p.likely[h.sum>>54]>>(h.sum>>48&63)&1 != 0 {
			if one, ok := p.around(text[from:], at-from, h.sum); ok {
				return span{from + one.from, from + one.to}, true
			}
		}
		if at+blockRunes == len(text) {
			return span{}, false
		}
		h.roll(text[at], text[at+blockRunes])
	}
}

// around extends a block that may be quoted here as far as the two texts agree.
func (p *parts) around(text []rune, at int, sum uint64) (one span, ok bool) {
	for _, place := range p.blocks[sum] {
		from, to := 0, 0
		for from < min(at, place) && text[at-from-1] == p.text[place-from-1] {
			from++
		}
		for to < min(len(text)-at, len(p.text)-place) && text[at+to] == p.text[place+to] {
			to++
		}
		if from+to >= quoteRunes && from+to > one.to-one.from {
			one, ok = span{at - from, at + to}, true
		}
	}
	return one, ok
}

// folded is a text with each run of white space as one space.
type folded struct {
	runes  []rune
	offset []int // where each begins in the text; one more for its end
}

// fold folds a text. With unescape it reads what JSON writes with a backslash.
func fold(text string, unescape func(string) (rune, int)) folded {
	f := folded{runes: make([]rune, 0, len(text)), offset: make([]int, 0, len(text)+1)}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == '\\' && unescape != nil {
			r, size = unescape(text[at:])
		}
		if !unicode.IsSpace(r) {
			f.runes, f.offset = append(f.runes, r), append(f.offset, at)
		} else if n := len(f.runes); n == 0 || f.runes[n-1] != ' ' {
			f.runes, f.offset = append(f.runes, ' '), append(f.offset, at)
		}
		at += size
	}
	f.offset = append(f.offset, len(text))
	return f
}

// scrub puts the mark in the place of each quotation.
func (p *parts) scrub(text, mark string) string {
	if len(text) < quoteRunes {
		return text
	}
	f := fold(text, nil)
	var b strings.Builder
	end := 0
	for _, one := range p.find(f.runes) {
		b.WriteString(text[end:f.offset[one.from]] + mark)
		end = f.offset[one.to]
	}
	return b.String() + text[end:]
}

// quotes reports whether a text quotes a part of a secret.
func (s secrets) quotes(text folded) bool {
	return slices.ContainsFunc(s.parts, func(p *parts) bool { return len(p.find(text.runes)) > 0 })
}

// findParts finds messages, kept messages and turns that quote a part of the text.
func (f *finding) findParts(tx *store.Tx) error {
	if len(f.secrets.parts) == 0 {
		return nil
	}
	err := tx.LongMessages(f.team, quoteRunes, func(id parley.MessageID, texts ...string) {
		if len(f.quoted) < mostQuoted && !slices.Contains(f.messages, id) && !slices.Contains(f.quoted, id) &&
			slices.ContainsFunc(texts, func(text string) bool { return f.secrets.quotes(fold(text, nil)) }) {
			f.quoted = append(f.quoted, id)
		}
	})
	if err != nil {
		return err
	}
	slices.Sort(f.quoted)
	err = tx.LongKept(f.team, quoteRunes, func(k parley.KeptMessage) {
		if f.secrets.quotes(fold(k.Text, nil)) {
			f.addKept([]parley.KeptMessage{k})
		}
	})
	if err != nil {
		return err
	}
	err = tx.LongSteps(f.team, f.message.At, quoteRunes, func(task parley.TaskID, content string) {
		if !slices.Contains(f.readers, task) && f.secrets.quotes(fold(content, unescape)) {
			f.readers = append(f.readers, task)
		}
	})
	return err
}

// unescape reads one escape of JSON: the character, and how many bytes it takes.
func unescape(text string) (rune, int) {
	if len(text) < 2 {
		return '\\', len(text)
	}
	switch text[1] {
	case 'n', 't', 'r', 'b', 'f':
		return ' ', 2
	case 'u':
		if len(text) >= 6 {
			if n, err := strconv.ParseUint(text[2:6], 16, 16); err == nil {
				return rune(n), 6
			}
		}
	}
	return rune(text[1]), 2
}

// rolling is the hash of a block that moves along a text.
type rolling struct{ sum, first uint64 }

const base = 0x9E3779B97F4A7C15 // odd, and it reaches the upper bits at once

func newRolling(block []rune) rolling {
	h := rolling{first: 1}
	for i, r := range block {
		h.sum = h.sum*base + uint64(r)
		if i > 0 {
			h.first *= base
		}
	}
	return h
}

func hashOf(block []rune) uint64 { return newRolling(block).sum }

func (h *rolling) roll(out, in rune) { h.sum = (h.sum-uint64(out)*h.first)*base + uint64(in) }
