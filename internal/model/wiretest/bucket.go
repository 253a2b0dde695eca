package wiretest

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Bucket is a limit of tokens for a time, as providers have. When it is empty it
// refuses, in the words of each format, until the time is over since it ran dry. A
// token is four bytes of a request.
type Bucket struct {
	Tokens int
	Per    time.Duration

	mu       sync.Mutex
	used     int
	dry      time.Time // since when; zero if it is not
	answered int
	refused  int
}

// Before puts the limit before a mind.
func (b *Bucket) Before(mind Mind) Mind {
	return func(req Request) Reply {
		if wait := b.take(len(req.Body) / 4); wait > 0 {
			return refuse(req.Path, wait)
		}
		return mind(req)
	}
}

// Counts are how many requests were answered and refused.
func (b *Bucket) Counts() (answered, refused int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.answered, b.refused
}

func (b *Bucket) take(tokens int) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if full := b.dry.Add(b.Per); !b.dry.IsZero() && !time.Now().Before(full) {
		b.used, b.dry = 0, time.Time{}
	}
	if b.dry.IsZero() && (b.used == 0 || b.used+tokens <= b.Tokens) {
		b.used += tokens
		b.answered++
		return 0
	}
	if b.dry.IsZero() {
		b.dry = time.Now()
	}
	b.refused++
	return max(time.Until(b.dry.Add(b.Per)), time.Millisecond)
}

// refuse says in the format's own way how long to wait.
func refuse(path string, wait time.Duration) Reply {
	r := Reply{Status: 429, Message: "This request would exceed your rate limit of 40,000 tokens per minute."}
	ms := wait.Milliseconds() + 1
	switch {
	case strings.HasSuffix(path, "/v1/messages"):
		r.Header = map[string]string{"Retry-After": fmt.Sprintf("%.3f", float64(ms)/1000)}
	case strings.HasSuffix(path, "/responses"):
		r.Header = map[string]string{"Retry-After-Ms": fmt.Sprint(ms)}
	case strings.HasSuffix(path, "/chat/completions"):
		r.Message = fmt.Sprintf("Rate limit reached on tokens per min (TPM). Please try again in %dms.", ms)
	default:
		r.Details = []any{object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%.3fs", float64(ms)/1000)}}
	}
	return r
}
