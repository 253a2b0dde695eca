package keeper

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// wanted is the meaningful words of a question, in order, and how much each counts: a
// word that many of the messages have says less about one of them. Only what the
// reader may read is counted.
type wanted struct {
	words   []string
	weights []float64
	total   float64
}

func newWanted(question string, among []found) wanted {
	w := wanted{words: meaningful(question)}
	counts := make([]int, len(w.words))
	for _, f := range among {
		for i := range w.positions(meaningful(f.Text)) {
			counts[i]++
		}
	}
	for _, n := range counts {
		weight := math.Log(1 + float64(max(len(among), 1))/float64(max(n, 1)))
		w.weights = append(w.weights, weight)
		w.total += weight
	}
	return w
}

// positions are where the words of the question first stand in a text.
func (w wanted) positions(text []string) map[int]int {
	at := map[int]int{}
	for i, word := range w.words {
		if n := slices.IndexFunc(text, func(other string) bool { return sameWord(word, other) }); n >= 0 {
			at[i] = n
		}
	}
	return at
}

// share is how much of the question a message has. Two words that follow each other
// in both count half a word more. What the index found in another form, such as a
// synonym, counts as the least of the words that are missing.
func (w wanted) share(f found) float64 {
	if w.total == 0 {
		return 0
	}
	text := meaningful(f.Text)
	at := w.positions(text)
	sum := 0.0
	var missing []float64
	for i, weight := range w.weights {
		n, has := at[i]
		if !has {
			missing = append(missing, weight)
			continue
		}
		sum += weight
		if before, ok := at[i-1]; ok && before+1 == n {
			sum += min(weight, w.weights[i-1]) / 2
		}
	}
	slices.Sort(missing)
	for _, weight := range missing[:min(len(missing), w.otherForms(f))] {
		sum += weight
	}
	return sum / w.total
}

// otherForms is how many words the index found that are no word of the question.
func (w wanted) otherForms(f found) int {
	seen := map[string]bool{}
	for _, s := range f.spans {
		if s.From < 0 || s.From > s.To || s.To > len(f.Text) {
			continue
		}
		for _, word := range meaningful(f.Text[s.From:s.To]) {
			if !slices.ContainsFunc(w.words, func(own string) bool { return sameWord(own, word) }) {
				seen[word] = true
			}
		}
	}
	return len(seen)
}

// meaningful are the distinct words of a text that say what it is about, in order.
func meaningful(text string) (words []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len([]rune(w)) > 1 && !asking[w] && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// without are the words of a list that have no like in another.
func without(list, other []string) (rest []string) {
	for _, w := range list {
		if !slices.ContainsFunc(other, func(o string) bool { return sameWord(o, w) }) {
			rest = append(rest, w)
		}
	}
	return rest
}

const (
	// Two forms of a word have so many letters in common at their beginning, and at
	// most so many of their own.
	stemRunes   = 4
	endingRunes = 3
)

// sameWord reports whether two words are forms of one, such as check and checks.
func sameWord(a, b string) bool {
	if a == b {
		return true
	}
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n >= stemRunes && len(x)-n <= endingRunes && len(y)-n <= endingRunes
}

// asking are the words of which questions are made, whatever they are about.
var asking = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`about again all also am an and any anybody anyone are as at be been but by can could did do does doing done
		each else ever every find for from get give got had has have he help her here hers him his how if in into is it its just keep kept know
		known let like live lives located look made make may me mean might mine more most much must my need no not of off on one only or other
		our out over please same say says see seen she should so some somebody someone something sort still stored such take tell than thank
		thanks that the their them then there these they thing things this those to too up us use used uses using very want was we were what
		whatever when where which while who whom whose why will wish with without would yes yet you your yours`) {
		set[w] = true
	}
	return set
}()
