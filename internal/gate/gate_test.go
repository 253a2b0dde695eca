package gate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/bubbletest"
	"parley/internal/store"
	"parley/internal/store/sqlite"
	"parley/internal/token"
	"parley/internal/wake"
)

// doorway is a gate with a store in memory and two participants.
type doorway struct {
	t      *testing.T
	store  store.Store
	gate   *Gate
	ada    parley.Agent
	joiner parley.Agent
	log    *strings.Builder
}

// template is an empty database. To copy it takes less time than to make one.
var template = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "parley-gate-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "parley.db")
	st, err := sqlite.Open(path, sqlite.Options{Clock: func() time.Time { return time.UnixMicro(1) }}) // before any test
	if err != nil {
		return nil, err
	}
	if err := st.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// open makes a doorway. Its time is that of the machine, so that it passes in a bubble.
func open(t *testing.T, cfg Config) *doorway {
	t.Helper()
	path := filepath.Join(t.TempDir(), "parley.db")
	empty, err := template()
	if err == nil {
		err = os.WriteFile(path, empty, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	st, err := sqlite.Open(path, sqlite.Options{Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &doorway{t: t, store: st, log: &strings.Builder{}}
	if cfg.Store == nil {
		cfg.Store = st
	} else {
		cfg.Store = deaf{Store: st}
	}
	cfg.Log = slog.New(slog.NewTextHandler(d.log, nil))
	d.gate = New(cfg)
	d.update(func(tx *store.Tx) {
		d.ada = parley.Agent{Team: 1, Name: "Ada", Kind: parley.Person}
		d.joiner = parley.Agent{Team: 1, Name: "Joiner", Kind: parley.Client}
		tx.InsertAgent(&d.ada)
		tx.InsertAgent(&d.joiner)
	})
	return d
}

// deaf is a store whose signals are all lost.
type deaf struct{ store.Store }

func (deaf) Bus() *wake.Bus { return &wake.Bus{} }

// Shared: only the signals of other hubs can be lost.
func (deaf) Shared() bool { return true }

func (d *doorway) update(fn func(tx *store.Tx)) {
	d.t.Helper()
	if err := d.store.Update(context.Background(), func(tx *store.Tx) error { fn(tx); return nil }); err != nil {
		d.t.Fatal(err)
	}
}

// token makes one that ends after a time; 0 is never.
func (d *doorway) token(to parley.Agent, ends time.Duration) string {
	d.t.Helper()
	secret := token.New()
	d.update(func(tx *store.Tx) {
		t := parley.Token{Agent: to.ID}
		if ends != 0 {
			t.ExpiresAt = tx.Now.Add(ends)
		}
		tx.InsertToken(token.Hash(secret), t)
	})
	return secret
}

func (d *doorway) stored(secret string) (t parley.Token) {
	d.t.Helper()
	err := d.store.View(context.Background(), func(tx *store.Tx) (err error) {
		t, err = tx.TokenByHash(token.Hash(secret))
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return t
}

func (d *doorway) revoke(secret string) {
	t := d.stored(secret)
	d.update(func(tx *store.Tx) { tx.RevokeToken(t, d.ada.ID) })
}

// run runs the gate until the test ends.
func (d *doorway) run() {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); d.gate.Run(ctx) }()
	d.t.Cleanup(func() { stop(); <-done })
}

func request(from, secret string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/hub", nil)
	r.RemoteAddr = from
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	return r
}

// enter lets a request in and identifies it. The request stays open until leave.
func (d *doorway) enter(from, secret string) (ctx context.Context, leave func(), err error) {
	d.t.Helper()
	r, leave, err := d.gate.Enter(request(from, secret))
	if err != nil {
		d.t.Fatal(err)
	}
	_, err = d.gate.Identify(r)
	return r.Context(), leave, err
}

const here, there = "192.0.2.1:4000", "192.0.2.2:4000"

func TestIdentify(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		d := open(t, Config{Known: func(id parley.AgentID) bool { return id != 2 }})
		good, short, revoked, stranger := d.token(d.ada, 0), d.token(d.ada, time.Hour), d.token(d.ada, 0), d.token(d.joiner, 0)
		d.revoke(revoked)
		if c, err := d.gate.Identify(request(here, good)); c != (access.Caller{Team: 1, Agent: d.ada.ID}) || err != nil {
			t.Errorf("%+v, %v", c, err)
		}
		if _, err := d.gate.Identify(request(here, short)); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		for what, c := range map[string]struct{ secret, says, challenge string }{
			"none":     {"", "The request has no token.", `Bearer realm="parley"`},
			"unknown":  {token.New(), "This token is not known here.", `error="invalid_token"`},
			"mangled":  {good + "x", "This token is not known here.", `error="invalid_token"`},
			"revoked":  {revoked, "This token was revoked.", `error_description="This token was revoked. A person`},
			"expired":  {short, "This token has expired.", `error="invalid_token"`},
			"stranger": {stranger, "The owner of this token is not in the files of this hub.", `error="invalid_token"`},
		} {
			c2, err := d.gate.Identify(request(here, c.secret))
			if parley.KindOf(err) != parley.Unauthentic || !strings.HasPrefix(err.Error(), c.says) || c2 != (access.Caller{}) {
				t.Errorf("%s: %+v, %v", what, c2, err)
			}
			challenge := Headers(err).Get("WWW-Authenticate")
			if !strings.HasPrefix(challenge, `Bearer realm="parley"`) || !strings.Contains(challenge, c.challenge) {
				t.Errorf("%s: %s", what, challenge)
			}
			if what == "none" && challenge != c.challenge {
				t.Errorf("a request without a token is told %s", challenge)
			}
			if what != "stranger" && !strings.Contains(err.Error(), "parley token create") {
				t.Errorf("%s does not say how to get one: %v", what, err)
			}
			if c.secret != "" && strings.Contains(err.Error()+challenge+d.log.String(), c.secret) {
				t.Errorf("%s: the token is repeated", what)
			}
		}
	})
}

// A program that goes on with a token that has ended keeps nobody beside it out, after a
// restart of the hub either.
func TestATokenThatHasEndedPausesNobody(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		d := open(t, Config{Limits: Limits{Failures: 3}})
		old, fresh := d.token(d.ada, time.Minute), d.token(d.joiner, 0)
		time.Sleep(2 * time.Minute)
		for range 10 {
			if _, err := d.gate.Identify(request(here, old)); parley.KindOf(err) != parley.Unauthentic {
				t.Fatal(err)
			}
		}
		if _, err := d.gate.Identify(request(here, fresh)); err != nil {
			t.Error(err)
		}
	})
}

func TestWrongTokensPauseTheirAddressAndNobodyElse(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		d := open(t, Config{Limits: Limits{Failures: 3}})
		good, fresh := d.token(d.ada, 0), d.token(d.joiner, 0)
		if _, err := d.gate.Identify(request(here, good)); err != nil {
			t.Fatal(err)
		}
		wrong := func() error { _, err := d.gate.Identify(request(here, token.New())); return err }
		for range 3 {
			if err := wrong(); parley.KindOf(err) != parley.Unauthentic {
				t.Fatal(err)
			}
		}
		for pause := time.Second; pause < longestPause; pause *= 2 {
			err := wrong()
			if parley.KindOf(err) != parley.Limited || Headers(err).Get("Retry-After") != fmt.Sprint(int(pause.Seconds())) {
				t.Fatalf("after a pause of %v: %v, %v", pause/2, err, Headers(err))
			}
			// A right one passes, and what comes from elsewhere is not concerned.
			if _, err := d.gate.Identify(request(here, good)); err != nil {
				t.Errorf("known here: %v", err)
			}
			if _, err := d.gate.Identify(request(there, token.New())); parley.KindOf(err) != parley.Unauthentic && pause < 8*time.Second {
				t.Errorf("another address: %v", err)
			}
			time.Sleep(pause)
			if err := wrong(); parley.KindOf(err) != parley.Unauthentic {
				t.Fatalf("when the pause of %v is over: %v", pause, err)
			}
		}
		if _, err := d.gate.Identify(request(here, fresh)); err != nil {
			t.Errorf("a right token that was never used here, from the same address: %v", err)
		}
		if _, err := d.gate.Identify(request("192.0.2.3:1", fresh)); err != nil {
			t.Errorf("the same token from elsewhere: %v", err)
		}
		time.Sleep(forgiven + longestPause)
		for range 3 {
			if err := wrong(); parley.KindOf(err) != parley.Unauthentic {
				t.Errorf("it is not forgiven: %v", err)
			}
		}
		if strings.Count(d.log.String(), "192.0.2.1") != 2 || strings.Contains(d.log.String(), token.Prefix) {
			t.Errorf("the log is\n%s", d.log)
		}
	})
}

func TestWhatIsRememberedOfAddressesIsBounded(t *testing.T) {
	f := newFailures(1)
	now := time.Now()
	for i := range mostAddresses + 100 {
		r := request(fmt.Sprintf("[2001:db8:%x:%x::1]:1", i>>16, i&0xffff), "")
		f.wrong(New(Config{}).source(r), now.Add(time.Duration(i)))
	}
	if len(f.from) != mostAddresses {
		t.Errorf("%d addresses", len(f.from))
	}
}

func TestATokenThatIsTooFastIsToldToWait(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		d := open(t, Config{Limits: Limits{Requests: 2}})
		mine, other := d.token(d.ada, 0), d.token(d.ada, 0)
		for range 4 { // a burst of twice the rate
			if _, err := d.gate.Identify(request(here, mine)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := d.gate.Identify(request(here, mine))
		if parley.KindOf(err) != parley.Limited || Headers(err).Get("Retry-After") != "1" {
			t.Errorf("%v, %v", err, Headers(err))
		}
		if _, err := d.gate.Identify(request(here, other)); err != nil {
			t.Errorf("another token of the same owner: %v", err)
		}
		time.Sleep(500 * time.Millisecond)
		if _, err := d.gate.Identify(request(here, mine)); err != nil {
			t.Errorf("half a second later: %v", err)
		}
		if _, err := d.gate.Identify(request(here, mine)); err == nil {
			t.Error("and one more")
		}
	})
}

func TestATokenHasOnlySoManyRequestsOpen(t *testing.T) {
	d := open(t, Config{Limits: Limits{Streams: 2}})
	mine, other := d.token(d.ada, 0), d.token(d.joiner, 0)
	_, first, err := d.enter(here, mine)
	_, second, err2 := d.enter(here, mine)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	defer second()
	if _, third, err := d.enter(here, mine); parley.KindOf(err) != parley.Limited || Headers(err).Get("Retry-After") == "" {
		t.Errorf("a third: %v", err)
	} else {
		third()
	}
	_, leave, err := d.enter(here, other)
	if err != nil {
		t.Errorf("somebody else: %v", err)
	}
	leave()
	first()
	_, leave, err = d.enter(here, mine)
	if err != nil {
		t.Errorf("when one is over: %v", err)
	}
	leave()
}

// What waits with a token ends with the token: by the signal at once, and if that was
// lost, with the next look.
func TestWhatWaitsEndsWithItsToken(t *testing.T) {
	removed := func(d *doorway, _ string) time.Duration {
		d.joiner.Removed = true
		d.update(func(tx *store.Tx) { tx.UpdateAgent(d.joiner) })
		return lookEvery
	}
	revoked := func(within time.Duration) func(*doorway, string) time.Duration {
		return func(d *doorway, secret string) time.Duration { d.revoke(secret); return within }
	}
	for _, c := range []struct {
		name string
		cfg  Config
		end  func(d *doorway, secret string) (within time.Duration)
	}{
		{"revoked", Config{}, revoked(0)},
		{"revoked, and the signal is lost", Config{Store: deaf{}}, revoked(lookEvery)},
		{"expired", Config{}, func(*doorway, string) time.Duration { return time.Hour }},
		{"its owner is gone", Config{}, removed},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				d := open(t, c.cfg)
				d.run()
				mine, other := d.token(d.joiner, time.Hour), d.token(d.ada, 0)
				ctx, leave, err := d.enter(here, mine)
				if err != nil {
					t.Fatal(err)
				}
				defer leave()
				waiting, release := Until(ctx)
				defer release(nil)
				beside, leaveBeside, err := d.enter(here, other)
				if err != nil {
					t.Fatal(err)
				}
				defer leaveBeside()
				synctest.Wait()
				if waiting.Err() != nil || Ended(ctx) != nil {
					t.Fatal("it has ended before")
				}
				within := c.end(d, mine)
				synctest.Wait()
				if within > 0 {
					time.Sleep(within)
					synctest.Wait()
				}
				if waiting.Err() == nil || parley.KindOf(Ended(ctx)) != parley.Unauthentic {
					t.Errorf("it goes on: %v, %v", waiting.Err(), Ended(ctx))
				}
				if !errors.Is(context.Cause(waiting), Ended(ctx)) {
					t.Errorf("the cause is %v", context.Cause(waiting))
				}
				if ctx.Err() != nil {
					t.Error("the request itself was cut off")
				}
				if Ended(beside) != nil {
					t.Error("somebody else's has ended too")
				}
			})
		})
	}
}

func TestTheLastUseIsStoredSeldom(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		d := open(t, Config{})
		mine := d.token(d.ada, 0)
		use := func() {
			if _, err := d.gate.Identify(request(here, mine)); err != nil {
				t.Fatal(err)
			}
		}
		use()
		first := d.stored(mine).UsedAt
		if first == 0 {
			t.Fatal("the first use is not stored with its request")
		}
		d.run()
		time.Sleep(lookEvery)
		synctest.Wait()
		for range 4 {
			time.Sleep(time.Minute)
			use()
		}
		if got := d.stored(mine).UsedAt; got != first {
			t.Errorf("it was stored again after %v", got.Since(first))
		}
		time.Sleep(useEvery)
		use()
		time.Sleep(lookEvery)
		synctest.Wait()
		if got := d.stored(mine).UsedAt; got.Since(first) < useEvery {
			t.Errorf("it is still %v", got.Time())
		}
	})
}

// A token that was given another secret in the moment of its first use is not known.
func TestFirstUseOfAReplacedToken(t *testing.T) {
	d := open(t, Config{})
	mine := d.token(d.joiner, 0)
	use, err := token.Look(t.Context(), d.store, mine)
	if err != nil {
		t.Fatal(err)
	}
	d.update(func(tx *store.Tx) { tx.ReplaceToken(use.Token.ID, token.Hash(token.New())) })
	if err := use.First(t.Context(), d.store, mine); parley.RuleOf(err) != token.RuleUnknown {
		t.Errorf("the old secret: %v", err)
	}
}
