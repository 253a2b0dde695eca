package crash

import (
	"fmt"
	"strings"
	"sync"

	"parley/api"
)

// ledger is what the clients know. It is compared with the database: what a client
// was told must be there; what it does not know may be there at most once.
type ledger struct {
	mu       sync.Mutex
	entries  map[string]*entry // by key
	acks     int
	acked    chan struct{} // holds one value if there were acknowledgements
	unsure   int           // answers that never came
	problems []string

	decisions map[string]string // states of approvals, by id
}

// entry is one contact.
type entry struct {
	job      job
	accepted bool
	task     string // as the hub names it; empty for a notification
	message  string
	cancel   cancelled
}

// cancelled is what a client knows of its cancellation.
type cancelled int

const (
	notCancelled cancelled = iota
	maybeCancelled
	surelyCancelled
)

func newLedger() *ledger {
	return &ledger{entries: map[string]*entry{}, decisions: map[string]string{}, acked: make(chan struct{}, 1)}
}

// begin enters a contact before it is sent.
func (l *ledger) begin(j job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[j.key()] = &entry{job: j}
}

// accept enters an acknowledgement. The same key must always lead to the same
// contact.
func (l *ledger) accept(j job, c api.Contact) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[j.key()]
	task := ""
	if c.Task != nil {
		task = c.Task.ID
	}
	if e.accepted && (e.task != task || e.message != c.Message) {
		l.problems = append(l.problems, fmt.Sprintf("%s was accepted as %s (%s) and then as %s (%s)", j.key(), e.message, e.task, c.Message, task))
	}
	e.accepted, e.task, e.message = true, task, c.Message
	l.count()
}

// count counts anything that was acknowledged.
func (l *ledger) count() {
	l.acks++
	select {
	case l.acked <- struct{}{}:
	default:
	}
}

// doubt records a request that was not answered.
func (l *ledger) doubt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unsure++
}

// cancel enters what is known of a cancellation.
func (l *ledger) cancel(j job, c cancelled) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[j.key()].cancel = c
	if c == surelyCancelled {
		l.count()
	}
}

// complain records something that must not happen.
func (l *ledger) complain(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}

func (l *ledger) complaints() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.problems
}

// total is how many acknowledgements there were so far.
func (l *ledger) total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acks
}

// snapshot is the ledger as it is now.
func (l *ledger) snapshot() map[string]entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make(map[string]entry, len(l.entries))
	for key, e := range l.entries {
		all[key] = *e
	}
	return all
}

func (l *ledger) tally() tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := tally{contacts: len(l.entries), unanswered: l.unsure}
	for _, e := range l.entries {
		if e.accepted {
			sum.acknowledged++
		}
	}
	return sum
}

func lines(list []string) string {
	const most = 20
	if len(list) > most {
		list = append(list[:most:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return strings.Join(list, "\n")
}
