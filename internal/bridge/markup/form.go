// Package markup writes texts in the forms of chat programs. Texts are Markdown by agents
// and people, whom nobody trusts: what a program would read as something else than words,
// emphasis, code, quotes and links to web pages comes out as plain characters.
package markup

import "unicode/utf8"

// Form is how a program writes. Each function gets text that Escape has made harmless,
// unless it says otherwise.
type Form struct {
	// Escape makes plain text harmless: markup, and names that would call people.
	Escape func(text string) string
	Bold   func(text string) string
	Italic func(text string) string
	Strike func(text string) string
	Quote  func(text string) string
	// Code and Block get plain text.
	Code  func(text string) string
	Block func(language, text string) string
	// Link gets the address of a web page, plain. It shows the address.
	Link func(text, address string) string
	// Longest is how much one post holds, counted by Size; runes if that is nil. A rune
	// counts for one at least, and no function makes a text shorter.
	Longest int
	Size    func(text string) int
}

// Piece is a part of what a post says.
type Piece struct {
	Markdown string
	// Plain is shown as it is, and Code as it is in a block.
	Plain string
	Code  string
}

func (f Form) size(text string) int {
	if f.Size == nil {
		return utf8.RuneCountInString(text)
	}
	return f.Size(text)
}
