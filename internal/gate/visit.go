package gate

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley"
	"parley/internal/token"
)

// visit is one request from its beginning to its end.
type visit struct {
	token parley.TokenID // 0 until the caller is known
	agent parley.AgentID
	// ended is done when the token ends before the request.
	ended  context.Context
	end    context.CancelCauseFunc
	expiry *time.Timer
}

type visitKey struct{}

func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// Until returns a context that also ends when the token of the request does. Its cause
// is then an error for the caller, which Ended finds. It is for what waits: whatever
// else was accepted goes on to its end.
func Until(ctx context.Context) (context.Context, context.CancelFunc) {
	v := visitOf(ctx)
	if v == nil {
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	forget := context.AfterFunc(v.ended, func() { cancel(context.Cause(v.ended)) })
	return ctx, func() {
		forget()
		cancel(nil)
	}
}

// Ended is why the token of a request has ended; nil if it has not.
func Ended(ctx context.Context) error {
	var e *parley.Error
	if v := visitOf(ctx); v != nil && errors.As(context.Cause(v.ended), &e) {
		return e
	}
	return nil
}

// visits are the open requests, by token, and how fast each token makes them.
type visits struct {
	limits Limits

	mu      sync.Mutex
	holders map[parley.TokenID]*holder
}

// holder is a token in use.
type holder struct {
	open map[*visit]struct{}
	// left are the requests that it may make now; it grows with time.
	left float64
	at   time.Time
}

func newVisits(l Limits) *visits { return &visits{limits: l, holders: map[parley.TokenID]*holder{}} }

// admit counts a request whose caller is known. v is nil for a request that did not
// begin with Enter: it counts for the rate, and is not ended.
func (s *visits) admit(v *visit, use token.Use, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v != nil && v.token != 0 {
		return nil // a door may ask twice
	}
	burst := float64(2 * s.limits.Requests)
	h := s.holders[use.Token.ID]
	if h == nil {
		h = &holder{open: map[*visit]struct{}{}, left: burst, at: now}
		s.holders[use.Token.ID] = h
	}
	h.left = min(burst, h.left+max(0, now.Sub(h.at).Seconds())*float64(s.limits.Requests))
	h.at = now
	switch {
	case h.left < 1:
		return errRate(s.limits.Requests, time.Duration((1-h.left)/float64(s.limits.Requests)*float64(time.Second)))
	case v != nil && len(h.open) >= s.limits.Streams:
		return errStreams(s.limits.Streams)
	}
	h.left--
	if v == nil {
		return nil
	}
	v.token, v.agent = use.Token.ID, use.Owner.ID
	h.open[v] = struct{}{}
	if use.Token.ExpiresAt != 0 {
		v.expiry = time.AfterFunc(use.Token.ExpiresAt.Until(use.At), func() { v.end(token.ErrExpired()) })
	}
	return nil
}

// leave forgets a request that is over.
func (s *visits) leave(v *visit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.holders[v.token]; h != nil {
		delete(h.open, v)
	}
	if v.expiry != nil {
		v.expiry.Stop()
	}
	v.end(nil)
}

// quiet is after how long a token without open requests is forgotten. Its bucket is
// full again long before.
const quiet = time.Minute

func (s *visits) forget(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, h := range s.holders {
		if len(h.open) == 0 && now.Sub(h.at) > quiet {
			delete(s.holders, id)
		}
	}
}

// span are the least and the greatest id of the tokens that have open requests.
func (s *visits) span() (first, last parley.TokenID, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, h := range s.holders {
		if len(h.open) == 0 {
			continue
		}
		if !found {
			first, last, found = id, id, true
		}
		first, last = min(first, id), max(last, id)
	}
	return first, last, found
}

// endToken ends what waits with a token.
func (s *visits) endToken(id parley.TokenID, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.holders[id]; h != nil {
		for v := range h.open {
			v.end(why)
		}
	}
}

// endUnknown ends what waits for somebody who is no longer in the files.
func (s *visits) endUnknown(known func(parley.AgentID) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.holders {
		for v := range h.open {
			if !known(v.agent) {
				v.end(token.ErrElsewhere())
			}
		}
	}
}
