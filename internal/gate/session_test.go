package gate

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/bubbletest"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/token"
)

// browser makes a session and a request of its browser.
func (d *doorway) browser(of parley.Agent, by parley.TokenID) (*http.Request, parley.Session) {
	d.t.Helper()
	secret := strings.Repeat("s", 40) + string(rune('a'+by%26)) + string(rune('a'+of.ID%26)) + "x"
	d.update(func(tx *store.Tx) { tx.InsertSession(token.Hash(secret), parley.Session{Agent: of.ID, Token: by}) })
	use, err := session.Look(d.t.Context(), d.store, secret)
	if err != nil {
		d.t.Fatal(err)
	}
	r := request(here, "")
	w := httptest.NewRecorder()
	session.Cookie{}.Write(w, r, secret)
	r.AddCookie(w.Result().Cookies()[0])
	return r, use.Session
}

// stay lets the request of a browser in, which stays open until leave.
func (d *doorway) stay(r *http.Request) (_ *http.Request, leave func()) {
	d.t.Helper()
	r, leave, err := d.gate.Enter(r)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, _, err := d.gate.Session(r); err != nil {
		d.t.Fatal(err)
	}
	return r, leave
}

func TestABrowserIsIdentifiedByItsCookie(t *testing.T) {
	d := open(t, Config{Known: func(id parley.AgentID) bool { return id != 2 }, Limits: Limits{Failures: 1}})
	r, s := d.browser(d.ada, 0)
	stranger, _ := d.browser(d.joiner, 0)
	if c, got, err := d.gate.Session(r); c != (access.Caller{Team: 1, Agent: d.ada.ID}) || got != s || err != nil {
		t.Errorf("%+v, %+v, %v", c, got, err)
	}
	if _, err := d.gate.Identify(r); parley.KindOf(err) != parley.Unauthentic {
		t.Errorf("a cookie is no token: %v", err)
	}
	// A cookie that has ended is no guess: it pauses nobody.
	for range 3 {
		if _, _, err := d.gate.Session(request(here, d.token(d.ada, 0))); parley.KindOf(err) != parley.Unauthentic {
			t.Errorf("a token is no cookie: %v", err)
		}
	}
	if _, _, err := d.gate.Session(stranger); parley.KindOf(err) != parley.Unauthentic || !strings.Contains(err.Error(), "not in the files of this hub") {
		t.Errorf("%v", err)
	}
}

// What waits in a browser ends with the session, with the token behind it, and with its
// owner; what waits in another goes on.
func TestWhatWaitsEndsWithItsSession(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    Config
		within time.Duration
		end    func(d *doorway, s parley.Session, secret string)
	}{
		{"ended", Config{}, 0, func(d *doorway, s parley.Session, _ string) { d.update(func(tx *store.Tx) { tx.RemoveSession(s.ID) }) }},
		{"ended, and the signal is lost", Config{Store: deaf{}}, lookEvery, func(d *doorway, s parley.Session, _ string) { d.update(func(tx *store.Tx) { tx.RemoveSession(s.ID) }) }},
		{"its token is revoked", Config{}, 0, func(d *doorway, _ parley.Session, secret string) { d.revoke(secret) }},
		{"its token expires", Config{}, time.Hour + lookEvery, func(*doorway, parley.Session, string) {}},
		{"its owner is gone", Config{}, lookEvery, func(d *doorway, _ parley.Session, _ string) {
			d.joiner.Removed = true
			d.update(func(tx *store.Tx) { tx.UpdateAgent(d.joiner) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubbletest.Test(t, func(t *testing.T) {
				d := open(t, c.cfg)
				d.run()
				secret := d.token(d.joiner, time.Hour)
				mine, s := d.browser(d.joiner, d.stored(secret).ID)
				other, _ := d.browser(d.ada, 0)
				mine, leave := d.stay(mine)
				defer leave()
				other, leaveOther := d.stay(other)
				defer leaveOther()
				waiting, release := Until(mine.Context())
				defer release(nil)
				synctest.Wait()
				if waiting.Err() != nil || Ended(mine.Context()) != nil {
					t.Fatal("it has ended before")
				}
				c.end(d, s, secret)
				synctest.Wait()
				if c.within > 0 {
					time.Sleep(c.within)
					synctest.Wait()
				}
				if waiting.Err() == nil || parley.KindOf(Ended(mine.Context())) != parley.Unauthentic {
					t.Errorf("it goes on: %v, %v", waiting.Err(), Ended(mine.Context()))
				}
				if mine.Context().Err() != nil || Ended(other.Context()) != nil {
					t.Error("more has ended than that")
				}
			})
		})
	}
}

func TestTheUseOfASessionIsStoredEachMinute(t *testing.T) {
	bubbletest.Test(t, func(t *testing.T) {
		d := open(t, Config{})
		d.run()
		r, s := d.browser(d.ada, 0)
		use := func() parley.Session {
			_, s, err := d.gate.Session(r)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		for range 5 {
			time.Sleep(10 * time.Second)
			use()
		}
		time.Sleep(lookEvery)
		synctest.Wait()
		if got := use(); got.UsedAt != s.UsedAt {
			t.Errorf("it was stored again after %v", got.UsedAt.Since(s.UsedAt))
		}
		time.Sleep(sessionUseEvery)
		use()
		time.Sleep(lookEvery)
		synctest.Wait()
		if got := use(); got.UsedAt.Since(s.UsedAt) < sessionUseEvery {
			t.Errorf("it is still %v", got.UsedAt.Time())
		}
	})
}

func TestWrongCodesPauseTheirAddress(t *testing.T) {
	g := New(Config{Log: open(t, Config{}).gate.cfg.Log, Limits: Limits{Failures: 2}})
	unknown := parley.Errorf(parley.Unauthentic, "No.").WithRule(session.RuleUnknown)
	for range 2 {
		if err := g.Guessed(request(here, ""), unknown); parley.KindOf(err) != parley.Unauthentic {
			t.Fatal(err)
		}
	}
	if err := g.Guessed(request(here, ""), unknown); parley.KindOf(err) != parley.Limited || Headers(err).Get("Retry-After") == "" {
		t.Errorf("%v", err)
	}
	if err := g.Guessed(request(there, ""), unknown); parley.KindOf(err) != parley.Unauthentic {
		t.Errorf("another address: %v", err)
	}
	if err := g.Guessed(request(here, ""), nil); err != nil {
		t.Errorf("a right one: %v", err)
	}
}

// Somebody who follows a link of another site is let in. Nothing else of other sites is.
func TestLinksOfOtherSites(t *testing.T) {
	g := New(Config{Host: "127.0.0.1"})
	for _, c := range []struct {
		method, site, mode, dest string
		want                     bool
	}{
		{"GET", "cross-site", "navigate", "document", true},
		{"HEAD", "same-site", "navigate", "document", true},
		{"GET", "none", "navigate", "document", true},
		{"POST", "cross-site", "navigate", "document", false},
		{"GET", "cross-site", "navigate", "iframe", false},
		{"GET", "cross-site", "no-cors", "image", false},
		{"GET", "cross-site", "cors", "empty", false},
		{"GET", "same-site", "cors", "empty", false},
		{"GET", "cross-site", "", "", false},
	} {
		r := request(here, "")
		r.Method = c.method
		for name, value := range map[string]string{"Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode, "Sec-Fetch-Dest": c.dest} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		if err := g.checkWay(r); (err == nil) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestFromOwnPage(t *testing.T) {
	public, err := url.Parse("https://parley.example.com")
	if err != nil {
		t.Fatal(err)
	}
	g := New(Config{Host: "127.0.0.1", PublicURL: public})
	for _, c := range []struct {
		site, origin string
		want         bool
	}{
		{"same-origin", "", true},
		{"same-origin", "http://127.0.0.1", true},
		{"", "http://127.0.0.1", true},
		{"", "https://parley.example.com", true},
		{"", "", false},
		{"none", "", false},
		{"same-site", "http://127.0.0.1", false},
		{"cross-site", "http://127.0.0.1", false},
		{"", "http://127.0.0.1:8080", false},
		{"", "http://parley.example.com", false},
		{"", "https://evil.example", false},
		{"", "null", false},
	} {
		r := request(here, "")
		r.Method = http.MethodPost
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if got := g.FromOwnPage(r); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestSecure(t *testing.T) {
	public, err := url.Parse("https://parley.example.com")
	if err != nil {
		t.Fatal(err)
	}
	behind := New(Config{PublicURL: public, Proxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}})
	alone := New(Config{})
	for _, c := range []struct {
		name       string
		gate       *Gate
		tls        bool
		from, host string
		proto      string
		want       bool
	}{
		{"TLS", alone, true, there, "127.0.0.1", "", true},
		{"plain", alone, false, here, "127.0.0.1", "https", false},
		{"a proxy that says so", behind, false, here, "127.0.0.1:7420", "https", true},
		{"a proxy that passes the name on", behind, false, here, "parley.example.com", "", true},
		{"a proxy on this machine", behind, false, "127.0.0.1:4", "parley.example.com", "", true},
		{"a plain caller on this machine", behind, false, "127.0.0.1:4", "127.0.0.1:7420", "", false},
		{"a proxy that was called plainly", behind, false, here, "127.0.0.1:7420", "http", false},
		{"somebody else who says so", behind, false, there, "parley.example.com", "https", false},
	} {
		r := request(c.from, "")
		r.Host, r.TLS = c.host, nil
		if c.tls {
			r.TLS = &tls.ConnectionState{}
		}
		if c.proto != "" {
			r.Header.Set("X-Forwarded-Proto", c.proto)
		}
		if got := c.gate.Secure(r); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
