package page

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/page/markup"
	"parley/internal/signin"
)

// Done is the outcome of a form.
type Done struct {
	Go   string `json:"go,omitempty"`   // the address that shows it; empty for where the form was
	Said string `json:"said,omitempty"` // a line for the person; empty if the page shows it anyway
}

// readForm reads a form: whose page it stood on, and the key under which the visitor does
// its work once.
func (v *visit) readForm() error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, longestForm)
	err := v.r.ParseForm()
	if err == nil {
		err = v.r.ParseMultipartForm(longestForm)
	}
	if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
		return errTooLong
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return parley.Errorf(parley.Invalid, "The form cannot be read.").WithHint("Reload the page and send it again.")
	}
	// Who signs in takes over all tabs of the browser, and what others left in them.
	if whose := v.r.PostFormValue("person"); whose != "" && whose != v.person() {
		return parley.Errorf(parley.Conflict, "You are signed in as %s now.", v.whois(v.Agent).Name).WithHint("Load the page again.")
	}
	v.Key = v.r.PostFormValue("key")
	return nil
}

// done answers a form.
func (v *visit) done(d Done) {
	d.Said = markup.Plain(d.Said)
	fetched := v.r.Header.Get(fetchHeader) != ""
	if d.Said != "" && (!fetched || d.Go != "") {
		v.left.leave(v.session.ID, d.Said, v.now)
	}
	if fetched {
		writeJSON(v.w, http.StatusOK, d)
		return
	}
	http.Redirect(v.w, v.r, v.back(d.Go), http.StatusSeeOther)
}

// back is where to go after a form: the given address, or the page that it stood on.
func (v *visit) back(to string) string {
	if to != "" {
		return to
	}
	if from, err := url.Parse(v.r.Referer()); err == nil && from.Host == v.r.Host {
		return signin.Local(from.RequestURI())
	}
	return "/"
}

// lines are those that forms have left for the next view of a session. A cookie could
// carry them, but any server of the same machine could write one too, and speak with the
// voice of the hub.
type lines struct {
	mu sync.Mutex
	by map[parley.SessionID]line
}

type line struct {
	text string
	at   time.Time
}

// lineLife is how long a line waits for the next view.
const lineLife = time.Minute

func (l *lines) leave(s parley.SessionID, text string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.by, func(_ parley.SessionID, old line) bool { return now.Sub(old.at) > lineLife })
	if l.by == nil {
		l.by = map[parley.SessionID]line{}
	}
	l.by[s] = line{text, now}
}

// take is the line that the form before this view left, once.
func (l *lines) take(s parley.SessionID, now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.by[s]
	delete(l.by, s)
	if now.Sub(found.at) > lineLife {
		return ""
	}
	return markup.Line(found.text, 300)
}

// Problem is an error as a person reads it.
type Problem struct {
	Status int    `json:"-"`
	Error  string `json:"error"`
	Hint   string `json:"hint,omitempty"`
	// Renew tells the script that the key of the form was used for something else.
	Renew bool `json:"renew,omitempty"`
}

// statuses are those of the kinds of errors; all others are the hub's own fault.
var statuses = map[parley.Kind]int{
	parley.Invalid: http.StatusUnprocessableEntity, parley.NotFound: http.StatusNotFound, parley.Conflict: http.StatusConflict,
	parley.Denied: http.StatusForbidden, parley.Unavailable: http.StatusServiceUnavailable, parley.Limited: http.StatusTooManyRequests,
	parley.Timeout: http.StatusGatewayTimeout, parley.Failed: http.StatusBadGateway, parley.Unauthentic: http.StatusUnauthorized,
}

func (d *Door) problem(r *http.Request, err error) Problem {
	p := Problem{Status: http.StatusInternalServerError, Error: markup.Plain(parley.Public(err))}
	if e, ok := errors.AsType[*parley.Error](err); ok {
		if p.Hint = markup.Plain(e.Hint); strings.HasSuffix(p.Error, p.Hint) {
			p.Hint = "" // the sentence says it already
		}
		if status, known := statuses[e.Kind]; known {
			p.Status = status
		}
	}
	if p.Renew = errors.Is(err, access.ErrUsed); p.Renew {
		p.Error, p.Hint = "Something else was sent from this form before.", "Load the page again, and send it from there."
		if r.Header.Get(fetchHeader) != "" {
			p.Hint = "Send it once more."
		}
	}
	if p.Status == http.StatusInternalServerError && r.Context().Err() == nil {
		d.Log.Error("a page failed", "path", r.URL.Path, "error", err)
	}
	return p
}

// fail answers with what went wrong and what to do.
func (v *visit) fail(err error) {
	p := v.problem(v.r, err)
	if v.r.Header.Get(fetchHeader) != "" || len(v.only) > 0 {
		writeJSON(v.w, p.Status, p)
		return
	}
	v.only = nil
	v.renderStatus(p.Status, "problem", p)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the browser is gone
}
