package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// operation is what is measured, once. caller is the number of the one who
// does it, from 0; the source of chance is its own.
type operation func(ctx context.Context, caller int, r *rand.Rand) error

// sample is what one slice showed.
type sample struct {
	ops      int
	perS     float64
	p50, p99 time.Duration
	// Of the whole process, an operation: time on processors, allocations.
	cpu    time.Duration
	allocs float64
	// Of callers in another process, an operation: time on processors.
	clientCPU time.Duration
}

// measure lets callers repeat the operation for the given time. Each begins
// the next when the last has ended, at least once, so nothing is under way
// when it returns.
func measure(ctx context.Context, callers int, d time.Duration, op operation) (sample, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	runtime.GC() // the garbage of the slice before is not this one's
	allocs, cpu := mallocs(), processTime()
	took := make([][]time.Duration, callers)
	var all sync.WaitGroup
	start := time.Now()
	for caller := range callers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(start.UnixNano()), uint64(caller)))
			for begun := start; len(took[caller]) == 0 || begun.Sub(start) < d; {
				if err := op(ctx, caller, r); err != nil {
					cancel(err)
				}
				if ctx.Err() != nil {
					return
				}
				now := time.Now()
				took[caller] = append(took[caller], now.Sub(begun))
				begun = now
			}
		})
	}
	all.Wait()
	elapsed := time.Since(start)
	cpu, allocs = processTime()-cpu, mallocs()-allocs
	if ctx.Err() != nil {
		return sample{}, context.Cause(ctx)
	}
	times := slices.Concat(took...)
	slices.Sort(times)
	return sample{
		ops: len(times), perS: float64(len(times)) / elapsed.Seconds(),
		p50: percentile(times, 50), p99: percentile(times, 99),
		cpu: cpu / time.Duration(len(times)), allocs: float64(allocs) / float64(len(times)),
	}, nil
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// percentile is the smallest value that p in a hundred do not exceed; the
// values are sorted.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

// middle is the sample of medians: a slice that the machine spent on something
// else does not count for more than one that it did not.
func middle(samples []sample) sample {
	var m sample
	for _, s := range samples {
		m.ops += s.ops
	}
	m.perS = median(samples, func(s sample) float64 { return s.perS })
	m.p50 = time.Duration(median(samples, func(s sample) float64 { return float64(s.p50) }))
	m.p99 = time.Duration(median(samples, func(s sample) float64 { return float64(s.p99) }))
	m.cpu = time.Duration(median(samples, func(s sample) float64 { return float64(s.cpu) }))
	m.clientCPU = time.Duration(median(samples, func(s sample) float64 { return float64(s.clientCPU) }))
	m.allocs = median(samples, func(s sample) float64 { return s.allocs })
	return m
}

func median[T any](list []T, value func(T) float64) float64 {
	if len(list) == 0 {
		return 0
	}
	values := make([]float64, len(list))
	for i, v := range list {
		values[i] = value(v)
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
