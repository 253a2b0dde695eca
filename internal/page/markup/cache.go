package markup

import (
	"container/list"
	"crypto/sha256"
	"html/template"
	"sync"
)

// Drawn renders texts and keeps what was made of those that were drawn lately, since the
// same messages are drawn again with every look at a conversation. It goes by the text
// alone, so what it has is always right. It may be used from any goroutine.
type Drawn struct {
	mu    sync.Mutex
	most  int // bytes
	bytes int
	order *list.List // of entry, the newest first
	by    map[[sha256.Size]byte]*list.Element
	// times counts how often everything was forgotten: what was begun before is not kept.
	times int
}

type entry struct {
	key  [sha256.Size]byte
	html template.HTML
}

// entryBytes is what an entry takes beside its HTML.
const entryBytes = 200

func (e entry) size() int { return len(e.html) + entryBytes }

// NewDrawn makes one that keeps at most so many bytes.
func NewDrawn(most int) *Drawn {
	d := &Drawn{most: most}
	d.Forget()
	return d
}

// Forget drops everything, such as when a text must not be stored any more.
func (d *Drawn) Forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.times++
	d.bytes, d.order, d.by = 0, list.New(), map[[sha256.Size]byte]*list.Element{}
}

// HTML renders Markdown.
func (d *Drawn) HTML(text string) template.HTML {
	return d.of(text, func(text string) template.HTML { return convert(text) })
}

// of returns what make makes of a text.
func (d *Drawn) of(text string, make func(string) template.HTML) template.HTML {
	key := sha256.Sum256([]byte(text))
	d.mu.Lock()
	if e, ok := d.by[key]; ok {
		d.order.MoveToFront(e)
		d.mu.Unlock()
		return e.Value.(entry).html
	}
	times := d.times
	d.mu.Unlock()
	html := make(text)
	d.put(entry{key, html}, times)
	return html
}

func (d *Drawn) put(e entry, times int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, there := d.by[e.key]; there || times != d.times || e.size() > d.most/8 {
		return
	}
	d.by[e.key] = d.order.PushFront(e)
	d.bytes += e.size()
	for d.bytes > d.most {
		oldest := d.order.Remove(d.order.Back()).(entry)
		delete(d.by, oldest.key)
		d.bytes -= oldest.size()
	}
}
