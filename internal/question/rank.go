package question

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"parley"
)

// Candidate is somebody who can be asked, with what the asker may read of them.
type Candidate struct {
	Agent  parley.AgentID
	Person bool
	About  string // name, role and description
	Docs   string
}

// Rank orders the candidates by how probably they know the answer to a text: by the
// words that they share with it. A word counts more if few candidates have it, and more
// in what they are about than in their docs. Of equals, agents come before people, since
// people are asked only when they are needed, and then those with the lower id. Nothing
// but the candidates decides, so the order tells nothing that they do not say.
func Rank(text string, list []Candidate) []parley.AgentID {
	asked := words(text)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	found := make([]map[string]float64, len(list))
	common := map[string]int{}
	for i, c := range list {
		found[i] = shares(asked, c)
		for w := range found[i] {
			common[w]++
		}
	}
	type ranked struct {
		Candidate
		score float64
	}
	order := make([]ranked, len(list))
	for i, c := range list {
		order[i] = ranked{Candidate: c}
		for _, w := range asked { // in a fixed order, so that sums are the same each time
			order[i].score += found[i][w] * math.Log(1+float64(len(list)-common[w])/float64(common[w]+1))
		}
	}
	slices.SortStableFunc(order, func(a, b ranked) int {
		switch {
		case a.score != b.score:
			return cmp.Compare(b.score, a.score)
		case a.Person != b.Person && a.Person:
			return 1
		case a.Person != b.Person:
			return -1
		}
		return cmp.Compare(a.Agent, b.Agent)
	})
	ids := make([]parley.AgentID, len(order))
	for i, c := range order {
		ids[i] = c.Agent
	}
	return ids
}

// How much a word weighs. In docs it weighs more if it occurs again, up to a bound, so
// that neither one mention nor a long text decides.
const (
	aboutWeight = 3.0
	docsBound   = 2.0
)

// shares weighs the words of a question that a candidate has.
func shares(asked []string, c Candidate) map[string]float64 {
	wanted := make(map[string]float64, len(asked))
	for _, w := range asked {
		wanted[w] = 0
	}
	for _, w := range words(c.Docs) {
		if n, ok := wanted[w]; ok {
			wanted[w] = n + (docsBound-n)/2
		}
	}
	about := map[string]bool{}
	for _, w := range words(c.About) {
		about[w] = true
	}
	for w, n := range wanted {
		if about[w] {
			n += aboutWeight
		}
		if wanted[w] = n; n == 0 {
			delete(wanted, w)
		}
	}
	return wanted
}

// words are the words of a text in a common form: folded, without what every text has,
// and cut so that forms of one word are mostly the same. A word can occur again.
func words(text string) (list []string) {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range fields {
		letters := []rune(w)
		if len(letters) < 2 || frequent[w] {
			continue
		}
		if n := len(letters); n > 3 && letters[n-1] == 's' && letters[n-2] != 's' {
			letters = letters[:n-1]
		}
		list = append(list, string(letters[:min(len(letters), stem)]))
	}
	return list
}

// stem is how many letters of a word count.
const stem = 6

// frequent are words that say nothing about what a question is about.
var frequent = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`about after again all also an and any anybody anyone are as at be because been before being but by
		can could did do does doing done each everyone for from get gets give had has have having he her here him his how
		if in into is it its just know knows like make many may me might more most much must my need needs no not now of off on
		one only or other our out over own please same say says she should so some somebody someone such tell than that the their them
		then there these they this those to too under up us use used uses using very want was we well were what when where
		which while who whom whose why will with work works would yes you your`) {
		set[w] = true
	}
	return set
}()
