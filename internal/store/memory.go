package store

// Memory is how many bytes a hub may have resident. This is the one place that divides
// it among the caches and the collector; 0 stands for DefaultMemory.
//
// The program's own code and what a process needs in any case take programBytes. SQLite
// has its memory outside the collector's: a cache of pages for the writer, and a small
// one for each reader, since a reader sees the file through a mapping. The collector
// gets the rest, of which the texts in Recent are a part: it lets the heap grow to
// twice what is in use. What the writer remembers (Hot) and the lists that are not written yet
// have limits of their own, in rows: with SQLite they are a few megabytes of the rest, 30 at worst.
type Memory int64

const (
	DefaultMemory Memory = 256 << 20
	programBytes  Memory = 32 << 20
)

func (m Memory) orDefault() Memory {
	if m <= 0 {
		return DefaultMemory
	}
	return m
}

// Texts is for what Recent keeps.
func (m Memory) Texts() int { return int(m.orDefault() / 8 * 3) }

// WriterPages and ReaderPages are for the page caches of SQLite's connections. A transaction of
// the writer that changes more takes more until it ends.
func (m Memory) WriterPages() int { return int(m.orDefault() / 8) }
func (m Memory) ReaderPages() int { return int(m.orDefault() / 64) }

// usualReaders is how many readers SQLite has unless told otherwise.
const usualReaders = 4

// Collector is for the heap and all else that the runtime manages.
func (m Memory) Collector() int64 {
	m = m.orDefault()
	return int64(m - programBytes - m/8 - usualReaders*m/64)
}
