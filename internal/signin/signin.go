// Package signin is the door by which browsers sign in: a link that works once, or a
// token, becomes a session, whose secret is in a cookie.
//
// A GET uses no link up, since chat programs and mail scanners open links as well: the
// page has a form, and posting it does. Whatever changes something has to come from a
// page of ours.
package signin

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"parley"
	"parley/internal/access"
	"parley/internal/gate"
	"parley/internal/session"
)

// Door signs browsers in and out.
type Door struct {
	Sessions *session.Service
	Gate     *gate.Gate
	Log      *slog.Logger
	// Render writes the page; nil has a plain one.
	Render func(w http.ResponseWriter, r *http.Request, status int, v View)
}

// Step is what the page asks for.
type Step string

const (
	Confirm Step = "confirm" // to sign in with the code of a link
	Token   Step = "token"   // for a token
	Again   Step = "again"   // nothing: it goes on to Next by itself
)

// View is what the page shows.
type View struct {
	Step Step
	Code string // of the link, for the form
	// Person is whom the link signs in.
	Person string
	// Auto says that a script may post the form at once. It may not if another site has led
	// here: it could sign somebody in as somebody else.
	Auto bool
	// Next is the path to go on to.
	Next string
	// Problem and Hint say what went wrong; they may be empty.
	Problem, Hint string
}

// The paths of the door.
const (
	Path        = session.SigninPath
	SignOutPath = "/signout"
)

// formBytes is more than any form here needs.
const formBytes = 16 << 10

// Handler serves Path and SignOutPath.
func (d *Door) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, d.show)
	mux.Handle("POST "+Path, d.Guard(http.HandlerFunc(d.signIn)))
	mux.Handle("POST "+SignOutPath, d.Guard(http.HandlerFunc(d.signOut)))
	return mux
}

// Guard refuses to change anything for a request that does not come from a page of ours.
func (d *Door) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet, http.MethodHead, http.MethodOptions:
		default:
			if !d.Gate.FromOwnPage(r) {
				http.Error(w, "Requests from other web sites are refused.", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// Enter finds out who asks for a page. If that is nobody it answers, and returns false.
func (d *Door) Enter(w http.ResponseWriter, r *http.Request) (access.Caller, parley.Session, bool) {
	c, s, err := d.Gate.Session(r)
	if err == nil {
		d.Keep(w, r)
		return c, s, true
	}
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case parley.KindOf(err) != parley.Unauthentic || !safe:
		d.refuse(w, r, View{Step: Token, Next: "/"}, err)
	case fromElsewhere(r):
		// A browser leaves the cookie out when a link of another site leads here. From
		// this page it sends it.
		d.render(w, r, http.StatusOK, View{Step: Again, Next: Local(r.URL.RequestURI())})
	default:
		http.Redirect(w, r, Path+"?"+url.Values{"next": {Local(r.URL.RequestURI())}}.Encode(), http.StatusSeeOther)
	}
	return access.Caller{}, parley.Session{}, false
}

// Keep gives the browser its cookie again, so that it does not end while it is in use.
func (d *Door) Keep(w http.ResponseWriter, r *http.Request) {
	cookie := d.cookie(r)
	if secret := cookie.Read(r); secret != "" {
		cookie.Write(w, r, secret)
	}
}

func (d *Door) cookie(r *http.Request) session.Cookie {
	return session.Cookie{Secure: d.Gate.Secure(r)}
}

func fromElsewhere(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "none" && site != "same-origin"
}

// show is the page with the form. It changes nothing.
func (d *Door) show(w http.ResponseWriter, r *http.Request) {
	v := View{Step: Token, Code: r.URL.Query().Get("code"), Next: Local(r.URL.Query().Get("next"))}
	_, _, failed := d.Gate.Session(r)
	if v.Code == "" {
		if failed == nil {
			http.Redirect(w, r, v.Next, http.StatusSeeOther)
			return
		}
		d.render(w, r, http.StatusOK, v)
		return
	}
	person, err := d.Sessions.Whose(r.Context(), v.Code)
	if err != nil {
		d.notOpened(w, r, v, err)
		return
	}
	v.Step, v.Person, v.Auto = Confirm, person, failed != nil && !fromElsewhere(r)
	d.render(w, r, http.StatusOK, v)
}

func (d *Door) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, formBytes)
	v := View{Step: Token, Next: "/"}
	if err := r.ParseForm(); err != nil {
		d.refuse(w, r, v, parley.Errorf(parley.Invalid, "The form cannot be read."))
		return
	}
	v.Next = Local(r.PostForm.Get("next"))
	v.Code = r.PostForm.Get("code")
	opened, err := d.open(r)
	if err != nil {
		d.notOpened(w, r, v, err)
		return
	}
	// The browser forgets the session that it had.
	if c, old, err := d.Gate.Session(r); err == nil {
		if _, err := d.Sessions.End(r.Context(), c, old.ID); err != nil {
			d.Log.Warn("a session that nobody has any more could not be ended", "session", old.ID, "error", err)
		}
	}
	d.cookie(r).Write(w, r, opened.Secret)
	http.Redirect(w, r, v.Next, http.StatusSeeOther)
}

// notOpened answers a link or a token that signs nobody in. A link that has been used is
// opened again by the back button, or with the tabs of yesterday: who is signed in goes on.
func (d *Door) notOpened(w http.ResponseWriter, r *http.Request, v View, err error) {
	said := d.Gate.Guessed(r, err)
	if v.Code != "" && parley.KindOf(err) == parley.Unauthentic {
		if _, _, failed := d.Gate.Session(r); failed == nil {
			http.Redirect(w, r, v.Next, http.StatusSeeOther)
			return
		}
	}
	d.refuse(w, r, v, said)
}

// open signs in with what the form has.
func (d *Door) open(r *http.Request) (session.Opened, error) {
	if code := r.PostForm.Get("code"); code != "" {
		return d.Sessions.Open(r.Context(), code, r.UserAgent())
	}
	return d.Sessions.OpenWithToken(r.Context(), strings.TrimSpace(r.PostForm.Get("token")), r.UserAgent())
}

func (d *Door) signOut(w http.ResponseWriter, r *http.Request) {
	c, s, err := d.Gate.Session(r)
	if err == nil {
		_, err = d.Sessions.End(r.Context(), c, s.ID)
	}
	if kind := parley.KindOf(err); err != nil && kind != parley.Unauthentic && kind != parley.NotFound {
		d.refuse(w, r, View{Step: Token, Next: "/"}, err)
		return
	}
	d.cookie(r).Remove(w, r)
	http.Redirect(w, r, Path, http.StatusSeeOther)
}

// Local is a path of ours to go on to; / if it could lead elsewhere.
func Local(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsFunc(next, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) || u.Path == Path || u.Path == SignOutPath {
		return "/"
	}
	return next
}
