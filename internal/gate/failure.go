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
	// mostAddresses and mostTokens bound what is remembered.
	mostAddresses = 4096
	mostTokens    = 16384
)

// failures counts the wrong tokens of each address. After some, the address has to
// pause, longer each time. A token that was right before passes all the same, so that
// a program with a wrong token locks out nobody beside it.
type failures struct {
	after int

	mu   sync.Mutex
	from map[netip.Prefix]*record
	good map[string]struct{} // hashes of tokens that were right
}

type record struct {
	count int
	last  time.Time
	until time.Time
}

func newFailures(after int) *failures {
	return &failures{after: after, from: map[netip.Prefix]*record{}, good: map[string]struct{}{}}
}

// check refuses a request from an address that has to pause.
func (f *failures) check(from netip.Prefix, hash string, now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.from[from]
	if r == nil || !now.Before(r.until) {
		return nil
	}
	if _, good := f.good[hash]; good {
		return nil
	}
	return errPause(r.until.Sub(now))
}

// wrong counts a wrong token. It reports whether the address has to pause for the first
// time.
func (f *failures) wrong(from netip.Prefix, hash string, now time.Time) (first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.good, hash)
	r := f.from[from]
	if r == nil || now.Sub(r.last) > forgiven {
		f.makeRoom(now)
		r = &record{}
		f.from[from] = r
	}
	r.count, r.last = r.count+1, now
	if over := r.count - f.after; over >= 0 {
		r.until = now.Add(min(longestPause, firstPause<<min(over, 20)))
	}
	return r.count == f.after
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

// right remembers a token that was right.
func (f *failures) right(hash string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, there := f.good[hash]; there {
		return
	}
	for other := range f.good { // any one makes room: it is remembered again with its next use
		if len(f.good) < mostTokens {
			break
		}
		delete(f.good, other)
	}
	f.good[hash] = struct{}{}
}
