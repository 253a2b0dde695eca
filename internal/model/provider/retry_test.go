package provider

import (
	"context"
	"net/http"
	"testing"
	"time"

	"parley/internal/bubbletest"
	"parley/internal/model"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		header http.Header
		body   string
		want   time.Duration
	}{
		{nil, "", 0},
		{http.Header{"Retry-After": {"7"}}, "", 7 * time.Second},
		{http.Header{"Retry-After": {" 0.5 "}}, "", 500 * time.Millisecond},
		{http.Header{"Retry-After": {"Fri, 02 Jan 2026 03:04:35 GMT"}}, "", 30 * time.Second},
		{http.Header{"Retry-After": {"Fri, 02 Jan 2026 03:00:00 GMT"}}, "", 0},
		{http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"9"}}, "", 250 * time.Millisecond},
		{http.Header{"Retry-After": {"-3"}}, "", 0},
		{http.Header{"Retry-After": {"NaN"}}, "", 0},
		{http.Header{"Retry-After": {"1e300"}}, "", 1e6 * time.Second},
		{http.Header{"Retry-After": {"soon"}}, "", 0},
		{nil, `{"error": {"details": [{"@type": "…RetryInfo", "retryDelay": "34.5s"}]}}`, 34500 * time.Millisecond},
	} {
		if got := retryAfter(c.header, c.body, now); got != c.want {
			t.Errorf("%v %s: %s, want %s", c.header, c.body, got, c.want)
		}
	}
}

// The pauses double, are spread, and have a bound; what a provider asks for is
// the least.
func TestPause(t *testing.T) {
	for _, jitter := range []float64{0, 0.999} {
		r := retry{jitter: func() float64 { return jitter }}
		for n, full := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second} {
			got := r.pause(n+1, again(model.Overloaded, "busy"))
			if got < full/2 || got > full {
				t.Errorf("pause %d is %s, want %s to %s", n+1, got, full/2, full)
			}
		}
		asked := again(model.RateLimited, "wait")
		asked.err.RetryAfter = 40 * time.Second
		if got := r.pause(1, asked); got < 40*time.Second || got > 41*time.Second {
			t.Errorf("asked for 40s, waits %s", got)
		}
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		r := newRetry(Config{})
		attempts := 0
		_, err := r.do(ctx, func() (model.Reply, *failure) {
			attempts++
			f := again(model.RateLimited, "wait")
			f.err.RetryAfter = time.Minute
			return model.Reply{}, f
		})
		if err == nil || attempts != 1 || time.Since(began) != time.Second {
			t.Errorf("%d attempts, %v, after %s", attempts, err, time.Since(began))
		}
	})
}
