package provider

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	// retryDelay is where Gemini says how long to wait.
	retryDelay = regexp.MustCompile(`"retryDelay":\s*"(\d+(?:\.\d+)?)s"`)
	// tryAgainIn is how OpenAI and others say it in words.
	tryAgainIn = regexp.MustCompile(`(?i)try again in (\d[\d.hms]*)`)
)

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
	if found := tryAgainIn.FindStringSubmatch(body); found != nil {
		if d, err := time.ParseDuration(strings.TrimRight(found[1], ".")); err == nil {
			return span(d.Seconds())
		}
	}
	return resetAfter(h, now)
}

// resets are the headers that tell how much is left of a limit, and when there is
// more. A limit of which something is left is not the one that was reached.
var resets = []struct{ remaining, reset string }{
	{"Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
	{"Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
	{"Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Reset"},
	{"Anthropic-Ratelimit-Output-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Reset"},
	{"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
	{"X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
	{"X-Ratelimit-Remaining", "X-Ratelimit-Reset"},
}

// resetAfter is the longest wait that those headers ask for.
func resetAfter(h http.Header, now time.Time) (longest time.Duration) {
	for _, r := range resets {
		if left := h.Get(r.remaining); left != "0" {
			continue
		}
		longest = max(longest, untilReset(strings.TrimSpace(h.Get(r.reset)), now))
	}
	return longest
}

// untilReset reads a time (2026-01-02T03:04:05Z), a span (6m0s), seconds, or
// milliseconds since 1970.
func untilReset(s string, now time.Time) time.Duration {
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		return span(at.Sub(now).Seconds())
	}
	if d, err := time.ParseDuration(s); err == nil {
		return span(d.Seconds())
	}
	n, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil:
		return 0
	case n > 1e12:
		return span((n - float64(now.UnixMilli())) / 1000)
	case n > 1e9:
		return span(n - float64(now.Unix()))
	}
	return span(n)
}

// span is a number of seconds that somebody else wrote.
func span(seconds float64) time.Duration {
	if !(seconds > 0) { // also what is not a number
		return 0
	}
	return time.Duration(min(seconds, 1e6) * float64(time.Second))
}
