package postgres

import (
	"sync"
	"time"

	"parley/internal/store"
)

// blockSizes are the increments of the sequences in the schema. A hub draws a block
// of ids and gives them out from memory; what is left when the hub stops becomes a
// gap. Tasks have short public ids, so their blocks are small.
var blockSizes = [store.SeqCount]int64{
	store.SeqTeam: 1, store.SeqAgent: 8, store.SeqChannel: 16, store.SeqThread: 16,
	store.SeqMessage: 64, store.SeqTask: 16, store.SeqEvent: 64, store.SeqWorker: 1,
	store.SeqApproval: 1, store.SeqQuestion: 1, store.SeqKeeper: 1, store.SeqKept: 64, store.SeqChange: 16,
}

// A hub that used up its blocks within blockTime fetches twice as many the next time,
// up to maxBlocks. So a busy hub rarely stops to fetch, and an idle one wastes few
// ids.
const (
	blockTime = time.Second
	maxBlocks = 64
)

// blockAge is how long ids of messages and kept messages may be given out after they
// were drawn. Later, readers that follow the messages no longer expect such an old
// id: see store.LateAfter.
const blockAge = store.LateAfter / 2

// sequences are the ids that this hub has drawn but not yet given out.
type sequences [store.SeqCount]sequence

type sequence struct {
	mu      sync.Mutex
	next    int64
	end     int64   // of the block in use
	starts  []int64 // of the blocks after it
	blocks  int     // how many were fetched at once
	fetched time.Time
}

// draw gives out the next id. fetch gets the starts of n new blocks. Others that draw
// from the same sequence wait for it.
func (q *sequences) draw(seq store.Seq, fetch func(seq store.Seq, n int) ([]int64, error)) (int64, error) {
	s := &q[seq]
	s.mu.Lock()
	defer s.mu.Unlock()
	if (seq == store.SeqMessage || seq == store.SeqKept) && time.Since(s.fetched) > blockAge {
		s.next, s.starts = s.end, nil
	}
	if s.next == s.end && len(s.starts) == 0 {
		s.adapt(time.Now())
		starts, err := fetch(seq, s.blocks)
		if err != nil {
			return 0, err
		}
		s.starts = starts
	}
	if s.next == s.end {
		s.next, s.end = s.starts[0], s.starts[0]+blockSizes[seq]
		s.starts = s.starts[1:]
	}
	id := s.next
	s.next++
	return id, nil
}

func (s *sequence) adapt(now time.Time) {
	if s.blocks > 0 && now.Sub(s.fetched) < blockTime {
		s.blocks = min(2*s.blocks, maxBlocks)
	} else {
		s.blocks = 1
	}
	s.fetched = now
}
