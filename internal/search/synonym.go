package search

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// synonymWeight is what a word counts that stands for the one asked for.
const synonymWeight = 0.45

// synonymText has a group of words a line that people use for about the same
// thing. A word may be in several.
//
//go:embed synonyms.txt
var synonymText string

// synonyms maps the stem of a word to the stems of those that stand for it.
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

// joinedStem is the word as the index has it: sign-in is one word, signin.
func joinedStem(word string) string {
	list := tokens(word)
	return list[len(list)-1].word
}

// stopWords say nothing by themselves. They are in the index, for phrases and for
// queries that have nothing else.
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
