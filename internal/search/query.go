package search

import (
	"maps"
	"strings"

	"parley"
)

// Query is what to look for. What is zero does not matter.
type Query struct {
	Team parley.TeamID
	// Reader sees only what it may read; 0 is a person, who reads everything in the
	// team.
	Reader parley.AgentID
	Kind   Kind

	// Text is words, and phrases in quotes.
	Text    string
	Author  parley.AgentID
	Channel parley.ChannelID // a group
	Keeper  parley.KeeperID
	// Since is the first moment, Until the one after the last.
	Since, Until parley.Micros
	// Newest asks for the newest that has all the words, instead of the best.
	Newest bool
	Limit  int
}

// narrowing are the marks that a document must have: one of each list. groups are
// those that the reader may read.
func (q Query) narrowing(groups []parley.Channel) (lists [][]string) {
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

// mostTerms bounds what is looked for; a longer question is looked for by its
// first words.
const mostTerms = 32

// term is one thing that is looked for: a word, and others that mean about the
// same.
type term struct {
	words []weighted // the first is the word itself
	must  bool       // nothing is found without it
	extra bool       // it makes what is found better, and does not count as asked for
}

type weighted struct {
	word   string
	weight float64
}

// wanted is a query in the words of the index.
type wanted struct {
	terms []term
	// phrases are words that must follow each other as they are spelled.
	phrases [][]string
}

// parse reads the text of a query. Newest first, every word must be there and none
// stands for another.
func parse(text string, newest bool) wanted {
	p := parser{newest: newest, seen: map[string]bool{}}
	for i, piece := range quoted(text) {
		if i%2 == 1 {
			p.phrase(piece)
		} else {
			p.plain(piece, keepStops(text))
		}
	}
	return p.wanted
}

// quoted cuts a text at its quotes: every second piece is a phrase. A quote that
// is not closed is none.
func quoted(text string) []string {
	text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`).Replace(text)
	pieces := strings.Split(text, `"`)
	if n := len(pieces); n%2 == 0 {
		pieces[n-2] += " " + pieces[n-1]
		pieces = pieces[:n-1]
	}
	return pieces
}

// keepStops says that a query has nothing but words that say nothing.
func keepStops(text string) bool {
	for _, t := range tokens(text) {
		if !stopWords[t.surface] {
			return false
		}
	}
	return true
}

type parser struct {
	wanted
	newest bool
	seen   map[string]bool
}

func (p *parser) add(t term) {
	if word := t.words[0].word; !p.seen[word] && len(p.terms) < mostTerms {
		p.seen[word] = true
		p.terms = append(p.terms, t)
	}
}

// phrase takes the words between quotes. Those that say something are looked up,
// all of them are compared with the text.
func (p *parser) phrase(text string) {
	var surfaces []string
	stops := keepStops(text)
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
		says := stops || !stopWords[t.surface]
		if says {
			p.add(p.one(t.word))
		}
		p.compound(before, t.surface, says)
		before = t.surface
	}
}

// compound looks for two words as one too: roll back is also written rollback.
func (p *parser) compound(before, word string, says bool) {
	if before == "" || p.newest {
		return
	}
	one := stem(clip(before + word))
	if _, known := synonyms()[one]; known || says && !stopWords[before] {
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

// words are all that are to be looked up.
func (w wanted) words() (list []string) {
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

// lesser are the words that only stand for others, or are made of them.
func (w wanted) lesser() map[string]bool {
	asked, lesser := map[string]bool{}, map[string]bool{}
	for _, t := range w.terms {
		asked[t.words[0].word] = asked[t.words[0].word] || !t.extra
		for _, other := range t.words {
			lesser[other.word] = true
		}
	}
	maps.DeleteFunc(lesser, func(word string, _ bool) bool { return asked[word] })
	return lesser
}

// must are the terms, by number, without which nothing is found.
func (w wanted) must() (mask uint64) {
	for i, t := range w.terms {
		if t.must {
			mask |= 1 << i
		}
	}
	return mask
}
