package app_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Whoever has signed in stays in when the hub is started anew.
func TestABrowserStaysSignedInOverARestart(t *testing.T) {
	dir := folder(t, "")
	r := up(t, configure(t, dir))
	link, err := r.client().CreateLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	send := func(r *http.Request, err error) *http.Response {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp
	}
	code := strings.TrimPrefix(link.Path, "/signin?code=")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/signin", strings.NewReader(url.Values{"code": {code}}.Encode()))
	if err == nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", r.URL)
	}
	resp := send(req, err)
	if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		t.Fatalf("%s, %v", resp.Status, resp.Header)
	}
	cookie := resp.Cookies()[0]
	logged := r.log.String()
	r.down()
	transport.CloseIdleConnections()

	// The hub has another port now, and the port is in the name of the cookie.
	r = up(t, configure(t, dir))
	here, err := url.Parse(r.URL)
	if err != nil {
		t.Fatal(err)
	}
	cookie.Name = "parley_session_" + here.Port()
	req, err = http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL+"/signin?next=/tasks", nil)
	if err == nil {
		req.AddCookie(cookie)
	}
	if resp := send(req, err); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/tasks" {
		t.Errorf("%s, %v", resp.Status, resp.Header)
	}
	if logged += r.log.String(); strings.Contains(logged, code) || strings.Contains(logged, cookie.Value) {
		t.Errorf("the log has a secret: %s", logged)
	}
}
