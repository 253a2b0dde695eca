package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/api"
)

func TestSessionsOverHTTP(t *testing.T) {
	w := newWorld(t)
	ada, bob := w.as("Ada"), w.as("Bob")
	link, err := ada.CreateLink(t.Context())
	code, found := strings.CutPrefix(link.Path, "/signin?code=")
	if err != nil || !found || !link.Expires.Equal(noon.Add(10*60*1e9)) {
		t.Fatalf("%+v, %v", link, err)
	}
	opened, err := w.hub.Sessions.Open(t.Context(), code, "Firefox")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.hub.Sessions.OpenWithToken(t.Context(), w.tokens["Bob"], ""); err != nil {
		t.Fatal(err)
	}
	list, err := ada.Sessions(t.Context())
	want := api.Session{ID: "session-1", For: "Ada", Browser: "Firefox", Token: "token-1", Created: noon, Used: noon, Expires: noon.Add(parley.SessionIdle)}
	if err != nil || len(list) != 2 || list[0] != want || list[1].For != "Bob" || list[1].ID != "session-2" {
		t.Fatalf("%+v, %v", list, err)
	}

	// A person may end the session of another, as they may revoke a token, and all of
	// their own at once.
	if ended, err := bob.EndSession(t.Context(), opened.ID.String()); err != nil || ended.ID != "session-1" || ended.For != "Ada" {
		t.Errorf("%+v, %v", ended, err)
	}
	if _, err := bob.EndSession(t.Context(), "session-1"); parley.KindOf(err) != parley.NotFound {
		t.Errorf("it has ended: %v", err)
	}
	if ended, err := ada.EndSessions(t.Context()); err != nil || len(ended) != 0 {
		t.Errorf("%+v, %v", ended, err)
	}
	if ended, err := bob.EndSessions(t.Context()); err != nil || len(ended) != 1 || ended[0].ID != "session-2" {
		t.Errorf("%+v, %v", ended, err)
	}
	if list, err := ada.Sessions(t.Context()); err != nil || list == nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// A request whose answer was lost does not end in an error, and no key gives a link
// that somebody has out again.
func TestSessionsUnderAKey(t *testing.T) {
	w := newWorld(t)
	if _, err := w.hub.Sessions.OpenWithToken(t.Context(), w.tokens["Ada"], ""); err != nil {
		t.Fatal(err)
	}
	var answers []string
	for _, c := range []struct{ method, path string }{{"DELETE", "/v1/sessions/session-1"}, {"DELETE", "/v1/sessions/session-1"}, {"POST", "/v1/links"}, {"POST", "/v1/links"}} {
		req := w.request("Ada", c.method, c.path, "")
		req.Header.Set(api.KeyHeader, c.method)
		resp, body := w.send(req)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s %s: %d %s", c.method, c.path, resp.StatusCode, body)
		}
		answers = append(answers, body)
	}
	if !strings.Contains(answers[1], `"session-1"`) || answers[2] == answers[3] {
		t.Errorf("%q", answers)
	}
}
