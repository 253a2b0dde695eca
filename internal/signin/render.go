package signin

import (
	"errors"
	"html/template"
	"net/http"

	"parley"
	"parley/internal/gate"
)

// statuses are those of the refusals that signing in knows; all others are faults of
// the hub.
var statuses = map[parley.Kind]int{
	parley.Invalid: http.StatusBadRequest, parley.Unauthentic: http.StatusUnauthorized, parley.Denied: http.StatusForbidden,
	parley.Limited: http.StatusTooManyRequests, parley.Unavailable: http.StatusServiceUnavailable,
}

// refuse shows the page with what went wrong.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, v View, err error) {
	status, known := statuses[parley.KindOf(err)]
	if !known {
		status = http.StatusInternalServerError
		d.Log.Error("signing in failed", "error", err)
	}
	if after := gate.Headers(err).Get("Retry-After"); after != "" {
		w.Header().Set("Retry-After", after)
	}
	v.Step, v.Code = Token, ""
	v.Problem = parley.Public(err)
	var e *parley.Error
	if errors.As(err, &e) {
		v.Problem, v.Hint = e.Message, e.Hint
	}
	d.render(w, r, status, v)
}

func (d *Door) render(w http.ResponseWriter, r *http.Request, status int, v View) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	// The address has the code in it. Without any referrer, browsers would not say either
	// where a form comes from.
	h.Set("Referrer-Policy", "same-origin")
	if d.Render != nil {
		d.Render(w, r, status, v)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	w.WriteHeader(status)
	_ = plain.Execute(w, v) // the browser is gone if this fails
}

// plain is the page of a hub that has no other.
var plain = template.Must(template.New("signin").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{{if eq .Step "again"}}<meta http-equiv="refresh" content="0; url={{.Next}}">{{end}}
<title>Sign in to parley</title>
<h1>parley</h1>
{{with .Problem}}<p role="alert">{{.}}</p>{{end}}
{{with .Hint}}<p>{{.}}</p>{{end}}
{{if eq .Step "again"}}<p><a href="{{.Next}}">Go on</a></p>{{else}}
<form method="post" action="/signin">
<input type="hidden" name="next" value="{{.Next}}">
{{if eq .Step "confirm"}}<input type="hidden" name="code" value="{{.Code}}">
<button>Sign in as {{.Person}}</button>{{else}}
<label>Your token <input type="password" name="token" autocomplete="current-password" required></label>
<button>Sign in</button>{{end}}
</form>{{end}}
</html>
`))
