package store

import "testing"

// The shares are within the bound, and the texts leave the collector room: it lets the
// heap grow to twice of what is in use.
func TestTheSharesOfMemoryAreWithinTheBound(t *testing.T) {
	for _, m := range []Memory{0, 128 << 20, 256 << 20, 8 << 30} {
		bound := m
		if m == 0 {
			bound = DefaultMemory
		}
		sum := int64(programBytes) + m.Collector() + int64(m.WriterPages()+usualReaders*m.ReaderPages())
		if sum != int64(bound) {
			t.Errorf("%d: the shares are %d", m, sum)
		}
		if int64(m.Texts()) > m.Collector() {
			t.Errorf("%d: %d of texts, %d in all", m, m.Texts(), m.Collector())
		}
	}
}
