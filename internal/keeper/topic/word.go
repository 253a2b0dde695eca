package topic

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"parley"
)

// maxWords is how many words make a topic.
const maxWords = 5

// Words names a topic by the words that stand out: those that occur in many of the
// messages, in the order in which they first appear.
func Words(list []parley.KeptMessage) string {
	type count struct {
		word     string
		messages int
		first    int
	}
	seen := map[string]*count{}
	for _, m := range public(list) {
		words, _ := distinctWords(m.Text)
		for _, word := range words {
			c := seen[word]
			if c == nil {
				c = &count{word: word, first: len(seen)}
				seen[word] = c
			}
			c.messages++
		}
	}
	var all []*count
	for _, c := range seen {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *count) int {
		return cmp.Or(cmp.Compare(b.messages, a.messages), cmp.Compare(len(b.word), len(a.word)), cmp.Compare(a.word, b.word))
	})
	all = all[:min(len(all), maxWords)]
	slices.SortFunc(all, func(a, b *count) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.word, b.word)) })
	var words []string
	for _, c := range all {
		words = append(words, c.word)
	}
	if len(words) == 0 {
		return "earlier conversation"
	}
	return parley.Clip(strings.Join(words, " "), maxTopicRunes)
}

// wordsOf are the meaningful words of a text, in lower case.
func wordsOf(text string) map[string]bool {
	_, words := distinctWords(text)
	return words
}

// distinctWords are the same words in the order in which they first appear too.
func distinctWords(text string) (list []string, words map[string]bool) {
	words = map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }) {
		w = strings.Trim(w, "-_")
		if len([]rune(w)) > 3 && !commonWords[w] && strings.ContainsFunc(w, unicode.IsLetter) && !words[w] {
			list, words[w] = append(list, w), true
		}
	}
	return list, words
}

// commonWords do not distinguish topics; they include words of our own texts.
var commonWords = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`about above after again agent also always another anything because been before being below
		between both cannot channel come could does doing done down each even every find first from good have having here
		into just know last less like look made make many maybe message more most much must need never nothing notification
		only other over pattern please priority really request result right same should since some something still such
		sure take task than thank thanks that their them then there these they thing think this those through very want
		well were what when where which while will with within without would yeah your yours normal delegate delegation
		high urgent context true false null name text tool call`) {
		set[w] = true
	}
	return set
}()
