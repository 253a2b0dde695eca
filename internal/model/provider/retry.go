package provider

import (
	"context"
	"math/rand/v2"
	"time"

	"parley/internal/model"
)

const (
	defaultAttempts = 5
	// offlineAttempts are fewer: who has no network wants to hear of it.
	offlineAttempts = 3
	firstWait       = time.Second
	longestWait     = 30 * time.Second
	// patience is the longest that a provider with a fault may ask us to wait.
	patience = time.Minute
)

// retry tries a step again a few times. A provider that is only busy is not asked
// again here: that may take long, and whoever runs the turn waits better.
type retry struct {
	attempts int
	wait     func(ctx context.Context, d time.Duration) error
	// jitter spreads the attempts of many turns that failed at once: a share from
	// 0 to 1.
	jitter func() float64
}

func newRetry(cfg Config) retry {
	r := retry{attempts: cfg.Attempts, wait: cfg.Wait, jitter: rand.Float64}
	if r.attempts == 0 {
		r.attempts = defaultAttempts
	}
	if r.wait == nil {
		r.wait = sleep
	}
	return r
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r retry) do(ctx context.Context, attempt func() (model.Reply, *failure)) (model.Reply, error) {
	var lost model.Usage // what came to nothing is paid for all the same
	for n := 1; ; n++ {
		reply, f := attempt()
		lost = lost.Plus(reply.Usage)
		if f == nil {
			reply.Usage = lost
			return reply, nil
		}
		if ctx.Err() != nil {
			return model.Reply{}, context.Cause(ctx)
		}
		if f.err.Usage = lost; !r.again(n, f) {
			return model.Reply{}, f.err
		}
		if err := r.wait(ctx, r.pause(n, f)); err != nil {
			return model.Reply{}, err
		}
	}
}

func (r retry) again(n int, f *failure) bool {
	most := r.attempts
	if f.err.Class == model.Offline {
		most = min(most, offlineAttempts)
	}
	return f.again && !f.err.Busy && n < most && f.err.RetryAfter <= patience
}

// pause is what the provider asks for, or else twice as long each time; with
// something added, so that not all come back at once.
func (r retry) pause(n int, f *failure) time.Duration {
	if f.err.RetryAfter > 0 {
		return f.err.RetryAfter + time.Duration(r.jitter()*float64(time.Second))
	}
	d := min(firstWait<<(n-1), longestWait)
	return d/2 + time.Duration(r.jitter()*float64(d/2))
}
