package search

import (
	"maps"
	"strings"

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

// term is one thing to search for: a word and its synonyms.
type term struct {
	words []weighted // the first is the word itself
	must  bool       // a document without it does not match
	extra bool       // improves the rank, but was not asked for
}

type weighted struct {
	word   string
	weight float64
}

// parsedQuery is a query in the words of the index.
type parsedQuery struct {
	terms []term
	// phrases are words that must follow each other exactly as spelled.
	phrases [][]string
}

// parse reads the text of a query. With newest, every word is required and synonyms
// do not count.
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
		if !stopWords[t.surface] {
			return false
		}
	}
	return true
}

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
		if stops || !stopWords[t.surface] {
			p.add(term{words: []weighted{{t.word, 1}}, must: true})
		}
	}
	if len(surfaces) > 0 {
		p.phrases = append(p.phrases, surfaces)
	}
}

func (p *parser) plain(text string, stops bool) {
	before := ""
	for _, t := range tokens(text) {
		if t.whole {
			p.add(term{words: []weighted{{t.word, 1}}, extra: true})
			continue
		}
		meaningful := stops || !stopWords[t.surface]
		if meaningful {
			p.add(p.one(t.word))
		}
		p.compound(before, t.surface, meaningful)
		before = t.surface
	}
}

// compound adds two words as one: roll back is also written rollback.
func (p *parser) compound(before, word string, meaningful bool) {
	if before == "" || p.newest {
		return
	}
	one := stem(clip(before + word))
	if _, known := synonyms()[one]; known || meaningful && !stopWords[before] {
		t := p.one(one)
		t.extra = true
		p.add(t)
	}
}

func (p *parser) one(word string) term {
	t := term{words: []weighted{{word, 1}}, must: p.newest}
	if p.newest {
		return t
	}
	for _, other := range synonyms()[word] {
		t.words = append(t.words, weighted{other, synonymWeight})
	}
	return t
}

// words are all words to look up.
func (w parsedQuery) words() (list []string) {
	seen := map[string]bool{}
	for _, t := range w.terms {
		for _, word := range t.words {
			if !seen[word.word] {
				seen[word.word] = true
				list = append(list, word.word)
			}
		}
	}
	return list
}

// secondary are the words that nobody asked for: synonyms and compounds.
func (w parsedQuery) secondary() map[string]bool {
	asked, secondary := map[string]bool{}, map[string]bool{}
	for _, t := range w.terms {
		asked[t.words[0].word] = asked[t.words[0].word] || !t.extra
		for _, other := range t.words {
			secondary[other.word] = true
		}
	}
	maps.DeleteFunc(secondary, func(word string, _ bool) bool { return asked[word] })
	return secondary
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
