package search

import "math/bits"

// page sums up what the documents of one chunk have. Only those that have anything
// are looked at: most chunks have few of a word.
type page struct {
	some places // have a word at all
	sum  [chunkSize]float32
	has  [chunkSize]uint64 // which terms
	list []posting
}

// places are some of the documents of a chunk.
type places [chunkSize / 64]uint64

func (p *places) set(i int)      { p[i>>6] |= 1 << (i & 63) }
func (p *places) has(i int) bool { return p[i>>6]&(1<<(i&63)) != 0 }

// backward goes through the places, the last first.
func (p *places) backward(visit func(i int)) {
	for w := len(p) - 1; w >= 0; w-- {
		for left := p[w]; left != 0; {
			bit := bits.Len64(left) - 1
			left &^= 1 << bit
			visit(w<<6 | bit)
		}
	}
}

func (p *page) begin() { clear(p.some[:]) }

// add counts a row of a word for a term. counts is what a word is worth that occurs
// so often.
func (p *page) add(term int, row []byte, counts *[mostCount + 1]float32) {
	p.list = unpack(row, p.list)
	for _, d := range p.list {
		i := d.place()
		if !p.some.has(i) {
			p.some.set(i)
			p.sum[i], p.has[i] = 0, 0
		}
		p.sum[i] += counts[d.count()]
		p.has[i] |= 1 << term
	}
}

// mark collects the documents of a row.
func (p *page) mark(row []byte, marked *places) {
	p.list = unpack(row, p.list)
	for _, d := range p.list {
		marked.set(d.place())
	}
}

// keep drops the documents that are not marked.
func (p *page) keep(marked *places) {
	for i := range p.some {
		p.some[i] &= marked[i]
	}
}
