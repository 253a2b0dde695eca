package page

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/internal/page/markup"
	"parley/internal/signin"
)

//go:embed templates
var templateFiles embed.FS

// views are the templates, one set for each view: the frame, the shared parts and its
// own file.
type views map[string]*template.Template

// parseViews reads all templates. They are part of the program, so a mistake in one is
// found by every test.
func parseViews(a assets, drawn *markup.Drawn) views {
	shared := template.New("").Funcs(functions(a, drawn))
	shared = template.Must(shared.ParseFS(templateFiles, "templates/shared/*.html"))
	out := views{}
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		set := template.Must(template.Must(shared.Clone()).ParseFS(templateFiles, name))
		out[strings.TrimSuffix(path.Base(name), ".html")] = set
	}
	return out
}

func functions(a assets, drawn *markup.Drawn) template.FuncMap {
	return template.FuncMap{
		"asset": a.url, "modules": a.modules, "markdown": drawn.HTML, "inline": markup.Line, "plain": markup.Plain, "code": markup.Code, "exact": markup.Exact, "exactLines": markup.ExactLines,
		"duration": duration, "money": money, "count": count, "plural": plural, "times": times, "dict": dict, "list": func(items ...any) []any { return items },
		"add": func(a, b int) int { return a + b }, "lower": strings.ToLower, "mark": stateOf, "browser": browserName, "escape": pathEscape, "runes": utf8.RuneCountInString,
	}
}

// dict makes the arguments of a template that takes several, as pairs.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: %d values", len(pairs))
	}
	out := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no name", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}

// Frame is what every template gets.
type Frame struct {
	Shell
	Title string // for the browser's tab
	Here  string // the entry of the sidebar that one is in
	View  any    // what the view shows
	v     *visit
}

// titled is a view that says how its tab is called and where in the sidebar it is.
type titled interface{ Titled() (title, here string) }

func (v *visit) render(name string, data any) { v.renderStatus(http.StatusOK, name, data) }

func (v *visit) renderStatus(status int, name string, data any) {
	set, ok := v.views[name]
	if !ok {
		v.Log.Error("there is no such view", "view", name)
		http.Error(v.w, "There is no such view.", http.StatusInternalServerError)
		return
	}
	f := Frame{View: data, v: v}
	if t, ok := data.(titled); ok {
		f.Title, f.Here = t.Titled()
	}
	var err error
	if f.Shell, err = v.shell(f.Here); err != nil && v.ctx.Err() == nil {
		v.Log.Error("the frame of a page failed", "path", v.r.URL.Path, "error", err)
	}
	var b bytes.Buffer
	if len(v.only) == 0 {
		err = set.ExecuteTemplate(&b, "page", f)
	}
	for _, part := range v.only {
		if set.Lookup(part) != nil {
			if err = set.ExecuteTemplate(&b, part, f); err != nil {
				break
			}
		}
	}
	if err != nil {
		v.Log.Error("a view failed", "view", name, "path", v.r.URL.Path, "error", err)
		http.Error(v.w, "This view could not be drawn.", http.StatusInternalServerError)
		return
	}
	writeHTML(v.w, v.r, status, b.Bytes())
}

// renderSignin draws the page for signing in, which stands outside the frame.
func (d *Door) renderSignin(w http.ResponseWriter, r *http.Request, status int, view signin.View) {
	secure(w.Header())
	var b bytes.Buffer
	if err := d.views["signin"].ExecuteTemplate(&b, "signin", view); err != nil {
		d.Log.Error("the page for signing in could not be drawn", "error", err)
		http.Error(w, "This page could not be drawn.", http.StatusInternalServerError)
		return
	}
	writeHTML(w, r, status, b.Bytes())
}

var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a level that exists
	return z
}}

// writeHTML sends a page, packed if it is worth it.
func writeHTML(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Vary", "Accept-Encoding, "+partsHeader)
	if len(body) < 1400 || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.WriteHeader(status)
		_, _ = w.Write(body) // the browser is gone
		return
	}
	h.Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(w)
	_, _ = z.Write(body)
	_ = z.Close()
}

// Person is whose page it is.
func (f Frame) Person() string { return f.v.person() }

// Key makes a form idempotent: a browser that sends it twice does once.
func (f Frame) Key() string { return rand.Text() }
