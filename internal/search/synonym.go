package search

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// synonymWeight is what a synonym counts, compared with the word itself.
const synonymWeight = 0.45

// synonymText has one group of synonyms per line. A word may be in several groups.
//
//go:embed synonyms.txt
var synonymText string

// synonyms maps the stem of a word to the stems of its synonyms.
var synonyms = sync.OnceValue(func() map[string][]string {
	of := map[string][]string{}
	for line := range strings.Lines(synonymText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		group := strings.Fields(line)
		for i, word := range group {
			group[i] = joinedStem(word)
		}
		for _, word := range group {
			for _, other := range group {
				if other != word && !slices.Contains(of[word], other) {
					of[word] = append(of[word], other)
				}
			}
		}
	}
	return of
})

// joinedStem is the word as it is in the index: sign-in becomes one word, signin.
func joinedStem(word string) string {
	list := tokens(word)
	return list[len(list)-1].word
}

// stopWords carry no meaning by themselves. The index has them for phrases, and for
// queries that contain nothing else.
var stopWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`a about all also am an and any are as at be been being but by can could did do does
		doing done for from had has have having he her here him his how i if in into is it its itself just like me my no not of
		on one or our ours out over please she so some such than that the their theirs them then there these they this those
		to too up us very was we were what when where which while who whom whose will with would you your yours
		dont doesnt didnt isnt arent wasnt cant wont im ive youre were thats whats lets s t`) {
		words[w] = true
	}
	return words
}()
