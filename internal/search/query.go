package search

import (
	"strings"
	"unicode"

	"parley"
)

// Query is what to search for. A zero field sets no condition.
type Query struct {
	Team parley.TeamID
	// Reader is the agent that searches; it finds only what it may read. 0 is a
	// person, who may read everything in the team.
	Reader parley.AgentID
	Kind   Kind

	// Text has words, and phrases in quotes.
	Text    string
	Author  parley.AgentID
	Channel parley.ChannelID // a group
	Keeper  parley.KeeperID
	// Since is inclusive, Until exclusive.
	Since, Until parley.Micros
	// Newest asks for the newest documents that have all the words, instead of the
	// best.
	Newest bool
	Limit  int
}

// requiredMarks are lists of marks; a document must have one of each list. groups are
// those that the reader may read.
func (q Query) requiredMarks(groups []parley.Channel) (lists [][]string) {
	if q.Reader != 0 {
		scope := []string{ReaderMark(q.Reader), TeamMark}
		for _, g := range groups {
			scope = append(scope, GroupMark(g.ID))
		}
		lists = append(lists, scope)
	}
	if q.Author != 0 {
		lists = append(lists, []string{AuthorMark(q.Author)})
	}
	if q.Channel != 0 {
		lists = append(lists, []string{GroupMark(q.Channel)})
	}
	if q.Keeper != 0 {
		lists = append(lists, []string{KeeperMark(q.Keeper)})
	}
	return lists
}

const maxTerms = 32 // a longer text is searched by its first words

// term is one thing to search for.
type term struct {
	// words are its spellings in the index: the stems that the languages give it,
	// and later the words that it may be a misspelling of.
	words   []spelling
	surface string // as asked for, folded
	must    bool   // a document without it does not match
	extra   bool   // improves the rank, but was not asked for
	exact   bool   // found only as written, without prefixes and misspellings
	// prefix says that words which begin with the surface count too.
	prefix bool
}

// spelling is a word of the index that stands for a term.
type spelling struct {
	word   string
	weight float64
	// languages are those in which the word means this; all if 0.
	languages languageSet
}

// foreign reports whether only documents with the foreign mark count.
func (s spelling) foreign() bool {
	return s.languages != 0 && !s.languages.has(inEnglish) && s.languages < 1<<latinLanguages
}

// key names its rows in a lookup.
func (s spelling) key() string {
	if s.foreign() {
		return foreignMark + s.word
	}
	return s.word
}

// parsedQuery is a query in the words of the index.
type parsedQuery struct {
	terms []term
	// phrases are words that must follow each other exactly as spelled.
	phrases [][]string
}

// parse reads the text of a query. With newest, every word is required.
func parse(text string, newest bool) parsedQuery {
	p := parser{newest: newest, seen: map[string]bool{}}
	for i, piece := range quoted(text) {
		if i%2 == 1 {
			p.phrase(piece)
		} else {
			p.plain(piece, onlyStopWords(text))
		}
	}
	return p.parsedQuery
}

// quoted splits a text at its quotes: every second piece is a phrase. An unclosed
// quote is ignored.
func quoted(text string) []string {
	text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`).Replace(text)
	pieces := strings.Split(text, `"`)
	if n := len(pieces); n%2 == 0 {
		pieces[n-2] += " " + pieces[n-1]
		pieces = pieces[:n-1]
	}
	return pieces
}

// onlyStopWords reports whether a text has nothing but stop words.
func onlyStopWords(text string) bool {
	for _, t := range tokens(text) {
		if !t.stop() {
			return false
		}
	}
	return true
}

// stopWords carry no meaning by themselves; the function words of the text's language
// neither. The index has them for phrases, and for queries that contain nothing else.
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

func (t token) stop() bool {
	return stopWords[t.surface] || t.lang != inEnglish && functionWords()[t.surface].has(t.lang)
}

// particles make one word with the verb before them: sign in is also written signin.
var particles = map[string]bool{"in": true, "out": true, "on": true, "off": true, "up": true, "down": true, "over": true}

type parser struct {
	parsedQuery
	newest bool
	seen   map[string]bool
}

func (p *parser) add(t term) {
	if word := t.words[0].word; !p.seen[word] && len(p.terms) < maxTerms {
		p.seen[word] = true
		p.terms = append(p.terms, t)
	}
}

// phrase adds the words between quotes. Only meaningful words are looked up, but all
// of them are compared with the text.
func (p *parser) phrase(text string) {
	var surfaces []string
	stops := onlyStopWords(text)
	for _, t := range tokens(text) {
		if t.whole {
			continue
		}
		surfaces = append(surfaces, t.surface)
		if stops || !t.stop() {
			p.add(term{words: spellings(t, text), surface: t.surface, must: true, exact: true})
		}
	}
	if len(surfaces) > 0 {
		p.phrases = append(p.phrases, surfaces)
	}
}

func (p *parser) plain(text string, stops bool) {
	before := token{}
	for _, t := range tokens(text) {
		if t.whole {
			p.add(term{words: spellings(t, text), surface: t.surface, extra: true})
			continue
		}
		if stops || !t.stop() {
			p.add(term{words: spellings(t, text), surface: t.surface, must: p.newest})
		}
		p.compound(before, t)
		before = t
	}
}

// compound adds two words as one: roll back is also written rollback.
func (p *parser) compound(before, t token) {
	if before.surface == "" || p.newest || before.stop() || t.stop() && !particles[t.surface] {
		return
	}
	one := clip(before.surface + t.surface)
	p.add(term{words: []spelling{{word: stem(one, inEnglish), weight: 1}}, surface: one, extra: true, exact: true})
}

// spellings are the words of the index for a word of a query: its stems in all
// languages that have its script, since nobody knows which one its writer used.
func spellings(t token, text string) []spelling {
	spelled := t.surface
	if !t.whole {
		spelled = clip(lower(text[t.from:t.to]))
	}
	list := []spelling{{word: t.word, weight: 1, languages: 1 << t.lang}}
	if t.lang >= latinLanguages {
		return list
	}
	for l := language(0); l < latinLanguages; l++ {
		word := stem(spelled, l)
		known := false
		for i := range list {
			if list[i].word == word {
				list[i].languages |= 1 << l
				known = true
			}
		}
		if !known {
			list = append(list, spelling{word: word, weight: 1, languages: 1 << l})
		}
	}
	return list
}

// keys are those of all spellings, to look them up.
func (w parsedQuery) keys() (list []string) {
	seen := map[string]bool{}
	for _, t := range w.terms {
		for _, s := range t.words {
			if key := s.key(); !seen[key] {
				seen[key] = true
				list = append(list, key)
			}
		}
	}
	return list
}

// must is the set of required terms, by index.
func (w parsedQuery) must() (mask uint64) {
	for i, t := range w.terms {
		if t.must {
			mask |= 1 << i
		}
	}
	return mask
}

// minPrefix is how many letters the beginning of a word must have to be found by it.
// A syllable of Hangul has two or three letters.
func minPrefix(word string) int {
	for _, r := range word {
		if unicode.Is(unicode.Hangul, r) {
			return 2
		}
	}
	return 4
}

// matches returns how much a word of a text counts for a term, 0 if it does not match.
func (t *term) matches(tok *token) (weight float64) {
	for i := range t.words {
		if w := &t.words[i]; w.word == tok.word && (w.languages == 0 || w.languages.has(tok.lang)) {
			weight = max(weight, w.weight)
		}
	}
	if weight == 0 && t.prefix && (strings.HasPrefix(tok.word, t.surface) || strings.HasPrefix(tok.surface, t.surface)) {
		return prefixWeight
	}
	return weight
}
