package provider

import (
	"math/rand/v2"
	"sync"
	"time"
)

// Moods are what a hub has learned of the models that it uses: until when a provider
// asks not to be asked again, and how much a model really reads. It is kept for each
// key and model, across reloads and for all teams, and safe for concurrent use. The
// zero value is ready.
type Moods struct {
	mu  sync.Mutex
	all map[moodKey]*mood
}

type moodKey struct{ baseURL, key, model string }

// of is the mood of one model under one key.
func (m *Moods) of(p Provider, key secret, model string) *mood {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[moodKey]*mood{}
	}
	k := moodKey{p.BaseURL, string(key), model}
	if m.all[k] == nil {
		m.all[k] = newMood()
	}
	return m.all[k]
}

// mood is a provider's patience with the requests for one model. Normally everybody
// may ask. After a refusal nobody does until it is over; then one asks, and with each
// reply twice as many may, so that a hundred turns do not knock at once.
type mood struct {
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
	window int           // what the model was found to read; 0 if that is not known
}

func newMood() *mood { return &mood{now: time.Now, jitter: rand.Float64, took: usualReply} }

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
)

// ticket is the right to ask once.
type ticket struct {
	round int
	at    time.Time
}

// enter lets a request in, or says how long it should wait before it comes again.
func (m *mood) enter() (t ticket, wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if now.Before(m.until) || m.width > 0 && m.asking >= m.width {
		return t, m.place(now)
	}
	m.asking++
	return ticket{round: m.round, at: now}, 0
}

// place is when the next one who is sent away should come again. The first comes when
// the wait is over, two one reply later, then four, and so on, as the doors will open
// if all goes well.
func (m *mood) place(now time.Time) time.Duration {
	m.queue++
	waves := 0
	for n := m.queue; n > 1; n /= 2 {
		waves++
	}
	if !now.Before(m.until) {
		waves = max(waves, 1) // somebody asks already
	}
	spread := time.Duration(m.jitter() * float64(m.took) / 2)
	return max(m.until.Sub(now), 0) + time.Duration(waves)*m.took + spread
}

// leave ends a request that was neither refused for the moment nor answered.
func (m *mood) leave(ticket) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asking--
}

// answered ends a request that was answered.
func (m *mood) answered(t ticket) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asking--
	m.took = min(max((3*m.took+m.now().Sub(t.at))/4, shortReply), longReply)
	if t.round != m.round {
		return // it was let in before the refusal
	}
	m.row = 0
	if m.width == 0 {
		return
	}
	if m.width *= 2; m.width > wideOpen {
		m.width, m.queue = 0, 0
	}
}

// refused ends a request that came too early, and returns how long to wait. Of those
// that were let in together the first begins a wait; the others can make it longer.
func (m *mood) refused(t ticket, after time.Duration) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asking--
	now := m.now()
	fresh := t.round == m.round
	if fresh {
		m.round++
		m.row++
		m.width, m.queue = 1, 0
	}
	switch {
	case after > 0:
		after += time.Duration(m.jitter() * float64(min(after/10, time.Second)))
	case fresh:
		after = min(firstBusy<<min(m.row-1, 10), longestBusy)
		after = after/2 + time.Duration(m.jitter()*float64(after/2))
	}
	if until := now.Add(after); until.After(m.until) {
		m.until = until
	}
	return m.place(now)
}

// learn notes what the model was found to read.
func (m *mood) learn(window int) (first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first = m.window == 0
	if first || window < m.window {
		m.window = window
	}
	return first
}

// learned is the window as far as it was corrected; else what was known of it.
func (m *mood) learned(known int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.window == 0:
		return known
	case known == 0:
		return m.window
	}
	return min(known, m.window)
}
