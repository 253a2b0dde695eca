package search

import "math/bits"

// chunkScores adds up the scores of the documents of one chunk. It looks only at
// those that have any of the words, since most chunks have few.
type chunkScores struct {
	any docSet // have a word at all
	sum [chunkSize]float32
	has [chunkSize]uint64 // which terms
}

// docSet is a set of documents of a chunk, by position.
type docSet [chunkSize / 64]uint64

func (p *docSet) set(i int)      { p[i>>6] |= 1 << (i & 63) }
func (p *docSet) has(i int) bool { return p[i>>6]&(1<<(i&63)) != 0 }

func (p *docSet) add(other *docSet) {
	for i := range p {
		p[i] |= other[i]
	}
}

// keep drops what is not in other.
func (p *docSet) keep(other *docSet) {
	for i := range p {
		p[i] &= other[i]
	}
}

// backward visits the positions, the last first.
func (p *docSet) backward(visit func(i int)) {
	for w := len(p) - 1; w >= 0; w-- {
		for left := p[w]; left != 0; {
			bit := bits.Len64(left) - 1
			left &^= 1 << bit
			visit(w<<6 | bit)
		}
	}
}

func (p *chunkScores) begin() { clear(p.any[:]) }

// add counts the documents of a word for a term. counts is the worth of the word by
// how often it occurs.
func (p *chunkScores) add(term int, docs []posting, counts *[maxCount + 1]float32) {
	for _, d := range docs {
		i := d.place()
		if !p.any.has(i) {
			p.any.set(i)
			p.sum[i], p.has[i] = 0, 0
		}
		p.sum[i] += counts[d.count()]
		p.has[i] |= 1 << term
	}
}
