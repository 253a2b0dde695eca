// Package gate is what every door does to a request before it is served: it checks the
// way in (Host, Origin, a proxy), finds the caller by the bearer token and nothing
// else, and holds the limits for each token and the pause after wrong ones.
//
// The token is looked up for each request, in one statement, and its first use is stored
// before the request is served. So a token that was
// revoked, has expired or has lost its owner is of no use from that moment on, at every
// hub of the database. A hub that has its database for itself hears of each end before
// whoever ended the token is answered. It remembers tokens until then, for some seconds. Requests that wait (streams, long polls) end then too: Until
// gives them a context for that. At this hub they end at once, and at others with the
// signal, or at the latest with the next look.
//
// A Gate may be used from any goroutine. Its counts are in memory and per hub.
package gate

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/token"
	"parley/internal/wake"
)

// Config configures a Gate. Only Store and Log are needed.
type Config struct {
	Store store.Store
	Log   *slog.Logger
	// Host is the name or address that the server listens on. The Host of a request has
	// to be this, the local machine, that of PublicURL, or one of Names.
	Host string
	// PublicURL is how others reach the hub, if that is not its address; nil if it is.
	PublicURL *url.URL
	// Names reports whether the hub has a further name, such as one of its certificate.
	// It may be nil.
	Names func(string) bool
	// Proxies are whose word about the address of a caller is believed.
	Proxies []netip.Prefix
	// ProxiesOnly refuses callers from other machines that did not come through one of
	// the Proxies, since their tokens were not encrypted on the way.
	ProxiesOnly bool
	// Known reports whether the hub's files have a participant; nil believes the
	// database.
	Known  func(parley.AgentID) bool
	Limits Limits
}

// Limits bound what one token, or one address, may do. Zero is the default.
type Limits struct {
	// Streams is how many requests of a token may be open at once.
	Streams int
	// Requests is how many requests a token may make in a second, with bursts of twice
	// that.
	Requests int
	// Failures is how many wrong tokens an address may send before it has to pause.
	Failures int
}

// The defaults, which nobody notices in normal use.
const (
	defaultStreams  = 256
	defaultRequests = 1000
	defaultFailures = 10
)

func (l Limits) filled() Limits {
	if l.Streams == 0 {
		l.Streams = defaultStreams
	}
	if l.Requests == 0 {
		l.Requests = defaultRequests
	}
	if l.Failures == 0 {
		l.Failures = defaultFailures
	}
	return l
}

type Gate struct {
	cfg      Config
	visits   *visits
	failures *failures
	uses     *uses
	tokens   remembered
	look     chan struct{}
}

func New(cfg Config) *Gate {
	cfg.Limits = cfg.Limits.filled()
	return &Gate{cfg: cfg, visits: newVisits(cfg.Limits), failures: newFailures(cfg.Limits.Failures), uses: newUses(), look: make(chan struct{}, 1)}
}

// Enter begins a request. The caller serves the request that it returns, and then
// calls leave. An error says that the way in is the wrong one.
func (g *Gate) Enter(r *http.Request) (_ *http.Request, leave func(), err error) {
	if err := g.checkWay(r); err != nil {
		return nil, nil, err
	}
	v := &visit{}
	return r.WithContext(context.WithValue(r.Context(), visitKey{}, v)), func() { g.visits.leave(v) }, nil
}

// Identify finds the caller by the bearer token and nothing else. An error is for
// Headers too.
func (g *Gate) Identify(r *http.Request) (access.Caller, error) {
	secret, ok := bearer(r.Header.Get("Authorization"))
	if !ok {
		return access.Caller{}, errNoToken()
	}
	use, heard, err := g.find(r, secret)
	if err != nil {
		return access.Caller{}, err
	}
	by := pass{token: use.Token.ID}
	if err := g.visits.admit(visitOf(r.Context()), by, use.Owner.ID, time.Now()); err != nil {
		return access.Caller{}, err
	}
	g.visits.expire(visitOf(r.Context()), use)
	if g.tokens.signals() != heard {
		g.lookAgain()
	}
	g.uses.note(by, use.Token.UsedAt, use.At)
	return access.Caller{Team: use.Owner.Team, Agent: use.Owner.ID}, nil
}

// find returns the token of a secret, and the signals that were heard before it was
// looked for.
func (g *Gate) find(r *http.Request, secret string) (use token.Use, heard int64, err error) {
	d := digestOf(secret)
	use, found, heard := g.tokens.find(d)
	if found {
		use.At = parley.Clock(time.Now).Now()
	} else {
		use, err = token.Look(r.Context(), g.cfg.Store, secret)
	}
	if err == nil && g.cfg.Known != nil && !g.cfg.Known(use.Owner.ID) {
		err = token.ErrElsewhere()
	}
	if err := g.Guessed(r, err); err != nil {
		return token.Use{}, heard, err
	}
	if use.Token.UsedAt == 0 {
		if err := use.First(r.Context(), g.cfg.Store, secret); err != nil {
			return token.Use{}, heard, err
		}
	}
	if !found {
		g.tokens.keep(d, use, heard)
	}
	return use, heard, nil
}

// Guessed counts a wrong token, or a wrong code of a link, for the address that it came
// from. It returns the error for the caller: that one, or that the address has to pause.
// What has ended is no guess. A program that goes on with it must not keep those beside
// it out.
func (g *Gate) Guessed(r *http.Request, err error) error {
	if rule := parley.RuleOf(err); rule != token.RuleUnknown && rule != session.RuleUnknown {
		return err
	}
	from := g.source(r)
	pause, first := g.failures.wrong(from, time.Now())
	if first {
		g.cfg.Log.Warn("an address sends wrong tokens and has to pause", "address", from)
	}
	if pause > 0 {
		return errPause(pause)
	}
	return err
}

func bearer(authorization string) (secret string, ok bool) {
	scheme, secret, _ := strings.Cut(authorization, " ")
	secret = strings.TrimSpace(secret)
	return secret, strings.EqualFold(scheme, "Bearer") && secret != ""
}

// How often the gate looks by itself: for signals that were lost, and for uses to
// store.
const lookEvery = 5 * time.Second

// Run ends what waits with a token that has ended, and stores when tokens were used,
// until the context is done.
func (g *Gate) Run(ctx context.Context) {
	stop := g.cfg.Store.Bus().Listen(wake.Tokens, func(int64) {
		g.tokens.signal()
		g.lookAgain()
	})
	defer stop()
	if !g.cfg.Store.Shared() {
		g.tokens.begin()
		defer g.tokens.end()
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.look:
			g.endDead(ctx)
		case now := <-tick.C:
			g.endDead(ctx)
			g.visits.forget(now)
			g.storeUses(ctx)
			g.tokens.forget() // when they were used has changed; and nothing is believed for long
		}
	}
}

func (g *Gate) lookAgain() {
	select {
	case g.look <- struct{}{}:
	default: // it is going to look anyway
	}
}

// endDead ends the open requests of tokens that were revoked or have lost their owner,
// and of sessions that have ended.
func (g *Gate) endDead(ctx context.Context) {
	tokens, sessions := g.visits.open()
	if len(tokens)+len(sessions) == 0 {
		return
	}
	var dead []parley.TokenID
	var live []parley.SessionID
	err := g.cfg.Store.View(ctx, func(tx *store.Tx) (err error) {
		if len(tokens) > 0 {
			dead, err = tx.DeadTokens(tokens[0], tokens[len(tokens)-1])
		}
		if len(sessions) > 0 && err == nil {
			live, err = tx.LiveSessions(sessions[0], sessions[len(sessions)-1])
		}
		return err
	})
	if err != nil {
		return // the next look tries again; new requests are refused by their own lookup
	}
	for _, id := range dead {
		g.visits.endAll(pass{token: id}, token.ErrRevoked())
	}
	for _, id := range sessions {
		if _, found := slices.BinarySearch(live, id); !found {
			g.visits.endAll(pass{session: id}, session.ErrEnded())
		}
	}
	if g.cfg.Known != nil {
		g.visits.endUnknown(g.cfg.Known)
	}
}
