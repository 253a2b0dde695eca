package markup

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// Split writes pieces in the form, in as many parts as it takes but no more than most: who
// can use no more of them need not wait for the others. Parts end between paragraphs; a
// paragraph that is too long for a part ends between lines or words. There is always one
// part.
func (f Form) Split(most int, pieces ...Piece) (parts []string) {
	part := ""
	for text := range f.texts(pieces) {
		joined := text
		if part != "" {
			joined = part + "\n\n" + text
		}
		if part != "" && f.size(joined) > f.Longest {
			if parts = append(parts, part); len(parts) == most {
				return parts
			}
			joined = text
		}
		part = joined
	}
	if part != "" {
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return []string{f.Escape("(nothing)")}
	}
	return parts
}

// texts are what pieces say, in texts that fit into a part.
func (f Form) texts(pieces []Piece) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range pieces {
			for _, b := range f.blocks(p) {
				for text := range f.fit(b) {
					if !yield(text) {
						return
					}
				}
			}
		}
	}
}

// fit cuts a block that is too long for one part. What is cut loses its emphasis.
func (f Form) fit(b block) iter.Seq[string] {
	return func(yield func(string) bool) {
		if b.text != "" && f.size(b.text) <= f.Longest {
			yield(b.text)
			return
		}
		write := f.Escape
		if b.code {
			write = func(s string) string { return f.Block(b.language, s) }
		}
		for rest := b.plain; rest != ""; {
			n := f.longest(rest, write)
			text := strings.TrimRight(rest[:n], "\n ")
			rest = strings.TrimLeft(rest[n:], "\n")
			if text != "" && !yield(write(text)) {
				return
			}
		}
	}
}

// window is the beginning of a text, beyond which nothing fits into a part.
func (f Form) window(text string) string {
	runes := 0
	for i := range text {
		if runes > f.Longest {
			return text[:i]
		}
		runes++
	}
	return text
}

// surelyTooLong reports whether a text does not fit into a part, whatever it consists of.
func (f Form) surelyTooLong(text string) bool { return len(f.window(text)) < len(text) }

// longest is how many bytes of a text fit into a part: up to the end of a paragraph, a
// line or a word in its second half, else as many characters as there is room for.
func (f Form) longest(text string, write func(string) string) int {
	text = f.window(text)
	fits := func(n int) bool { return f.size(write(text[:n])) <= f.Longest }
	if most := utf8.UTFMax * f.Longest; len(text) > most { // so much of a long text is looked at
		text = text[:boundary(text, most)]
	} else if fits(len(text)) {
		return len(text)
	}
	low, high := 0, len(text) // low fits, high does not
	for high-low > 1 {
		at := boundary(text, (low+high)/2)
		if at <= low {
			at = next(text, low)
		}
		if at >= high {
			break
		}
		if fits(at) {
			low = at
		} else {
			high = at
		}
	}
	if low == 0 {
		return next(text, 0) // it has to go on
	}
	for _, mark := range []string{"\n\n", "\n", " "} {
		if at := strings.LastIndex(text[:low], mark); at > low/2 {
			return at + len(mark)
		}
	}
	return low
}

func boundary(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func next(text string, at int) int {
	_, size := utf8.DecodeRuneInString(text[at:])
	return at + size
}
