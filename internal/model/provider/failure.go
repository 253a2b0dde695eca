package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
)

// failure is why an attempt failed, and whether another may help.
type failure struct {
	err   *model.Error
	again bool
}

func stop(class model.Class, format string, args ...any) *failure {
	return &failure{err: &model.Error{Class: class, Message: fmt.Sprintf(format, args...)}}
}

// wait is for a provider that is only busy.
func wait(class model.Class, format string, args ...any) *failure {
	f := stop(class, format, args...)
	f.err.Busy = true
	return f
}

func again(class model.Class, format string, args ...any) *failure {
	f := stop(class, format, args...)
	f.again = true
	return f
}

// because adds what the log should see, without the key.
func (f *failure) because(key secret, text string) *failure {
	if text != "" {
		f.err.Cause = errors.New(parley.Clip(key.hide(text), 1000))
	}
	return f
}

func (m *Model) noKey() error {
	return stop(model.BadKey, "The model %s has no key. Set %s where the hub runs, and start it again.", m.ID(), m.provider.KeyEnv).err
}

func (m *Model) blocked() *failure {
	return stop(model.Blocked, "%s refused to answer because of the content.", m.provider.Name)
}

// noAnswer is for a request to which no reply began.
func (m *Model) noAnswer(ctx context.Context, err error) *failure {
	if late(ctx) {
		return m.tooLate().because(m.key, err.Error())
	}
	return m.unreachable(err).because(m.key, err.Error())
}

// unreadable is for a reply that began and is of no use.
func (m *Model) unreadable(ctx context.Context, header http.Header, err error) *failure {
	var large *http.MaxBytesError
	f := m.brokenOff(err)
	switch {
	case late(ctx):
		f = m.tooLate()
	case errors.Is(context.Cause(ctx), errSilent):
		f = again(model.TimedOut, "%s fell silent in the middle of a reply for %s. Try again later.", m.ID(), m.silence)
	case strings.HasPrefix(header.Get("Content-Type"), "text/html"):
		f = stop(model.Refused, "At %s there is a web page and no model. Is the base_url of %s right?", m.provider.BaseURL, m.provider.Name)
	case errors.As(err, &large) || errors.Is(err, errLongLine):
		f = stop(model.Broken, "The reply of %s is too large.", m.ID())
	}
	return f.because(m.key, err.Error())
}

func late(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errTimeout) }

func (m *Model) tooLate() *failure {
	return stop(model.TimedOut, "%s did not answer within %s.", m.ID(), m.timeout)
}

// unreachable is for a provider that did not answer at all.
func (m *Model) unreachable(err error) *failure {
	var dns *net.DNSError
	reason := "the connection failed"
	switch {
	case errors.As(err, &dns):
		reason = fmt.Sprintf("the name %s cannot be resolved", dns.Name)
	case strings.Contains(err.Error(), "connection refused"):
		reason = "nothing listens there"
	case strings.Contains(err.Error(), "certificate"):
		reason = "its certificate is not trusted"
	}
	hint := "Look at the network connection."
	if u, parsed := url.Parse(m.provider.BaseURL); parsed == nil && local(u.Hostname()) {
		hint = "Is the server running?"
	}
	return again(model.Offline, "The provider %s cannot be reached at %s: %s. %s", m.provider.Name, m.provider.BaseURL, reason, hint)
}

func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// fault is an error that a provider sends in place of a reply, or in the middle of
// one.
type fault struct{ body []byte }

func (f *fault) Error() string { return "the provider says: " + string(f.body) }

// brokenOff is for a reply that began and did not end.
func (m *Model) brokenOff(err error) *failure {
	var f *fault
	if errors.As(err, &f) {
		r := readRefusal(m.key.hide(string(f.body)))
		switch {
		case r.tooLong() || containsAny(r.all, "insufficient_quota"):
			return m.refusalOf(http.StatusBadRequest, r)
		case containsAny(r.all, "rate_limit", "rate limit"):
			return m.by(wait(model.RateLimited, rateLimited))
		case strings.Contains(r.all, "overloaded"):
			return m.by(wait(model.Overloaded, overloaded, m.provider.Name))
		}
	}
	return again(model.Overloaded, "The connection to %s broke off in the middle of a reply. Try again later.", m.provider.Name)
}

const rateLimited = "Rate limit exceeded. Try again later."

const overloaded = "%s is overloaded. Try again later."

// busy is for a request that is not made because the provider has asked for patience.
func (m *Model) busy(wanted time.Duration) *failure {
	f := m.by(wait(model.RateLimited, rateLimited))
	f.err.RetryAfter = wanted
	return f
}

// by says whose failure it is.
func (m *Model) by(f *failure) *failure {
	f.err.Provider = m.provider.Name
	return f
}

// refusal is for a provider that answered with an error. The order matters: a
// wrong key is a bad request at one of them, and an empty account a rate limit
// at another.
func (m *Model) refusal(resp *http.Response) *failure {
	read, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	body := m.key.hide(string(read))
	if err != nil && body == "" {
		body = err.Error()
	}
	f := m.by(m.refusalOf(resp.StatusCode, readRefusal(body)))
	f.err.RetryAfter = retryAfter(resp.Header, body, time.Now())
	if resp.StatusCode == http.StatusServiceUnavailable && f.again && f.err.RetryAfter > 0 {
		f.again, f.err.Busy = false, true
	}
	return f.because(m.key, fmt.Sprintf("status %d: %s", resp.StatusCode, body))
}

// maxRefusal bounds what is read of a refusal.
const maxRefusal = 64 << 10

func (m *Model) refusalOf(status int, r refusal) *failure {
	reason, all := r.text, r.all
	switch {
	case status == http.StatusUnauthorized || containsAny(all, "api_key_invalid", "api key not valid", "invalid_api_key"):
		return m.wrongKey()
	case status == http.StatusPaymentRequired || containsAny(all, "insufficient_quota", "credit balance is too low"):
		return stop(model.Refused, "The account at %s has no credit left. It says: %s", m.provider.Name, reason)
	case status == http.StatusForbidden:
		return stop(model.BadKey, "%s does not let the key in %s use %s. It says: %s", m.provider.Name, m.keyName(), m.ID(), reason)
	case status == http.StatusNotFound || containsAny(all, "model_not_found", "is not a valid model id"):
		return m.unknown(reason, all)
	case status == http.StatusRequestEntityTooLarge || aboutRequest(status) && r.tooLong():
		f := stop(model.TooLong, "The conversation is too long for %s. It says: %s", m.ID(), reason)
		f.err.Window, f.err.Counted = figures(r.message)
		f.err.Certain = status == http.StatusRequestEntityTooLarge || containsAny(r.code, tooLongCodes...)
		return f
	case status == http.StatusTooManyRequests && containsAny(all, aDay...):
		return stop(model.RateLimited, "The quota of the day at %s is used up. It says: %s", m.provider.Name, reason)
	case status == http.StatusTooManyRequests:
		return wait(model.RateLimited, rateLimited)
	case containsAny(all, "content_policy", "content_filter", "content management policy"):
		return m.blocked()
	case status == 529 || status >= 500 && containsAny(all, tooBusy...) ||
		(status < 400 || status >= 500) && strings.Contains(all, "overloaded"): // a refused request may quote the word
		return wait(model.Overloaded, overloaded, m.provider.Name)
	case status == http.StatusServiceUnavailable:
		return again(model.Overloaded, overloaded, m.provider.Name)
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusConflict:
		return again(model.Overloaded, "%s has a fault (status %d). Try again later.", m.provider.Name, status)
	}
	return stop(model.Refused, "%s refused the request. It says: %s", m.provider.Name, reason)
}

// aboutRequest reports whether a status is used for a request that is too long.
func aboutRequest(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusTooManyRequests:
		return true
	}
	return false
}

// tooLong reports whether the provider says that the conversation is too long.
func (r refusal) tooLong() bool {
	return containsAny(r.message, tooLong...) || containsAny(r.code, tooLongCodes...)
}

func containsAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func (m *Model) wrongKey() *failure {
	if m.key == "" {
		return stop(model.BadKey, "The provider %s wants a key. Put it into an environment variable, and name that with key_env.", m.provider.Name)
	}
	return stop(model.BadKey, "%s does not accept the key in %s. Set the right one where the hub runs, and start it again.", m.provider.Name, m.keyName())
}

func (m *Model) keyName() string {
	if m.provider.KeyEnv == "" {
		return "use"
	}
	return m.provider.KeyEnv
}

// unknown is for a model that the provider does not have, or for an address
// under which nothing is.
func (m *Model) unknown(reason, all string) *failure {
	if !strings.Contains(all, "model") {
		return stop(model.Refused, "There is nothing at %s that answers. Is the base_url of %s right?", m.provider.BaseURL, m.provider.Name)
	}
	text := fmt.Sprintf("%s has no model %q.", m.provider.Name, m.name)
	switch {
	case len(m.near) > 0:
		text += " Did you mean " + strings.Join(m.near, " or ") + "?"
	case m.provider.Name == "ollama":
		text += " Fetch it with: ollama pull " + m.name
	default:
		text += " It says: " + reason
	}
	return stop(model.UnknownName, "%s", text)
}
