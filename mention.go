package parley

import (
	"slices"
	"strings"
	"unicode"
)

// maxNameRunes is how long a name can be.
const maxNameRunes = 64

// Mentions finds whom a text mentions, as @Name: the folded names in the order
// of their first mention, each once. known says which folded names there are.
//
// A name matches whole, and the longest one counts: @Data Analyst is not @Data.
// An @ within a word or a mail address mentions nobody, and an unknown name is
// plain text.
func Mentions(text string, known func(folded string) bool) (names []string) {
	if !strings.ContainsRune(text, '@') {
		return nil
	}
	runes := []rune(text)
	for i, r := range runes {
		if r != '@' || inWord(runes[:i]) {
			continue
		}
		if name := longestName(runes[i+1:], known); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// inWord reports whether what comes after the text goes on with its last word:
// a letter, or what may stand before the @ of a mail address.
func inWord(before []rune) bool {
	for i := len(before) - 1; i >= 0; i-- {
		if !strings.ContainsRune("-_+", before[i]) {
			return wordRune(before[i])
		}
	}
	return false
}

// longestName finds the longest known name that a text begins with.
func longestName(text []rune, known func(string) bool) string {
	n := 0
	if len(text) > 0 && text[0] == ' ' {
		return ""
	}
	for n < min(len(text), maxNameRunes) && nameRune(text[n]) {
		n++
	}
	for ; n > 0; n-- {
		if goesOn(text[n:]) || text[n-1] == ' ' {
			continue
		}
		if folded := FoldName(string(text[:n])); known(folded) {
			return folded
		}
	}
	return ""
}

// goesOn reports whether a text goes on with the word before it: Data.com and
// Data-Analyst are one word, and in "Data. And" it has ended.
func goesOn(after []rune) bool {
	for _, r := range after {
		if !strings.ContainsRune("-_.", r) {
			return wordRune(r)
		}
	}
	return false
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Misspelt finds the words after an @ that are nobody's name and close to one of
// the names, each with the nearest.
func Misspelt(text string, names []string) (list [][2]string) {
	known := func(folded string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return FoldName(n) == folded })
	}
	runes := []rune(text)
	for i, r := range runes {
		if r != '@' || inWord(runes[:i]) || longestName(runes[i+1:], known) != "" {
			continue
		}
		word := firstWord(runes[i+1:])
		if near := Nearest(word, names, 1); len(near) > 0 {
			list = append(list, [2]string{word, near[0]})
		}
	}
	return list
}

func firstWord(text []rune) string {
	n := 0
	for n < min(len(text), maxNameRunes) && text[n] != ' ' && nameRune(text[n]) {
		n++
	}
	return strings.TrimRight(string(text[:n]), "-_.")
}
