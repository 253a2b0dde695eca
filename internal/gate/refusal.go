package gate

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/token"
)

// wait is a refusal that ends by itself.
type wait struct {
	err   *parley.Error
	after time.Duration
}

func (w *wait) Error() string { return w.err.Error() }
func (w *wait) Unwrap() error { return w.err }

// seconds are whole ones, and at least one, as Retry-After has them.
func (w *wait) seconds() int { return max(1, int(math.Ceil(w.after.Seconds()))) }

func errWait(after time.Duration, format string, args ...any) *wait {
	w := &wait{after: after}
	w.err = parley.Errorf(parley.Limited, format, args...).WithHint("Try again in %s.", plural(w.seconds(), "second"))
	return w
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func errPause(left time.Duration) error {
	return errWait(left, "Too many wrong tokens came from this address.")
}

func errRate(by pass, limit int, left time.Duration) error {
	return errWait(left, "This %s makes more than %d requests a second.", by, limit)
}

func errStreams(by pass, limit int) error {
	return errWait(time.Second, "This %s has %d requests open, and may not have more at once.", by, limit)
}

// noToken is the rule that a request without any token breaks.
const noToken = "no_token"

func errNoToken() *parley.Error {
	return parley.Errorf(parley.Unauthentic, "The request has no token.").WithRule(noToken).
		WithHint("%s. Send it as Authorization: Bearer %s…", token.HowTo, token.Prefix)
}

// Headers are those of a response to a request that was refused with err: how to
// authenticate (RFC 6750), or when to try again. They may be nil.
func Headers(err error) http.Header {
	var w *wait
	switch {
	case errors.As(err, &w):
		return http.Header{"Retry-After": {strconv.Itoa(w.seconds())}}
	case parley.KindOf(err) != parley.Unauthentic:
		return nil
	}
	challenge := `Bearer realm="parley"`
	if parley.RuleOf(err) != noToken {
		challenge += `, error="invalid_token", error_description="` + quotable(parley.Public(err)) + `"`
	}
	return http.Header{"Www-Authenticate": {challenge}}
}

// quotable leaves out what RFC 6750 does not allow in a description.
func quotable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, s)
}
