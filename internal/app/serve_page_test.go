package app_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// visitor is a browser without script, in which the person of the hub has signed in.
type visitor struct {
	*running
	http.Client
}

func (r *running) visit() visitor {
	r.t.Helper()
	link, err := r.client().CreateLink(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		r.t.Fatal(err)
	}
	transport := &http.Transport{}
	r.t.Cleanup(transport.CloseIdleConnections)
	v := visitor{r, http.Client{Jar: jar, Transport: transport}}
	v.post("/signin", http.StatusOK, "code", strings.TrimPrefix(link.Path, "/signin?code="))
	return v
}

// get reads a page, which has to have that status.
func (v visitor) get(path string, status int) string {
	v.t.Helper()
	return v.send(http.MethodGet, path, status, nil)
}

// post sends a form, as pairs, and reads the page that comes of it.
func (v visitor) post(path string, status int, pairs ...string) string {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return v.send(http.MethodPost, path, status, form)
}

func (v visitor) send(method, path string, status int, form url.Values) string {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,application/xhtml+xml")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", v.URL)
	}
	resp, err := v.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if resp.StatusCode != status {
		v.t.Fatalf("%s %s: %s\n%s", method, path, resp.Status, body)
	}
	return string(body)
}

// says checks that a page has these words.
func says(t *testing.T, page string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(page, w) {
			t.Errorf("the page does not say %q:\n%s", w, page)
		}
	}
}

// Who has left the team is still found where it has spoken, and its page says so.
func TestThePagesOfSomebodyWhoHasLeft(t *testing.T) {
	dir := folder(t, "")
	r := up(t, configure(t, dir))
	r.answer()
	v := r.visit()
	if err := os.Remove(filepath.Join(dir, "agents", "DataBot.md")); err != nil {
		t.Fatal(err)
	}
	r.reload()
	says(t, v.get("/talk", http.StatusOK), `href="/dm/DataBot"`)
	talk := v.get("/dm/DataBot", http.StatusOK)
	says(t, talk, "42 million.", "DataBot has left the team")
	if strings.Contains(talk, `id="compose"`) {
		t.Error("one can write to somebody who has left")
	}
	says(t, v.get("/dm/DataBot/SlowBot", http.StatusOK), "DataBot has left the team")
	says(t, v.get("/agents/DataBot", http.StatusOK), "has left the team", "What was the revenue?")
	says(t, v.get("/agents/DataBot/history", http.StatusOK), "What was the revenue?")
	v.get("/agents/DataBot/cost", http.StatusOK)
	v.get("/agents/Nobody", http.StatusNotFound)
}

// The token of a client agent is shown once: sending the form again neither ends it nor
// shows another, which is made only by who asks for it.
func TestAFurtherTokenIsMadeOnlyIfAskedFor(t *testing.T) {
	r := up(t, configure(t, folder(t, "")))
	v := r.visit()
	form := []string{"name", "Zed", "description", "Helps.", "client", "claude", "profile", "standard", "key", "first"}
	says(t, v.post("/join", http.StatusOK, form...), "Zed may join", "parley_")
	again := v.post("/join", http.StatusConflict, form...)
	says(t, again, "Zed is there already; its profile", "shown once already", "Make a new token")
	further := []string{"name", "Zed", "client", "claude", "again", "1", "key", "second"}
	says(t, v.post("/join", http.StatusOK, further...), "Zed may join", "parley_")
	repeated := v.post("/join", http.StatusConflict, further...)
	says(t, repeated, "shown once already")
	if strings.Contains(again+repeated, "parley_") {
		t.Error("a token was shown again")
	}
}

// A person who opens an address of nothing sees a page with a way back; a program reads
// JSON.
func TestAnAddressOfNothing(t *testing.T) {
	v := up(t, configure(t, folder(t, ""))).visit()
	for _, path := range []string{"/nope", "/task/101"} {
		says(t, v.get(path, http.StatusNotFound), "There is nothing at "+path, `href="/"`)
	}
	if got := v.get("/v1/nope", http.StatusNotFound); !strings.HasPrefix(got, "{") {
		t.Errorf("the API answers %s", got)
	}
	says(t, v.post("/agents/DataBot/sleep", http.StatusConflict, "for", "999999h"), "more than ten years ahead")
}
