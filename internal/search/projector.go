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
	// lookAfter is how long the projector waits for more when something was written.
	lookAfter = time.Second
	// lookEvery is how often it looks if it has heard of nothing, where others write
	// too: what they say may get lost, and gaps close with time.
	lookEvery = 10 * time.Minute
	// restTimes is for how many times as long as a batch took it rests while others
	// write: about 6 % of the time goes into the index then.
	restTimes = 15
	// failedRest is how long it rests after a failure.
	failedRest = 10 * time.Second
)

// portion is how much is taken at once: documents, and about so much text.
type portion struct{ docs, bytes int }

var (
	// busyPortion is taken while others write, who wait for it, and quietPortion
	// while nobody does.
	busyPortion  = portion{256, 1 << 20}
	quietPortion = portion{2 * chunkSize, 4 << 20}
	// bulkPortion is for a store that nobody else uses: rows of a word lie together,
	// so the more of them are written at once, the fewer pages are written again.
	bulkPortion = portion{64 * chunkSize, 128 << 20}
)

// Run follows what is written until the context is done. Of several hubs on one
// database one at a time adds to the index. It sleeps while nothing is new.
func (s *Service) Run(ctx context.Context, log *slog.Logger) {
	p := projector{Service: s, log: log, last: map[Kind]int64{}, busy: true, written: make(chan struct{}, 1)}
	defer s.store.Bus().Listen(wake.Events, p.hear)()
	for wait := time.Duration(0); ; {
		if wait == lookEvery { // nothing is new
			p.listen(ctx)
			wait = lookAfter
		}
		if !rest(ctx, wait) {
			return
		}
		wait = p.round(ctx)
	}
}

// hear is told of every event: who writes a message records one.
func (p *projector) hear(int64) {
	select {
	case p.written <- struct{}{}:
	default:
	}
}

// listen waits until something was written; where others write too, for a while.
func (p *projector) listen(ctx context.Context) {
	var late <-chan time.Time
	if p.store.Shared() {
		timer := time.NewTimer(lookEvery)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-p.written:
	case <-late:
	case <-ctx.Done():
	}
}

// rest waits; it reports false when the context is done first.
func rest(ctx context.Context, d time.Duration) bool {
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
	last    map[Kind]int64 // the newest document when it last looked
	busy    bool           // somebody may have written since the look before
}

// round takes one batch of every kind and says how long to rest; lookEvery says
// that there was nothing to do.
func (p *projector) round(ctx context.Context) time.Duration {
	wait, grew := lookEvery, false
	for kind := range p.kinds {
		started := time.Now()
		b, err := p.step(ctx, kind)
		if err != nil && ctx.Err() == nil {
			p.log.Warn("the search index could not be brought up to date; what is new is found more slowly until then", "error", err)
			return failedRest
		}
		grew = grew || b.last > p.last[kind]
		p.last[kind] = b.last
		switch {
		case b.more && (p.busy || grew):
			wait = min(wait, restTimes*time.Since(started))
		case b.more:
			wait = 0
		case len(b.docs) > 0:
			wait = min(wait, max(lookAfter, restTimes*time.Since(started)))
		}
	}
	p.busy = grew
	return wait
}

func (p *projector) step(ctx context.Context, kind Kind) (batch, error) {
	size := quietPortion
	if p.busy {
		size = busyPortion
	}
	b, err := p.prepare(ctx, kind, size)
	if err != nil || b.nothing() {
		return b, err
	}
	err = p.store.Update(ctx, b.store)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, errOvertaken) {
		b.more, err = false, nil // another hub is at it, or something was taken out: look again later
	}
	return b, err
}

// Update brings the index up to date with everything that is there now, as fast as
// it can. It is for tests and measurements; Run does it by itself.
func (s *Service) Update(ctx context.Context) error {
	for kind := range s.kinds {
		for more := true; more; {
			b, err := s.prepare(ctx, kind, bulkPortion)
			if err == nil && !b.nothing() {
				err = s.store.Update(ctx, b.store)
			}
			if err != nil && !errors.Is(err, errOvertaken) {
				return err
			}
			more = b.more || err != nil
		}
	}
	return nil
}

// batch is what goes into the index at once. It is made on a view: only the rows
// themselves are written while others wait.
type batch struct {
	kind Kind
	mark store.SearchMark
	docs []Document
	upto int64
	last int64 // the newest document there is
	gaps []store.SearchGap
	// gapsChanged says that they are not what is stored.
	gapsChanged bool
	more        bool

	rows []store.PostingRow
}

func (b *batch) nothing() bool { return len(b.docs) == 0 && !b.gapsChanged }

func (s *Service) prepare(ctx context.Context, kind Kind, size portion) (b batch, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		b = batch{kind: kind}
		return b.collect(tx, s.kinds[kind], size)
	})
	if err == nil {
		b.rows = rowsOf(kind, b.docs)
	}
	return b, err
}

func (b *batch) collect(tx *store.Tx, docs Documents, size portion) (err error) {
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
	after = size.bound(after)
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

// bound cuts a list where it has enough for one batch: where there is more, at the
// end of a chunk, so that each row is written once.
func (p portion) bound(docs []Document) []Document {
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

// errOvertaken says that the index is not any more what the batch was made for.
var errOvertaken = errors.New("the index has changed")

// store adds the batch, if the index is still where it was when the batch was read
// and nothing was taken out since: a text that was taken away in between must not
// come back with the batch.
func (b *batch) store(tx *store.Tx) error {
	mark, err := tx.LockSearchMark(b.kind)
	if err != nil {
		return err
	}
	if mark != b.mark {
		return errOvertaken
	}
	tx.AppendPostings(b.rows)
	if b.upto != mark.Upto {
		tx.MoveSearchMark(b.kind, b.upto)
	}
	if b.gapsChanged {
		tx.SetSearchGaps(b.kind, b.gaps)
	}
	return nil
}
