package postgres

import (
	"strings"
	"sync"
)

// Statement is how often a statement was run, and how many rows it gave or changed.
type Statement struct {
	SQL    string
	Update bool // run in a transaction of Update, and not of View
	Runs   int64
	Rows   int64
}

// Counts is what the transactions of a store did. Times are for profiles; these numbers
// are the same on any machine.
type Counts struct {
	Statements  []Statement
	Updates     int64 // transactions
	UpdateTrips int64 // round trips of theirs
	Views       int64
	ViewTrips   int64
}

// Count begins to count what all transactions do. What it returns ends that and gives
// what was counted. It is for measurements.
func (s *Store) Count() (end func() Counts) {
	k := &counter{statements: map[statementKey]*Statement{}}
	s.counting.Store(k)
	return func() Counts {
		s.counting.Store(nil)
		return k.all()
	}
}

// counter gathers what the transactions count.
type counter struct {
	mu         sync.Mutex
	counts     Counts // without the statements
	statements map[statementKey]*Statement
}

type statementKey struct {
	sql    string
	update bool
}

// began counts a transaction; a nil counter counts nothing.
func (k *counter) began(update bool) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if update {
		k.counts.Updates++
	} else {
		k.counts.Views++
	}
}

// sent counts a round trip.
func (k *counter) sent(update bool) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if update {
		k.counts.UpdateTrips++
	} else {
		k.counts.ViewTrips++
	}
}

// ran counts a statement that gave or changed so many rows.
func (k *counter) ran(sql string, update bool, rows int64) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key := statementKey{sql, update}
	one := k.statements[key]
	if one == nil {
		one = &Statement{SQL: strings.TrimSuffix(sql, " /*later*/"), Update: update}
		k.statements[key] = one
	}
	one.Runs++
	one.Rows += rows
}

func (k *counter) all() Counts {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.counts
	for _, s := range k.statements {
		c.Statements = append(c.Statements, *s)
	}
	return c
}
