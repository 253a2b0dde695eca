package gate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/token"
)

// visit is one request from its beginning to its end.
type visit struct {
	by     pass // zero until the caller is known
	agent  parley.AgentID
	expiry *time.Timer

	mu sync.Mutex
	// why is set when what the caller came with ends before the request, and when the
	// request is over.
	why error
	// waits are the contexts of Until, each by its place.
	waits []*context.CancelCauseFunc
}

// end ends what waits. Only the first reason counts.
func (v *visit) end(why error) {
	v.mu.Lock()
	waits := v.waits
	if v.why == nil {
		v.why, v.waits = why, nil
	}
	v.mu.Unlock()
	for _, cancel := range waits {
		(*cancel)(why)
	}
}

// wait has end call cancel, at once if it was called before.
func (v *visit) wait(cancel *context.CancelCauseFunc) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.why != nil {
		(*cancel)(v.why)
		return
	}
	v.waits = append(v.waits, cancel)
}

func (v *visit) release(cancel *context.CancelCauseFunc) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := slices.Index(v.waits, cancel); i >= 0 {
		v.waits = slices.Delete(v.waits, i, i+1)
	}
}

// pass is what a caller comes with: a token, or the session of a browser.
type pass struct {
	token   parley.TokenID
	session parley.SessionID
}

// String says what it is.
func (p pass) String() string {
	if p.session != 0 {
		return "session of a browser"
	}
	return "token"
}

type visitKey struct{}

func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// Token is the token that a request came with; 0 if it came with none.
func Token(ctx context.Context) parley.TokenID {
	if v := visitOf(ctx); v != nil {
		return v.by.token
	}
	return 0
}

// Until returns a context that also ends when the token or the session of the request does. Its cause
// is then an error for the caller, which Ended finds. It is for what waits: whatever
// else was accepted goes on to its end. The function ends it too, and has to be called.
func Until(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	v := visitOf(ctx)
	if v == nil {
		return ctx, cancel
	}
	v.wait(&cancel)
	return ctx, func(why error) {
		v.release(&cancel)
		cancel(why)
	}
}

// Ended is why the token or the session of a request has ended; nil if it has not.
func Ended(ctx context.Context) error {
	v := visitOf(ctx)
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var e *parley.Error
	if errors.As(v.why, &e) {
		return e
	}
	return nil
}

// visits are the open requests, by what they came with, and how fast they are made.
type visits struct {
	limits Limits

	mu      sync.Mutex
	holders map[pass]*holder
}

// holder is a token or a session in use.
type holder struct {
	open map[*visit]struct{}
	// left are the requests that it may make now; it grows with time.
	left float64
	at   time.Time
}

func newVisits(l Limits) *visits { return &visits{limits: l, holders: map[pass]*holder{}} }

// admit counts a request whose caller is known. v is nil for a request that did not
// begin with Enter: it counts for the rate, and is not ended.
func (s *visits) admit(v *visit, by pass, agent parley.AgentID, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v != nil && v.by != (pass{}) {
		return nil // a door may ask twice
	}
	burst := float64(2 * s.limits.Requests)
	h := s.holders[by]
	if h == nil {
		h = &holder{open: map[*visit]struct{}{}, left: burst, at: now}
		s.holders[by] = h
	}
	h.left = min(burst, h.left+max(0, now.Sub(h.at).Seconds())*float64(s.limits.Requests))
	h.at = now
	switch {
	case h.left < 1:
		return errRate(by, s.limits.Requests, time.Duration((1-h.left)/float64(s.limits.Requests)*float64(time.Second)))
	case v != nil && len(h.open) >= s.limits.Streams:
		return errStreams(by, s.limits.Streams)
	}
	h.left--
	if v == nil {
		return nil
	}
	v.by, v.agent = by, agent
	h.open[v] = struct{}{}
	return nil
}

// expire ends a request with its token.
func (s *visits) expire(v *visit, use token.Use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v != nil && v.expiry == nil && use.Token.ExpiresAt != 0 {
		v.expiry = time.AfterFunc(use.Token.ExpiresAt.Until(use.At), func() { v.end(token.ErrExpired()) })
	}
}

// leave forgets a request that is over.
func (s *visits) leave(v *visit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.holders[v.by]; h != nil {
		delete(h.open, v)
	}
	if v.expiry != nil {
		v.expiry.Stop()
	}
	v.end(context.Canceled)
}

// quiet is after how long a token without open requests is forgotten. Its bucket is
// full again long before.
const quiet = time.Minute

func (s *visits) forget(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for by, h := range s.holders {
		if len(h.open) == 0 && now.Sub(h.at) > quiet {
			delete(s.holders, by)
		}
	}
}

// open are the tokens and the sessions that have open requests, by their ids.
func (s *visits) open() (tokens []parley.TokenID, sessions []parley.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for by, h := range s.holders {
		switch {
		case len(h.open) == 0:
		case by.session != 0:
			sessions = append(sessions, by.session)
		default:
			tokens = append(tokens, by.token)
		}
	}
	slices.Sort(tokens)
	slices.Sort(sessions)
	return tokens, sessions
}

// endAll ends what waits with a token or a session.
func (s *visits) endAll(by pass, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.holders[by]; h != nil {
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
