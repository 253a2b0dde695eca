package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/store"
)

const (
	// prefixWeight is what a word counts that only begins with what was asked for,
	// and typoWeight one that may have been meant, for each wrong letter.
	prefixWeight, typoWeight = 0.6, 0.7
	// fewDocuments is how many documents must have a word so that nothing else is
	// tried for it.
	fewDocuments = 5
	// maxMeant is how many words a misspelled one may stand for.
	maxMeant = 8
	// rowsPerPage is how many rows of the index are read at once.
	rowsPerPage = 2000
	// wordsPerPage is how many words are looked up at once.
	wordsPerPage = 200
)

// expand looks for other words for those of the query that the caller's documents do
// not have, or hardly: words that begin with them, and words that they may be
// misspellings of. Only words of documents that the caller may find count. changed
// says that there are any.
func (f *searcher) expand() (changed bool, err error) {
	for i := range f.parsed.terms {
		t := &f.parsed.terms[i]
		n := int(f.lookup.documentsWith(*t)) + f.tailWith[i]
		if t.exact || n >= fewDocuments {
			continue
		}
		if i > 0 && f.timeOver() { // a long query of words that nobody used
			f.incomplete = true
			break
		}
		if utf8.RuneCountInString(t.surface) >= minPrefix(t.surface) {
			begun, err := f.expandPrefix(t)
			if err != nil {
				return false, err
			}
			n += begun
			changed = changed || begun > 0
		}
		if n == 0 && !t.extra && onlyLetters(t.surface) {
			meant, err := f.expandTypo(t)
			if err != nil {
				return false, err
			}
			changed = changed || meant
		}
	}
	return changed, nil
}

// expandPrefix adds the documents with words that begin with a term, and returns how
// many there are.
func (f *searcher) expandPrefix(t *term) (n int, err error) {
	const all = "*" // no word of the index ends so
	w := f.lookup.rowsOf(t.surface + all)
	own := f.lookup.ownSets()
	at := store.PostingKey{Team: f.q.Team, Kind: f.q.Kind, Word: t.surface, Chunk: math.MaxInt64}
	for read := rowsPerPage; read == rowsPerPage && len(own) > 0; {
		read = 0
		err := f.tx.PostingsFrom(at, afterAll(t.surface), rowsPerPage, func(p store.Posting) {
			at.Word, at.Chunk = p.Word, p.Chunk
			if docs, ok := own[p.Chunk]; ok {
				f.lookup.keep(w, p.Chunk, docs, p.Docs)
			}
			read++
		})
		if err != nil {
			return 0, err
		}
		if read == rowsPerPage && f.timeOver() {
			f.incomplete = true
			break
		}
	}
	for word := range f.tailWords() {
		if len(word) > len(t.surface) && strings.HasPrefix(word, t.surface) {
			n++
		}
	}
	if n += w.n; n > 0 {
		t.prefix = true
		t.words = append(t.words, spelling{word: t.surface + all, weight: prefixWeight})
	}
	return n, nil
}

// afterAll follows every word with a prefix.
func afterAll(prefix string) string { return prefix + string(utf8.MaxRune) }

// expandTypo adds the words that a term may be a misspelling of: those at the least
// distance, the most frequent ones first.
func (f *searcher) expandTypo(t *term) (found bool, err error) {
	typo := newTypo(t)
	near := map[string]int{}
	collect := func(word string) {
		if d, ok := typo.distance(word); ok {
			near[word] = d
		}
	}
	if err := f.vocabulary(typo, collect); err != nil {
		return false, err
	}
	words := make([]string, 0, len(near))
	for word := range near {
		words = append(words, word)
	}
	for some := range slices.Chunk(words, wordsPerPage) {
		if err := f.lookup.load(some, len(f.lookup.chunks)); err != nil {
			return false, err
		}
	}
	frequent := map[string]int{}
	for _, word := range words {
		frequent[word] = f.lookup.rowsOf(word).n
	}
	for word, n := range f.tailWords() {
		if collect(word); near[word] > 0 {
			frequent[word] += n
		}
	}
	best := typo.choose(near, frequent)
	for _, word := range best {
		t.words = append(t.words, spelling{word: word, weight: math.Pow(typoWeight, float64(near[word]))})
	}
	return len(best) > 0, nil
}

// vocabulary visits the words of the index that have the beginning or the end of a
// misspelled one.
func (f *searcher) vocabulary(typo typo, each func(word string)) error {
	for _, begin := range typo.begins {
		if err := f.tx.SearchWords(f.q.Team, f.q.Kind, begin, afterAll(begin), each); err != nil {
			return err
		}
	}
	for _, end := range typo.ends {
		err := f.tx.SearchWordsBackward(f.q.Team, f.q.Kind, end, afterAll(end), func(word string) { each(backward(word)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// tailWords are the words of the caller's documents that are not in the index, with
// how often they occur.
func (f *searcher) tailWords() map[string]int {
	if f.tailCount == nil {
		f.tailCount = map[string]int{}
		for _, d := range f.tail[:min(len(f.tail), maxHeld)] {
			f.tokens = tokensInto(d.Text, f.tokens)
			for i := range f.tokens {
				f.tailCount[f.tokens[i].word]++
			}
		}
	}
	return f.tailCount
}

// typo is a word that is probably misspelled.
type typo struct {
	surface string
	bases   [][]rune // the word and its stems
	// A misspelled word usually has its first or its last letters right. ends are
	// spelled backward.
	begins, ends []string
}

// rightLetters is how many letters at the beginning or the end must be right.
const rightLetters = 3

func newTypo(t *term) typo {
	y := typo{surface: t.surface}
	add := func(word string) {
		r := []rune(word)
		if len(r) < minTypo || slices.ContainsFunc(y.bases, func(b []rune) bool { return slices.Equal(b, r) }) {
			return
		}
		y.bases = append(y.bases, r)
		n := min(rightLetters, (len(r)-1)/2)
		if begin := string(r[:n]); !slices.Contains(y.begins, begin) {
			y.begins = append(y.begins, begin)
		}
		if end := backward(string(r[len(r)-n:])); !slices.Contains(y.ends, end) {
			y.ends = append(y.ends, end)
		}
	}
	add(t.surface)
	for _, s := range t.words {
		add(s.word)
	}
	return y
}

const (
	minTypo = 4 // shorter words are too much alike
	maxTypo = 2 // wrong letters
	// lettersPerTypo is how long a word must be for each wrong letter.
	lettersPerTypo = 3
)

// distance is how many letters a word differs by; ok says that it may be meant.
func (y typo) distance(word string) (d int, ok bool) {
	r := []rune(word)
	d = maxTypo + 1
	if len(r) < minTypo-1 {
		return d, false
	}
	for _, base := range y.bases {
		if allowed := min(maxTypo, len(base)/lettersPerTypo); len(r)-len(base) <= allowed && len(base)-len(r) <= allowed {
			if n := editDistance(base, r); n <= allowed {
				d = min(d, max(1, n)) // a stem of another language is another word
			}
		}
	}
	// The wrong letter may be in an ending that the stem of the right word lacks.
	if rest, ok := strings.CutPrefix(y.surface, word); ok && len(r) > minTypo && utf8.RuneCountInString(rest) <= minTypo+1 {
		d = min(d, maxTypo)
	}
	return d, d <= maxTypo
}

// choose returns the words at the least distance that occur at all.
func (y typo) choose(near, frequent map[string]int) (list []string) {
	least := maxTypo
	for word, d := range near {
		if frequent[word] > 0 {
			least = min(least, d)
		}
	}
	for word, d := range near {
		if d == least && frequent[word] > 0 {
			list = append(list, word)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(frequent[b], frequent[a]), cmp.Compare(a, b)) })
	return list[:min(len(list), maxMeant)]
}

// editDistance counts inserted, missing, wrong and swapped letters.
func editDistance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			wrong := 1
			if a[i-1] == b[j-1] {
				wrong = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+wrong)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// backward spells a word from its end.
func backward(word string) string {
	r := []rune(word)
	slices.Reverse(r)
	return string(r)
}
