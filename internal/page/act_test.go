package page

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley"
)

// Every kind of error has its status, and only faults of the hub are logged.
func TestEveryKindOfErrorHasItsStatus(t *testing.T) {
	want := map[parley.Kind]int{
		parley.Invalid: http.StatusUnprocessableEntity, parley.NotFound: http.StatusNotFound, parley.Conflict: http.StatusConflict,
		parley.Denied: http.StatusForbidden, parley.Unavailable: http.StatusServiceUnavailable, parley.Limited: http.StatusTooManyRequests,
		parley.Timeout: http.StatusGatewayTimeout, parley.Failed: http.StatusBadGateway, parley.Unauthentic: http.StatusUnauthorized,
		parley.Internal: http.StatusInternalServerError,
	}
	var log strings.Builder
	d := &Door{Config: Config{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	r := httptest.NewRequest(http.MethodGet, "/tasks", nil)
	for _, kind := range parley.Kinds() {
		log.Reset()
		p := d.problem(r, parley.Errorf(kind, "It went wrong.").WithHint("Try again."))
		if p.Status != want[kind] || p.Hint != "" && p.Hint != "Try again." || (log.Len() > 0) != (p.Status == http.StatusInternalServerError) {
			t.Errorf("%v: %+v, logged %q", kind, p, log.String())
		}
	}
	if p := d.problem(r, errors.New("secret")); p.Status != http.StatusInternalServerError || strings.Contains(p.Error, "secret") || !strings.Contains(log.String(), "secret") {
		t.Errorf("a foreign error: %+v, logged %q", p, log.String())
	}
}

// Every form says whose page it stands on, and has a key. Only signing in and out do
// without: they are about whoever uses the browser.
func TestEveryFormSaysWhoseItIs(t *testing.T) {
	form := regexp.MustCompile(`(?s)<form[^>]*method="post"[^>]*action="([^"]*)".*?</form>`)
	found := 0
	err := fs.WalkDir(templateFiles, "templates", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(templateFiles, path)
		for _, f := range form.FindAllStringSubmatch(string(text), -1) {
			found++
			if f[1] != "/signin" && f[1] != "/signout" && strings.Count(f[0], `{{template "sent" `) != 1 {
				t.Errorf("%s: %s", path, f[0])
			}
		}
		return err
	})
	if err != nil || found < 30 {
		t.Errorf("%d forms: %v", found, err)
	}
}

func TestAFormLeadsNowhereElse(t *testing.T) {
	for _, c := range []struct{ from, want string }{
		{"http://hub.example/dm/Ada?at=1", "/dm/Ada?at=1"}, {"http://hub.example//evil.example/x", "/"},
		{"http://evil.example/x", "/"}, {"", "/"}, {"http://hub.example/signout", "/"},
	} {
		r := httptest.NewRequest("POST", "http://hub.example/say", nil)
		r.Header.Set("Referer", c.from)
		if got := (&visit{r: r}).back(""); got != c.want {
			t.Errorf("from %s to %s", c.from, got)
		}
	}
}

func TestALineIsLeftForOneSessionOnce(t *testing.T) {
	var l lines
	now := time.Now()
	l.leave(1, "Done.", now)
	l.leave(2, "Old.", now.Add(-2*lineLife))
	for _, c := range []struct {
		who  parley.SessionID
		want string
	}{{3, ""}, {2, ""}, {1, "Done."}, {1, ""}} {
		if got := l.take(c.who, now); got != c.want {
			t.Errorf("%d: %q", c.who, got)
		}
	}
	l.leave(4, "New.", now)
	if len(l.by) != 1 {
		t.Errorf("%d lines are kept", len(l.by))
	}
}
