package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Event streams: many clients follow the record, each what concerns it, while others
// write. What is asked is how much memory the hub needs and how much slower the writers
// get, beside the same hub with nobody who follows.

const (
	// readersOf is how many streams an event goes to.
	readersOf = 10
	// streamRate is how many messages a second are written.
	streamRate = 1000
	// streamMemory is what parley.yaml allows the hub.
	streamMemory = 500e6
)

func streamsName(p plan) string { return fmt.Sprintf("streams.%d", p.streams) }

func (b *bench) streams(ctx context.Context) (err error) {
	name := streamsName(b.plan)
	if !b.wanted.has(name) {
		return nil
	}
	b.say("streams: %s of them at %s messages a second, each to %d", count(b.plan.streams), count(streamRate), readersOf)
	clients := max(1, b.plan.streams/readersOf)
	hub, err := startHub(ctx, errand{Engine: engineSQLite, Address: filepath.Join(b.dir, "streams.db"), Natives: writers, Clients: clients, Memory: streamMemory})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hub.kill()) }()
	m := streamMeasure{bench: b, hub: hub}
	for range b.plan.rounds {
		if err := m.round(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return b.report.add(m.line(name))
}

// streamMeasure is what the rounds showed: writers alone, and beside readers.
type streamMeasure struct {
	*bench
	hub         *hubProcess
	alone, with []written
}

// round is a turn alone, two beside readers and one alone again.
func (m *streamMeasure) round(ctx context.Context) error {
	if err := m.write(ctx, &m.alone); err != nil {
		return err
	}
	r, err := m.follow(ctx)
	if err != nil {
		return err
	}
	for range 2 {
		if err = m.write(ctx, &m.with); err != nil {
			break
		}
		last := m.with[len(m.with)-1]
		if err = r.await(ctx, readersOf*last.Ops); err != nil {
			break
		}
		m.say("  %-28s %s a write alone, %s beside the streams, %.0f a second; %d MB", streamsName(m.plan), duration(m.alone[len(m.alone)-1].P50), duration(last.P50), last.PerS, last.RSS/1e6)
	}
	r.close()
	if err != nil {
		return err
	}
	return m.write(ctx, &m.alone)
}

func (m *streamMeasure) write(ctx context.Context, to *[]written) error {
	var w written
	order := fmt.Sprintf("write?rate=%d&for=%d", streamRate, max(1, m.plan.slice.Milliseconds()))
	err := m.hub.order(ctx, order, &w)
	*to = append(*to, w)
	return err
}

func (m *streamMeasure) line(name string) Line {
	p50 := func(w written) float64 { return w.P50 }
	l := Line{Name: name, Rounds: len(m.with) / 2, Callers: writers, Streams: m.plan.streams}
	last := m.with[len(m.with)-1]
	l.RSS, l.Peak, l.Heap, l.Goroutines = last.RSS, last.Peak, last.usage.Heap, last.Goroutines
	for _, w := range m.with {
		l.Ops += w.Ops
	}
	l.PerS = round(median(m.with, func(w written) float64 { return w.PerS }), 1)
	l.P50, l.Alone = round(median(m.with, p50), 1), round(median(m.alone, p50), 1)
	l.P99 = round(median(m.with, func(w written) float64 { return w.P99 }), 1)
	l.CPU = round(median(m.with, func(w written) float64 { return w.CPU }), 1)
	var rates, times []float64
	for i, w := range m.with {
		rates, times = append(rates, w.PerS/m.alone[i].PerS), append(times, w.P50/m.alone[i].P50)
	}
	same := func(v float64) float64 { return v }
	l.Ratio, l.TimeRatio = round(median(rates, same), 3), round(median(times, same), 3)
	return l
}

// readers are the clients that follow the record.
type readers struct {
	got    atomic.Int64
	wanted int64
	failed chan error
	stop   context.CancelFunc
	all    sync.WaitGroup
}

// follow opens the streams, and returns when all are open.
func (m *streamMeasure) follow(ctx context.Context) (*readers, error) {
	ctx, stop := context.WithCancel(ctx)
	r := &readers{failed: make(chan error, m.plan.streams), stop: stop}
	transport := &http.Transport{MaxIdleConnsPerHost: -1}
	opened := make(chan struct{}, m.plan.streams)
	opening := make(chan struct{}, 20) // at a time
	for i := range m.plan.streams {
		token := m.hub.Tokens[1+i%(len(m.hub.Tokens)-1)]
		r.all.Go(func() {
			opening <- struct{}{}
			err := r.read(ctx, transport, m.hub.URL, token, func() { <-opening; opened <- struct{}{} })
			if ctx.Err() == nil {
				r.failed <- fmt.Errorf("a stream ended: %w", err)
			}
		})
	}
	for range m.plan.streams {
		select {
		case <-opened:
		case err := <-r.failed:
			r.close()
			return nil, err
		}
	}
	return r, nil
}

// read counts the events of one stream. ready is called when it is open.
func (r *readers) read(ctx context.Context, t http.RoundTripper, url, token string, ready func()) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/events?after=now&kind=message.accepted", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := t.RoundTrip(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it is over
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	lines := bufio.NewReaderSize(resp.Body, 2048)
	for first := true; ; first = false {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if first {
			ready() // the first line comes once the stream knows where it begins
		}
		if name, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
			if strings.TrimSpace(string(name)) == "problem" {
				return errors.New("it ended with a problem")
			}
			r.got.Add(1)
		}
	}
}

// await returns when so many further events have come, and not one more.
func (r *readers) await(ctx context.Context, n int) error {
	r.wanted += int64(n)
	ctx, cancel := context.WithTimeout(ctx, resultLimit)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for r.got.Load() < r.wanted {
		select {
		case err := <-r.failed:
			return err
		case <-ctx.Done():
			return fmt.Errorf("%d of %d events have come: %w", r.got.Load(), r.wanted, ctx.Err())
		case <-again.C:
		}
	}
	if got := r.got.Load(); got > r.wanted {
		return fmt.Errorf("%d events came instead of %d", got, r.wanted)
	}
	return nil
}

func (r *readers) close() {
	r.stop()
	r.all.Wait()
}
