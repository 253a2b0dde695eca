package provider

import (
	"context"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/internal/model"
)

const (
	defaultAttempts = 5
	// offlineAttempts are fewer: who has no network wants to hear of it.
	offlineAttempts = 3
	firstWait       = time.Second
	longestWait     = 30 * time.Second
	// patience is the longest that a provider may ask us to wait. What wants more
	// is reported, and whoever asked decides.
	patience = 2 * time.Minute
)

// retry tries a step again for as long as that may help.
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
	for n := 1; ; n++ {
		reply, f := attempt()
		if f == nil {
			return reply, nil
		}
		if ctx.Err() != nil {
			return model.Reply{}, context.Cause(ctx)
		}
		if !r.again(n, f) {
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
	return f.again && n < most && f.err.RetryAfter <= patience
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

// retryDelay is where Gemini says how long to wait.
var retryDelay = regexp.MustCompile(`"retryDelay":\s*"(\d+(?:\.\d+)?)s"`)

// retryAfter is how long a provider asks us to wait; 0 if it does not say.
func retryAfter(h http.Header, body string, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return span(ms / 1000)
	}
	after := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		return span(s)
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(at.Sub(now), 0)
	}
	if found := retryDelay.FindStringSubmatch(body); found != nil {
		s, _ := strconv.ParseFloat(found[1], 64)
		return span(s)
	}
	return 0
}

// span is a number of seconds that somebody else wrote.
func span(seconds float64) time.Duration {
	if !(seconds > 0) { // also what is not a number
		return 0
	}
	return time.Duration(min(seconds, 1e6) * float64(time.Second))
}
