package signin_test

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/app"
	"parley/internal/gate"
	"parley/internal/signin"
	"parley/internal/store/memtest"
	"parley/internal/token"
)

// porch is a door with Ada, Bob and an agent program.
type porch struct {
	t    *testing.T
	hub  *app.Hub
	team parley.TeamID
	door *signin.Door
	view signin.View // what was rendered last
	log  *strings.Builder
}

func build(t *testing.T) *porch {
	t.Helper()
	p := &porch{t: t, log: &strings.Builder{}}
	log := slog.New(slog.NewTextHandler(p.log, nil))
	st := memtest.Open(t)
	p.hub = app.NewHub(app.HubConfig{Store: st, Log: log, Unindexed: true})
	team, err := p.hub.Join(t.Context(), app.Roster{Team: "main", Members: []app.Member{
		{Name: "Ada", Kind: parley.Person, Limits: parley.DefaultLimits()}, {Name: "Bob", Kind: parley.Person, Limits: parley.DefaultLimits()},
		{Name: "Joiner", Kind: parley.Client, Limits: parley.DefaultLimits()}}})
	if err != nil {
		t.Fatal(err)
	}
	p.team = team.ID
	g := gate.New(gate.Config{Store: st, Log: log, Host: "127.0.0.1", Limits: gate.Limits{Failures: 4}})
	p.door = &signin.Door{Sessions: p.hub.Sessions, Gate: g, Log: log, Render: func(w http.ResponseWriter, _ *http.Request, status int, v signin.View) {
		p.view = v
		w.WriteHeader(status)
	}}
	return p
}

func (p *porch) as(name string) access.Caller {
	p.t.Helper()
	e, err := p.hub.Directory.Find(p.team, name)
	if err != nil {
		p.t.Fatal(err)
	}
	return access.Caller{Team: p.team, Agent: e.ID}
}

func (p *porch) code(name string) string {
	p.t.Helper()
	l, err := p.hub.Sessions.Link(p.t.Context(), p.as(name), 0)
	if err != nil {
		p.t.Fatal(err)
	}
	return l.Code
}

func (p *porch) token(name string) string {
	p.t.Helper()
	made, err := p.hub.Tokens.Create(p.t.Context(), p.as("Ada"), token.Request{For: name})
	if err != nil {
		p.t.Fatal(err)
	}
	return made.Secret
}

func (p *porch) sessions() int {
	p.t.Helper()
	list, err := p.hub.Sessions.List(p.t.Context(), p.as("Ada"))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(list)
}

const origin = "http://127.0.0.1:7420"

func get(path string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, origin+path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// post is a form of our own page.
func post(path string, form url.Values) *http.Request {
	r := httptest.NewRequest(http.MethodPost, origin+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", origin)
	return r
}

func (p *porch) do(r *http.Request) *http.Response {
	p.t.Helper()
	p.view = signin.View{}
	w := httptest.NewRecorder()
	p.door.Handler().ServeHTTP(w, r)
	return w.Result()
}

// in signs somebody in and returns the cookie.
func (p *porch) in(name string) *http.Cookie {
	p.t.Helper()
	resp := p.do(post("/signin", url.Values{"code": {p.code(name)}}))
	if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		p.t.Fatalf("%d, %v, %+v", resp.StatusCode, resp.Cookies(), p.view)
	}
	return resp.Cookies()[0]
}

func TestOnlyTheFormUsesALinkUp(t *testing.T) {
	p := build(t)
	code := p.code("Ada")
	path := "/signin?code=" + code
	for _, method := range []string{http.MethodHead, http.MethodGet, http.MethodGet} {
		r := get(path)
		r.Method = method
		resp := p.do(r)
		want := signin.View{Step: signin.Confirm, Code: code, Person: "Ada", Auto: true, Next: "/"}
		if resp.StatusCode != http.StatusOK || p.view != want || len(resp.Cookies()) != 0 {
			t.Errorf("%s: %d, %+v", method, resp.StatusCode, p.view)
		}
		if resp.Header.Get("Referrer-Policy") != "same-origin" || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v", resp.Header)
		}
	}
	if resp := p.do(post(path, url.Values{"next": {"/"}})); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a code in the address alone: %d", resp.StatusCode)
	}
	if n := p.sessions(); n != 0 {
		t.Fatalf("%d sessions", n)
	}
	resp := p.do(post("/signin", url.Values{"code": {code}, "next": {"/tasks/7?x=1"}}))
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/tasks/7?x=1" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	for _, r := range []*http.Request{get(path), post("/signin", url.Values{"code": {code}})} {
		resp := p.do(r)
		want := signin.View{Step: signin.Token, Next: "/", Problem: "This link has been used. Each opens the page once.", Hint: "Make a new one with: parley up --open"}
		if resp.StatusCode != http.StatusUnauthorized || p.view != want {
			t.Errorf("%s again: %d, %+v", r.Method, resp.StatusCode, p.view)
		}
	}
	if strings.Contains(p.log.String(), code) {
		t.Error("the log has the code")
	}
}

func TestTheCookie(t *testing.T) {
	p := build(t)
	plain := p.in("Ada")
	if plain.Name != "parley_session_7420" || !plain.HttpOnly || plain.Secure || plain.SameSite != http.SameSiteStrictMode ||
		plain.Path != "/" || plain.Domain != "" || plain.MaxAge != 30*24*60*60 || len(plain.Value) != 43 {
		t.Errorf("%+v", plain)
	}
	r := post("/signin", url.Values{"code": {p.code("Ada")}})
	r.TLS, r.Host = &tls.ConnectionState{}, "hub.example.net"
	r.Header.Set("Origin", "https://hub.example.net")
	cookies := p.do(r).Cookies()
	if len(cookies) != 1 || cookies[0].Name != "__Host-parley_session" || !cookies[0].Secure || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Path != "/" {
		t.Fatalf("%+v", cookies)
	}
	// Encrypted, only the cookie counts that nobody else can have set.
	r = get("/")
	r.TLS, r.Host = &tls.ConnectionState{}, "hub.example.net"
	r.AddCookie(&http.Cookie{Name: "parley_session", Value: cookies[0].Value})
	if _, _, err := p.door.Gate.Session(r); err == nil {
		t.Error("a cookie without its prefix is good enough")
	}
	r.AddCookie(cookies[0])
	if _, _, err := p.door.Gate.Session(r); err != nil {
		t.Error(err)
	}
}

func TestEnter(t *testing.T) {
	p := build(t)
	cookie := p.in("Ada")
	enter := func(r *http.Request) (*http.Response, bool) {
		p.view = signin.View{}
		w := httptest.NewRecorder()
		c, s, ok := p.door.Enter(w, r)
		if ok && (c != p.as("Ada") || s.Agent != c.Agent) {
			t.Errorf("%+v, %+v", c, s)
		}
		return w.Result(), ok
	}
	r := get("/tasks")
	r.AddCookie(cookie)
	resp, ok := enter(r)
	if kept := resp.Cookies(); !ok || len(kept) != 1 || kept[0].Value != cookie.Value || kept[0].MaxAge != cookie.MaxAge {
		t.Errorf("%v, %v", ok, resp.Cookies())
	}
	if resp, ok := enter(get("/tasks?of=Ada")); ok || resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/signin?next=%2Ftasks%3Fof%3DAda" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	// A browser that comes from another site leaves the cookie out.
	resp, ok = enter(get("/tasks?of=Ada", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"))
	if ok || resp.StatusCode != http.StatusOK || p.view != (signin.View{Step: signin.Again, Next: "/tasks?of=Ada"}) {
		t.Errorf("%d %+v", resp.StatusCode, p.view)
	}
	if resp, ok := enter(post("/posts", url.Values{"text": {"hello"}})); ok || resp.StatusCode != http.StatusUnauthorized || p.view.Problem == "" {
		t.Errorf("%d %+v", resp.StatusCode, p.view)
	}
	r = get("/signin?next=/tasks")
	r.AddCookie(cookie)
	if resp := p.do(r); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/tasks" {
		t.Errorf("whoever is in goes on: %d %v", resp.StatusCode, resp.Header)
	}
}

func TestOtherSitesSignNobodyInOrOut(t *testing.T) {
	p := build(t)
	code, cookie := p.code("Ada"), p.in("Ada")
	for name, headers := range map[string][]string{
		"another site":     {"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
		"an old browser":   {"Origin", "https://evil.example"},
		"a sandbox":        {"Origin", "null"},
		"another port":     {"Origin", "http://127.0.0.1:9999", "Sec-Fetch-Site", "same-site"},
		"nobody says":      {"Origin", ""},
		"a forged referer": {"Origin", "https://evil.example", "Referer", origin + "/signin"},
	} {
		for _, r := range []*http.Request{post("/signin", url.Values{"code": {code}}), post("/signout", nil)} {
			r.Header.Del("Origin")
			for i := 0; i < len(headers); i += 2 {
				if headers[i+1] != "" {
					r.Header.Set(headers[i], headers[i+1])
				}
			}
			r.AddCookie(cookie)
			if resp := p.do(r); resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) != 0 {
				t.Errorf("%s, %s: %d", name, r.URL.Path, resp.StatusCode)
			}
		}
	}
	if n := p.sessions(); n != 1 {
		t.Errorf("%d sessions", n)
	}
	if _, err := p.hub.Sessions.Whose(t.Context(), code); err != nil {
		t.Errorf("the link was used: %v", err)
	}
	// A link of another site is shown, but no script may go on with it by itself: it
	// would sign somebody in as somebody else.
	p.do(get("/signin?code="+code, "Sec-Fetch-Site", "cross-site"))
	if p.view.Step != signin.Confirm || p.view.Auto {
		t.Errorf("%+v", p.view)
	}
	r := get("/signin?code=" + code)
	r.AddCookie(cookie)
	p.do(r)
	if p.view.Step != signin.Confirm || p.view.Auto {
		t.Errorf("somebody is signed in: %+v", p.view)
	}
}

func TestTokensAndGuesses(t *testing.T) {
	p := build(t)
	bob := p.token("Bob")
	resp := p.do(post("/signin", url.Values{"token": {" " + bob + "\n"}, "next": {"//evil.example"}}))
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/" || len(resp.Cookies()) != 1 {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	resp = p.do(post("/signin", url.Values{"token": {p.token("Joiner")}}))
	if resp.StatusCode != http.StatusForbidden || !strings.Contains(p.view.Problem, "The page is for people.") || len(resp.Cookies()) != 0 {
		t.Errorf("%d %+v", resp.StatusCode, p.view)
	}
	for i, guess := range []*http.Request{
		post("/signin", url.Values{"token": {token.New()}}), post("/signin", url.Values{"code": {"x"}}), get("/signin?code=y"), post("/signin", nil),
	} {
		if resp := p.do(guess); resp.StatusCode != http.StatusUnauthorized || p.view.Problem == "" {
			t.Errorf("%d: %d %+v", i, resp.StatusCode, p.view)
		}
	}
	if resp := p.do(get("/signin?code=z")); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("it may go on guessing: %d %+v", resp.StatusCode, p.view)
	}
	if resp := p.do(post("/signin", url.Values{"token": {bob}})); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("a right one from the same address: %d", resp.StatusCode)
	}
	if resp := p.do(post("/signin", url.Values{"token": {strings.Repeat("x", 1<<20)}})); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a huge form: %d", resp.StatusCode)
	}
	if strings.Contains(p.log.String(), token.Prefix) {
		t.Errorf("the log has a token: %s", p.log)
	}
}

func TestSigningOut(t *testing.T) {
	p := build(t)
	cookie := p.in("Ada")
	r := post("/signout", nil)
	r.AddCookie(cookie)
	resp := p.do(r)
	if gone := resp.Cookies(); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/signin" || len(gone) != 1 || gone[0].MaxAge != -1 || gone[0].Name != cookie.Name {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	if n := p.sessions(); n != 0 {
		t.Errorf("%d sessions", n)
	}
	r = post("/signout", nil)
	r.AddCookie(cookie)
	if resp := p.do(r); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("twice: %d", resp.StatusCode)
	}
	// Whoever signs in anew leaves no session behind that nobody can use.
	r = post("/signin", url.Values{"code": {p.code("Ada")}})
	r.AddCookie(p.in("Bob"))
	if resp := p.do(r); resp.StatusCode != http.StatusSeeOther || p.sessions() != 1 {
		t.Errorf("%d, %d sessions", resp.StatusCode, p.sessions())
	}
	if resp := p.do(get("/signout")); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a link signs out: %d", resp.StatusCode)
	}
}

func TestNextStaysHere(t *testing.T) {
	p := build(t)
	for next, want := range map[string]string{
		"/": "/", "/tasks/7?a=b#c": "/tasks/7?a=b#c", "/a//b": "/a//b", "": "/", "tasks": "/", "//evil.example": "/", "/\\evil.example": "/",
		"https://evil.example/": "/", "javascript:alert(1)": "/", "/a\nSet-Cookie: x": "/", "/\t/evil.example": "/", "/signin?code=x": "/", "/signout": "/", "/%zz": "/",
	} {
		p.do(get("/signin?" + url.Values{"next": {next}}.Encode()))
		if p.view.Next != want {
			t.Errorf("%q leads to %q", next, p.view.Next)
		}
	}
}

// The plain page works without script, and what it is given stays text.
func TestThePlainPage(t *testing.T) {
	p := build(t)
	p.door.Render = nil
	const mark = `"><script>alert(1)</script>`
	for path, want := range map[string]string{
		"/signin": `name="token"`, "/signin?code=" + url.QueryEscape(mark): "This link is not known here.", "/signin?next=" + url.QueryEscape("/"+mark): `name="next"`,
		"/signin?code=" + p.code("Ada"): "Sign in as Ada",
	} {
		resp := p.do(get(path))
		text, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "<script") {
			t.Errorf("%s: %s", path, text)
		}
		if policy := resp.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%q", policy)
		}
	}
	w := httptest.NewRecorder()
	p.door.Enter(w, get("/tasks", "Sec-Fetch-Site", "cross-site"))
	if text := w.Body.String(); !strings.Contains(text, `<meta http-equiv="refresh" content="0; url=/tasks">`) || !strings.Contains(text, `href="/tasks"`) {
		t.Error(text)
	}
}

// A link that has been used is opened again by the back button, or with the tabs of
// yesterday. Who is signed in goes on; nobody else does.
func TestAUsedLinkLeadsOnWhoIsSignedIn(t *testing.T) {
	p := build(t)
	code := p.code("Ada")
	cookie := p.do(post("/signin", url.Values{"code": {code}})).Cookies()[0]
	for range 2 {
		again := get("/signin?code=" + code + "&next=/tasks")
		if resp := p.do(again); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("nobody: %d", resp.StatusCode)
		}
		form := post("/signin", url.Values{"code": {code}, "next": {"/tasks"}})
		for _, r := range []*http.Request{again, form} {
			r.AddCookie(cookie)
			if resp := p.do(r); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/tasks" {
				t.Errorf("%s: %d to %s", r.Method, resp.StatusCode, resp.Header.Get("Location"))
			}
		}
	}
	wrong := post("/signin", url.Values{"token": {"parley_wrong"}})
	wrong.AddCookie(cookie)
	if resp := p.do(wrong); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d", resp.StatusCode)
	}
}
