package page

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/reading"
)

// visit is one request of somebody who has signed in.
type visit struct {
	*Door
	access.Caller
	session parley.Session
	ctx     context.Context
	w       http.ResponseWriter
	r       *http.Request
	now     time.Time
	zone    *time.Location
	// only are the parts that the script asks for; empty for the whole view.
	only []string
	// cursor is where the stream of the view begins: what happens while the view is read
	// comes with it.
	cursor string
	who    map[parley.AgentID]Who
	agents map[parley.AgentID]reading.Agent
	// waiting is what waits for the visitor; nil until it is read.
	waiting *[]Need
	// approving and channels are read once, too.
	approving *[]reading.Approval
	channels  *[]reading.Group
}

// partsHeader names the parts of a view that are wanted, with commas between them.
const partsHeader = "Parley-Parts"

// fetchHeader says that the script asks, which reads the outcome of a form as JSON.
const fetchHeader = "Parley-Fetch"

// zoneCookie holds the browser's time zone, which the script sets. Times are the hub's
// until then.
const zoneCookie = "parley_zone"

// personHeader says in every answer whose it is. A page of somebody else loads itself
// again.
const personHeader = "Parley-Person"

// person stands for the visitor in forms and answers. It stays the same when they sign in
// again.
func (v *visit) person() string { return strconv.FormatInt(int64(v.Agent), 10) }

// enter finds out who asks; if it is nobody, the request is answered.
func (d *Door) enter(w http.ResponseWriter, r *http.Request) (*visit, bool) {
	var caller access.Caller
	var session parley.Session
	if asksForData(r) {
		var err error
		if caller, session, err = d.Gate.Session(r); err != nil {
			p := d.problem(r, err)
			writeJSON(w, p.Status, p)
			return nil, false
		}
	} else {
		var ok bool
		if caller, session, ok = d.Signin.Enter(w, r); !ok {
			return nil, false
		}
	}
	v := &visit{Door: d, Caller: caller, session: session, ctx: r.Context(), w: w, r: r, now: time.Now(), zone: time.Local, who: map[parley.AgentID]Who{}, agents: map[parley.AgentID]reading.Agent{}}
	w.Header().Set(personHeader, v.person())
	if c, err := r.Cookie(zoneCookie); err == nil {
		if name, err := url.QueryUnescape(c.Value); err == nil && name != "" && name != "Local" {
			if zone, err := time.LoadLocation(name); err == nil {
				v.zone = zone
			}
		}
	}
	if parts := r.Header.Get(partsHeader); parts != "" {
		v.only = strings.Split(parts, ",")
	}
	return v, true
}

// asksForData reports whether a script asks, which shows no page to the person.
func asksForData(r *http.Request) bool {
	return r.Header.Get(fetchHeader) != "" || r.Header.Get(partsHeader) != "" || r.URL.Path == streamPath
}

// wants reports whether a part is asked for, so that a view need not read what it does
// not show.
func (v *visit) wants(parts ...string) bool {
	return len(v.only) == 0 || slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(v.only, p) })
}

// Who is a participant as the page shows it.
type Who struct {
	Name, Kind string
	You        bool
	Gone       bool // it has left the team, as far as that was looked up
}

// Person reports whether it is a human.
func (w Who) Person() bool { return w.Kind == string(parley.Person) }

// Outside reports whether the hub does not run it.
func (w Who) Outside() bool {
	return w.Kind == string(parley.Client) || w.Kind == string(parley.Remote)
}

// Initials stand in its picture.
func (w Who) Initials() string {
	letters := []rune(w.Name)
	return string(letters[:min(2, len(letters))])
}

// URL is the address of its page.
func (w Who) URL() string { return "/agents/" + url.PathEscape(w.Name) }

// whois is a participant by id, also if it has left.
func (v *visit) whois(id parley.AgentID) Who {
	if w, ok := v.who[id]; ok {
		return w
	}
	name, kind := v.Reading.Who(v.ctx, id)
	w := Who{Name: name, Kind: string(kind), You: id == v.Agent}
	v.who[id] = w
	return w
}
