package parley

import (
	"slices"
	"strings"
	"unicode"
)

const maxNameRunes = 64

// Mentions finds the names that a text mentions as @Name. It returns them
// folded, each once, in the order of their first mention. known reports whether
// a folded name exists.
//
// A name matches as a whole, and the longest match wins: @Data Analyst is not
// @Data. An @ within a word or a mail address mentions nobody, and an unknown
// name is plain text.
func Mentions(text string, known func(folded string) bool) (names []string) {
	if !strings.ContainsRune(text, '@') {
		return nil
	}
	runes := []rune(text)
	for i, r := range runes {
		if r != '@' || inWord(runes[:i]) {
			continue
		}
		if name, _ := longestName(runes[i+1:], known); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// MentionAt is the known name, folded, that a text mentions at its beginning, after the
// @, and how many bytes of the text it takes; before is what stands before the @.
func MentionAt(before, text string, known func(folded string) bool) (folded string, size int) {
	last := []rune(before[max(0, len(before)-4*maxNameRunes):])
	if inWord(last) {
		return "", 0
	}
	runes := []rune(text[:min(len(text), 4*maxNameRunes)])
	folded, n := longestName(runes, known)
	return folded, len(string(runes[:n]))
}

// inWord reports whether an @ after the text would be part of a word or a mail
// address.
func inWord(before []rune) bool {
	for i := len(before) - 1; i >= 0; i-- {
		if !strings.ContainsRune("-_+", before[i]) {
			return wordRune(before[i])
		}
	}
	return false
}

// longestName finds the longest known name at the beginning of a text, and how long it is.
func longestName(text []rune, known func(string) bool) (folded string, n int) {
	if len(text) > 0 && text[0] == ' ' {
		return "", 0
	}
	for n < min(len(text), maxNameRunes) && nameRune(text[n]) {
		n++
	}
	for ; n > 0; n-- {
		if continuesWord(text[n:]) || text[n-1] == ' ' {
			continue
		}
		if folded := FoldName(string(text[:n])); known(folded) {
			return folded, n
		}
	}
	return "", 0
}

// continuesWord reports whether a text continues the word before it. Data.com
// and Data-Analyst are one word each; in "Data. And" the word ends at the dot.
func continuesWord(after []rune) bool {
	for _, r := range after {
		if !strings.ContainsRune("-_.", r) {
			return wordRune(r)
		}
	}
	return false
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Misspelt finds the words after an @ that are no known name but close to one.
// Each comes with the nearest name.
func Misspelt(text string, names []string) (list [][2]string) {
	known := func(folded string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return FoldName(n) == folded })
	}
	runes := []rune(text)
	for i, r := range runes {
		if r != '@' || inWord(runes[:i]) {
			continue
		}
		if name, _ := longestName(runes[i+1:], known); name != "" {
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
