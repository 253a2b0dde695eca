package gate

import (
	"net/netip"
	"sync"
	"time"
)

const (
	firstPause   = time.Second
	longestPause = 5 * time.Minute
	// forgiven is after how long without a wrong token an address is forgotten.
	forgiven = 15 * time.Minute
	// mostAddresses bounds what is remembered.
	mostAddresses = 4096
)

// failures counts the wrong tokens of each address. After some, the address has to
// pause, longer each time. A token is looked up all the same: nobody can guess one, so
// the pause is there to calm what goes astray, and a right token always passes.
type failures struct {
	after int

	mu   sync.Mutex
	from map[netip.Prefix]*record
}

type record struct {
	count int
	last  time.Time
	until time.Time
}

func newFailures(after int) *failures {
	return &failures{after: after, from: map[netip.Prefix]*record{}}
}

// wrong says for how long an address that sent a wrong token still has to pause. If it
// does not, the token is counted; first reports whether it has to pause from now on.
func (f *failures) wrong(from netip.Prefix, now time.Time) (pause time.Duration, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.from[from]
	if r != nil && now.Before(r.until) {
		return r.until.Sub(now), false
	}
	if r == nil || now.Sub(r.last) > forgiven {
		f.makeRoom(now)
		r = &record{}
		f.from[from] = r
	}
	r.count, r.last = r.count+1, now
	if over := r.count - f.after; over >= 0 {
		r.until = now.Add(min(longestPause, firstPause<<min(over, 20)))
	}
	return 0, r.count == f.after
}

// makeRoom forgets the addresses that are forgiven, or else the one that was quiet for
// the longest time.
func (f *failures) makeRoom(now time.Time) {
	if len(f.from) < mostAddresses {
		return
	}
	var oldest netip.Prefix
	for from, r := range f.from {
		if now.Sub(r.last) > forgiven {
			delete(f.from, from)
		} else if o := f.from[oldest]; o == nil || r.last.Before(o.last) {
			oldest = from
		}
	}
	if len(f.from) >= mostAddresses {
		delete(f.from, oldest)
	}
}
