package page

import (
	"net/http"
	"strings"

	"parley"
)

// What belongs to no view: the page about oneself, the palette, and addresses that lead
// nowhere.

func (d *Door) registerFrame() {
	d.show("/you", "you", func(v *visit) (any, error) { return v.you() })
	d.act("/you/end", (*visit).endSession)
	d.act("/you/end-others", (*visit).endOthers)
	d.add(palettePath)
	d.mux.HandleFunc("GET "+palettePath, d.palette)
	d.add("/favicon.ico")
	d.mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) { d.assets.serve(w, r, "icon.svg") })
}

// registerUnknown answers what is asked for below the views and is none: within the
// frame, so that one finds the way back. It comes last, since it goes by the others.
func (d *Door) registerUnknown() {
	below := map[string]bool{}
	for _, path := range d.paths {
		top, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if top != "" && !strings.HasPrefix(top, "{") && top != "static" && !strings.Contains(top, ".") && !(rest == "" && "/"+top == streamPath) {
			below["/"+top+"/"] = true
		}
	}
	nothing := func(v *visit) (any, error) {
		return nil, parley.Errorf(parley.NotFound, "There is nothing at %s.", parley.Clip(v.r.URL.Path, 80)).WithHint("The address may be mistyped, or what was there is gone.")
	}
	for path := range below {
		d.show(path, "problem", nothing)
	}
	d.draw("/", "problem", nothing) // what is no other door's either
}
