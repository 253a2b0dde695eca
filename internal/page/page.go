// Package page is the door for browsers: it decodes a request, calls one use case and
// writes HTML. A view is a template and a function that fills it. Reading and writing
// work without script; with it, the same views are kept up to date.
//
// A view is made of parts. A part is a template whose element has the template's name as
// its id, and names in data-live what it shows. The stream at /stream says what has
// changed; the script then asks for the same address again, for those parts alone, and
// takes over what differs. So there is one way to draw anything, and what was missed
// while the connection was lost comes with the next look.
//
// A Door may be used from any goroutine.
package page

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"parley"
	"parley/internal/change"
	"parley/internal/channel"
	"parley/internal/contact"
	"parley/internal/gate"
	"parley/internal/keeper"
	"parley/internal/page/markup"
	"parley/internal/reading"
	"parley/internal/rulebook"
	"parley/internal/session"
	"parley/internal/signin"
	"parley/internal/token"
)

// Config is what a Door shows and does.
type Config struct {
	Reading  *reading.Service
	Contacts *contact.Service
	Channels *channel.Service
	Keepers  *keeper.Service
	Changes  *change.Service
	Tools    *reading.Tools
	Tokens   *token.Service
	// Rules are those of a team; nil if the hub has no files of it.
	Rules    func(parley.TeamID) *rulebook.Service
	Sessions *session.Service
	// Signin and Gate say who looks. The page of the former is drawn here.
	Signin *signin.Door
	Gate   *gate.Gate

	Log     *slog.Logger
	Version string
}

// Door answers browsers.
type Door struct {
	Config
	mux    *http.ServeMux
	views  views
	assets assets
	paths  []string
	// stopping ends the streams.
	stopping context.Context
	stop     context.CancelFunc
	tallies  tallies
	drawn    *markup.Drawn
	left     lines
}

// New makes the door.
func New(cfg Config) *Door {
	d := &Door{Config: cfg, mux: http.NewServeMux(), assets: packAssets(), drawn: markup.NewDrawn(8 << 20)}
	d.stopping, d.stop = context.WithCancel(context.Background())
	d.views = parseViews(d.assets, d.drawn)
	d.registerHome()
	d.registerFind()
	d.registerTasks()
	d.registerApprovals()
	d.registerAsks()
	d.registerAgents()
	d.registerJoin()
	d.registerFrame()
	d.registerTalk()
	d.registerMembers()
	d.mux.HandleFunc("GET "+streamPath, d.stream)
	d.mux.Handle("GET /static/", d.assets)
	d.paths = append(d.paths, streamPath, "/static/")
	cfg.Signin.Render = d.renderSignin
	d.registerUnknown()
	return d
}

// Stop ends the streams, which would go on for ever. All other requests end by
// themselves.
func (d *Door) Stop() { d.stop() }

// Forget drops what was made of texts, of which one was redacted.
func (d *Door) Forget() { d.drawn.Forget() }

// Paths are those that the door answers, as patterns for a ServeMux.
func (d *Door) Paths() []string { return slices.Compact(slices.Sorted(slices.Values(d.paths))) }

// ServeHTTP answers a request. What a page may do is said for every answer: it runs our
// own script, asks nobody else for anything, and stands in nobody's frame.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	d.mux.ServeHTTP(w, r)
}

func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "+
		"form-action 'self'; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
}

// show registers a view: fill is asked for what the template of that name shows.
func (d *Door) show(path, name string, fill func(*visit) (any, error)) {
	d.add(path)
	d.draw(path, name, fill)
}

// draw is show for an address that is not the door's own.
func (d *Door) draw(path, name string, fill func(*visit) (any, error)) {
	d.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		v, ok := d.enter(w, r)
		if !ok {
			return
		}
		var err error
		if v.cursor, err = v.Reading.Latest(v.ctx); err != nil {
			v.fail(err)
			return
		}
		data, err := fill(v)
		if err != nil {
			v.fail(err)
			return
		}
		v.render(name, data)
	})
}

// act registers what a form does. It returns the address to go to, which shows the
// outcome.
func (d *Door) act(path string, do func(*visit) (Done, error)) {
	d.add(path)
	d.take(path, func(v *visit) error {
		done, err := do(v)
		if err == nil {
			v.done(done)
		}
		return err
	})
}

// take registers what reads a form and answers it, unless it returns an error.
func (d *Door) take(path string, do func(*visit) error) {
	d.mux.Handle("POST "+path, d.Signin.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, ok := d.enter(w, r)
		if !ok {
			return
		}
		err := v.readForm()
		if err == nil {
			err = do(v)
		}
		if err != nil {
			v.fail(err)
		}
	})))
}

func (d *Door) add(path string) { d.paths = append(d.paths, path) }
