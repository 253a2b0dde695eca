package provider

import (
	"math/rand/v2"
	"sync"
	"time"
)

// Limiters are what a hub has learned of the models that it uses: until when a provider
// asks not to be asked again, and how much a model really reads. It is kept for each
// key and model, across reloads and for all teams, and safe for concurrent use. The
// zero value is ready.
type Limiters struct {
	mu  sync.Mutex
	all map[limiterKey]*limiter
}

type limiterKey struct{ baseURL, key, model string }

// of is the limiter of one model under one key.
func (l *Limiters) of(p Provider, key secret, model string) *limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[limiterKey]*limiter{}
	}
	k := limiterKey{p.BaseURL, string(key), model}
	if l.all[k] == nil {
		l.all[k] = newLimiter()
	}
	return l.all[k]
}

// limiter keeps to a provider's patience with the requests for one model. Normally everybody
// may ask. After a refusal nobody does until it is over; then one asks, and with each
// reply twice as many may, so that a hundred turns do not knock at once.
type limiter struct {
	now    func() time.Time
	jitter func() float64 // a share from 0 to 1

	mu     sync.Mutex
	until  time.Time     // nobody asks before
	width  int           // how many may ask at once; 0 is any number
	asking int           // how many do
	round  int           // counts the refusals that began a wait
	row    int           // of them, since the last reply
	queue  int           // whom the present round has sent away
	took   time.Duration // what a reply takes, about

	window    int       // what the model was found to read; 0 if that is not known
	learnedAt time.Time // when
	told      bool      // somebody was told of it
}

func newLimiter() *limiter { return &limiter{now: time.Now, jitter: rand.Float64, took: usualReply} }

const (
	// firstBusy and longestBusy bound the pauses for a provider that does not say
	// how long it wants to be left alone.
	firstBusy   = 2 * time.Second
	longestBusy = 2 * time.Minute
	// wideOpen is how many may ask at once before any number may.
	wideOpen = 128
	// usualReply, shortReply and longReply are what is assumed of the time that a
	// reply takes.
	usualReply = 2 * time.Second
	shortReply = 200 * time.Millisecond
	longReply  = 20 * time.Second
	// learnedFor is how long a window that was learned holds. Then more is tried
	// again, which costs a refusal at most.
	learnedFor = 24 * time.Hour
)

// ticket is the right to ask once.
type ticket struct {
	round int
	at    time.Time
}

// enter lets a request in, or says how long it should wait before it comes again.
func (l *limiter) enter() (t ticket, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Before(l.until) || l.width > 0 && l.asking >= l.width {
		return t, l.place(now)
	}
	l.asking++
	return ticket{round: l.round, at: now}, 0
}

// place is when the next one who is sent away should come again. The first comes when
// the wait is over, two one reply later, then four, and so on, as the doors will open
// if all goes well.
func (l *limiter) place(now time.Time) time.Duration {
	l.queue++
	waves := 0
	for n := l.queue; n > 1; n /= 2 {
		waves++
	}
	if !now.Before(l.until) {
		waves = max(waves, 1) // somebody asks already
	}
	spread := time.Duration(l.jitter() * float64(l.took) / 2)
	return max(l.until.Sub(now), 0) + time.Duration(waves)*l.took + spread
}

// leave ends a request that was neither refused for the moment nor answered.
func (l *limiter) leave(ticket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking--
}

// answered ends a request that was answered.
func (l *limiter) answered(t ticket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking--
	l.took = min(max((3*l.took+l.now().Sub(t.at))/4, shortReply), longReply)
	if t.round != l.round {
		return // it was let in before the refusal
	}
	l.row = 0
	if l.width == 0 {
		return
	}
	if l.width *= 2; l.width > wideOpen {
		l.width, l.queue = 0, 0
	}
}

// refused ends a request that came too early, and returns how long to wait. Of those
// that were let in together the first begins a wait; the others can make it longer.
func (l *limiter) refused(t ticket, after time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking--
	now := l.now()
	fresh := t.round == l.round
	if fresh {
		l.round++
		l.row++
		l.width, l.queue = 1, 0
	}
	switch {
	case after > 0:
		after += time.Duration(l.jitter() * float64(min(after/10, time.Second)))
	case fresh:
		after = min(firstBusy<<min(l.row-1, 10), longestBusy)
		after = after/2 + time.Duration(l.jitter()*float64(after/2))
	}
	if until := now.Add(after); until.After(l.until) {
		l.until = until
	}
	return l.place(now)
}

// learn notes what the model was found to read. The first time is the one of which
// somebody is told.
func (l *limiter) learn(window int) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first = !l.told
	l.told = true
	if known := l.current(); known == 0 || window < known {
		l.window, l.learnedAt = window, l.now()
	}
	return first
}

// forget drops what was learned of the window: it did not help.
func (l *limiter) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.window = 0
}

// learned is the window as far as it was corrected; else what was known of it.
func (l *limiter) learned(known int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	window := l.current()
	switch {
	case window == 0:
		return known
	case known == 0:
		return window
	}
	return min(known, window)
}

// current is what was learned, as long as it holds. The caller holds the lock.
func (l *limiter) current() int {
	if l.window == 0 || l.now().Sub(l.learnedAt) >= learnedFor {
		return 0
	}
	return l.window
}
