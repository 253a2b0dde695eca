package search

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"parley/internal/store"
	"parley/internal/wake"
)

const (
	// collectTime is how long the projector waits for more once something was
	// written.
	collectTime = time.Second
	// pollInterval is how often it looks without a signal if other hubs write too:
	// their signals may get lost, and gaps close with time.
	pollInterval = 10 * time.Minute
	// restFactor is how many times longer it rests than a batch took, while others
	// write. So about 6 % of the time goes into the index.
	restFactor = 15
	// failurePause is how long it rests after a failure.
	failurePause = 10 * time.Second
)

// batchSize limits a batch: the number of documents, and roughly their text.
type batchSize struct{ docs, bytes int }

var (
	// busySize is used while others write, since they wait for it, and quietSize
	// while nobody does.
	busySize  = batchSize{256, 1 << 20}
	quietSize = batchSize{2 * chunkSize, 4 << 20}
	// bulkSize is for a store that nobody else uses. Rows of a word are adjacent: the
	// more of them are written at once, the fewer pages are rewritten.
	bulkSize = batchSize{64 * chunkSize, 128 << 20}
)

// Run adds what is written to the index until the context is done. Of several hubs on
// one database, one at a time does so. It sleeps while nothing is new.
func (s *Service) Run(ctx context.Context, log *slog.Logger) {
	p := projector{Service: s, log: log, last: map[Kind]int64{}, busy: true, written: make(chan struct{}, 1)}
	defer s.store.Bus().Listen(wake.Events, p.onWrite)()
	for wait := time.Duration(0); ; {
		if wait == pollInterval { // nothing is new
			p.awaitWrite(ctx)
			wait = collectTime
		}
		if !sleep(ctx, wait) {
			return
		}
		wait = p.round(ctx)
	}
}

// onWrite hears of every event: every stored message records one.
func (p *projector) onWrite(int64) {
	select {
	case p.written <- struct{}{}:
	default:
	}
}

// awaitWrite waits until something is written; if other hubs write too, for a limited
// time.
func (p *projector) awaitWrite(ctx context.Context) {
	var late <-chan time.Time
	if p.store.Shared() {
		timer := time.NewTimer(pollInterval)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-p.written:
	case <-late:
	case <-ctx.Done():
	}
}

// sleep returns false if the context is done first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

type projector struct {
	*Service
	log     *slog.Logger
	written chan struct{}
	last    map[Kind]int64 // the newest document at the last look
	busy    bool           // something may have been written since the look before
}

// round adds one batch of every kind and returns how long to rest; pollInterval says
// that there was nothing to do.
func (p *projector) round(ctx context.Context) time.Duration {
	wait, grew := pollInterval, false
	for kind := range p.kinds {
		started := time.Now()
		b, err := p.step(ctx, kind)
		if err != nil && ctx.Err() == nil {
			p.log.Warn("the search index could not be brought up to date; what is new is found more slowly until then", "error", err)
			return failurePause
		}
		grew = grew || b.last > p.last[kind]
		p.last[kind] = b.last
		switch {
		case b.more && (p.busy || grew):
			wait = min(wait, restFactor*time.Since(started))
		case b.more:
			wait = 0
		case len(b.docs) > 0:
			wait = min(wait, max(collectTime, restFactor*time.Since(started)))
		}
	}
	p.busy = grew
	return wait
}

func (p *projector) step(ctx context.Context, kind Kind) (batch, error) {
	size := quietSize
	if p.busy {
		size = busySize
	}
	b, err := p.prepare(ctx, kind, size)
	if err != nil || b.empty() {
		return b, err
	}
	err = p.store.Update(ctx, b.store)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, errIndexChanged) {
		b.more, err = false, nil // another hub adds, or something was removed: look again later
	}
	return b, err
}

// Update brings the index up to date with everything stored so far, as fast as it
// can. It is for tests and measurements; Run does this on its own.
func (s *Service) Update(ctx context.Context) error {
	for kind := range s.kinds {
		for more := true; more; {
			b, err := s.prepare(ctx, kind, bulkSize)
			if err == nil && !b.empty() {
				err = s.store.Update(ctx, b.store)
			}
			if err != nil && !errors.Is(err, errIndexChanged) {
				return err
			}
			more = b.more || err != nil
		}
	}
	return nil
}

// batch is what is added to the index at once. It is prepared in a view, so that
// others wait only while the rows are written.
type batch struct {
	kind Kind
	mark store.SearchMark
	docs []Document
	upto int64
	last int64 // the newest document of all
	gaps []store.SearchGap
	// gapsChanged says that gaps differ from what is stored.
	gapsChanged bool
	more        bool

	rows []store.PostingRow
}

func (b *batch) empty() bool { return len(b.docs) == 0 && !b.gapsChanged }

func (s *Service) prepare(ctx context.Context, kind Kind, size batchSize) (b batch, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		b = batch{kind: kind}
		return b.collect(tx, s.kinds[kind], size)
	})
	if err == nil {
		b.rows = rowsOf(kind, b.docs)
	}
	return b, err
}

func (b *batch) collect(tx *store.Tx, docs Documents, size batchSize) (err error) {
	if b.mark, err = tx.SearchMark(b.kind); err != nil {
		return err
	}
	if b.last, err = tx.LastDocument(b.kind); err != nil {
		return err
	}
	if b.gaps, err = tx.SearchGaps(b.kind); err != nil {
		return err
	}
	late, err := tx.InSearchGaps(b.kind, size.docs)
	if err != nil {
		return err
	}
	before, err := docs.Read(tx, late)
	if err != nil {
		return err
	}
	var after []Document
	if b.last > b.mark.Upto {
		if after, err = docs.After(tx, b.mark.Upto, size.docs); err != nil {
			return err
		}
	}
	whole := len(after)
	after = size.cut(after)
	b.upto = b.mark.Upto
	if len(after) > 0 {
		b.upto = after[len(after)-1].ID
	}
	b.more = whole == size.docs || whole > len(after) || len(late) == size.docs
	b.docs = slices.Concat(before, after)
	old := b.gaps
	b.gaps = gapsAfter(old, late, b.mark.Upto, after, tx.OutOfOrder(), tx.Now)
	b.gapsChanged = !slices.Equal(old, b.gaps)
	return nil
}

// cut cuts a list to the size of one batch. If there is more, it cuts at the end of a
// chunk, so that each row is written once.
func (p batchSize) cut(docs []Document) []Document {
	end, bytes := len(docs), 0
	for i, d := range docs {
		if bytes += len(d.Text); bytes > p.bytes {
			end = i + 1
			break
		}
	}
	if end < len(docs) || end == p.docs {
		begun := chunkOf(docs[end-1].ID)
		if whole, _ := slices.BinarySearchFunc(docs[:end], begun, func(d Document, c int64) int { return cmp.Compare(chunkOf(d.ID), c) }); whole > 0 {
			end = whole
		}
	}
	return docs[:end]
}

// errIndexChanged says that the index is no longer what the batch was made for.
var errIndexChanged = errors.New("the index has changed")

// store adds the batch, if the index is still where it was when the batch was read
// and nothing was removed since. A text that was removed in between must not come
// back with the batch.
func (b *batch) store(tx *store.Tx) error {
	mark, err := tx.LockSearchMark(b.kind)
	if err != nil {
		return err
	}
	if mark != b.mark {
		return errIndexChanged
	}
	appendRows(tx, b.rows)
	if b.upto != mark.Upto {
		tx.MoveSearchMark(b.kind, b.upto)
	}
	if b.gapsChanged {
		tx.SetSearchGaps(b.kind, b.gaps)
	}
	return nil
}
