package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/app"
	"parley/internal/token"
)

func TestOnlyAValidTokenIsSomebody(t *testing.T) {
	w := newWorld(t)
	for name, authorization := range map[string]string{
		"none":                "",
		"another scheme":      "Basic " + w.tokens["Ada"],
		"no secret":           "Bearer",
		"somebody's name":     "Bearer Ada",
		"an unknown token":    "Bearer " + token.New(),
		"a token and more":    "Bearer " + w.tokens["Ada"] + "x",
		"the hash of a token": "Bearer " + token.Hash(w.tokens["Ada"]),
	} {
		req := w.request("", http.MethodGet, "/v1/hub", "")
		if authorization != "" {
			req.Header.Set("Authorization", authorization)
		}
		resp, body := w.send(req)
		if resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") == "" || !strings.Contains(body, `"kind":"unauthentic"`) {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
	if strings.Contains(w.log.String(), token.Prefix) {
		t.Errorf("a token is in the log:\n%s", w.log)
	}
}

func TestNoParameterSaysWhoCalls(t *testing.T) {
	w := newWorld(t)
	status, body := w.do("Ada", http.MethodPost, "/v1/contacts", `{"action": "notify", "agent": "Bob", "message": "Hello.", "author": "CoordinatorBot"}`)
	if status != http.StatusUnprocessableEntity {
		t.Errorf("an author in the body: %d %s", status, body)
	}
}

func TestWhoLeftTheTeamIsNobody(t *testing.T) {
	w := newWorld(t)
	if _, err := w.hub.Join(t.Context(), app.Roster{Team: "main"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.as("Ada").Hub(t.Context()); parley.KindOf(err) != parley.Unauthentic {
		t.Errorf("got %v", err)
	}
}

func TestRequestsThatABrowserMakesForAnotherSiteAreRefused(t *testing.T) {
	w := newWorld(t)
	own := strings.TrimPrefix(w.url, "http://")
	for _, c := range []struct {
		name, header, value string
		want                int
	}{
		{"another name", "Host", "evil.example", http.StatusForbidden},
		{"another origin", "Origin", "https://evil.example", http.StatusForbidden},
		{"an opaque origin", "Origin", "null", http.StatusForbidden},
		{"another port of this machine", "Origin", "http://127.0.0.1:1", http.StatusForbidden},
		{"a cross-site fetch", "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"a same-site fetch", "Sec-Fetch-Site", "same-site", http.StatusForbidden},
		{"the own origin", "Origin", "http://" + own, http.StatusOK},
		{"a same-origin fetch", "Sec-Fetch-Site", "same-origin", http.StatusOK},
		{"a typed address", "Sec-Fetch-Site", "none", http.StatusOK},
		{"localhost", "Host", "localhost:9999", http.StatusOK},
	} {
		req := w.request("Ada", http.MethodGet, "/v1/hub", "")
		if req.Header.Set(c.header, c.value); c.header == "Host" {
			req.Host = c.value
		}
		if resp, body := w.send(req); resp.StatusCode != c.want || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %s", c.name, resp.StatusCode, body)
		}
	}
}

func TestSizes(t *testing.T) {
	w := newWorld(t)
	ada := w.as("Ada")
	contact := func(message string) (int, string) {
		return w.do("Ada", http.MethodPost, "/v1/contacts", `{"action": "notify", "agent": "Bob", "message": "`+message+`"}`)
	}
	if status, body := contact(strings.Repeat(`\u0041`, 1<<10)); status != http.StatusOK {
		t.Errorf("the largest message, spelled at its longest: %d %s", status, body)
	}
	if status, body := contact(strings.Repeat("A", 1<<10+1)); status != http.StatusTooManyRequests || !strings.Contains(body, "the limit is 1024") {
		t.Errorf("one byte too many: %d %s", status, body)
	}
	status, body := contact(strings.Repeat("A", 2*parley.AttachmentBytes+1<<20)) // an attachment may be in it
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(body, `"kind":"limited"`) || !strings.Contains(body, "bytes") {
		t.Errorf("far too many: %d %s", status, body)
	}
	list, err := ada.Read(t.Context(), "", "Bob", 10)
	if err != nil || len(list) != 1 {
		t.Errorf("%d messages were stored, %v", len(list), err)
	}
}

func TestOnlyJSONIsUnderstood(t *testing.T) {
	w := newWorld(t)
	req := w.request("Ada", http.MethodPost, "/v1/contacts", `{"action": "notify", "agent": "Bob", "message": "Hello."}`)
	req.Header.Set("Content-Type", "text/plain")
	if resp, body := w.send(req); resp.StatusCode != http.StatusUnsupportedMediaType || !strings.Contains(body, "application/json") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestAnAddressThatIsNoHub(t *testing.T) {
	c := client.New("http://127.0.0.1:1", "parley_x")
	defer c.Close()
	_, err := c.Hub(t.Context())
	if parley.KindOf(err) != parley.Unavailable || !strings.Contains(err.Error(), "parley up") {
		t.Errorf("got %v", err)
	}
}
