package page

import (
	"net/http"

	"parley"
	"parley/internal/page/markup"
)

// choice is somebody or a channel that a composer offers.
type choice struct {
	Name string `json:"name"`
	Note string `json:"note,omitempty"`
}

// choices is how many are offered at once.
const choices = 8

// complete answers what the word that is being written may mean.
func (d *Door) complete(w http.ResponseWriter, r *http.Request) {
	v, ok := d.enter(w, r)
	if !ok {
		return
	}
	found, err := v.Reading.Complete(v.ctx, v.Caller, parley.Clip(r.URL.Query().Get("q"), 70), choices)
	if err != nil {
		v.fail(err)
		return
	}
	list := make([]choice, 0, len(found))
	for _, f := range found {
		note := markup.Line(f.Note, 80)
		if note == "" && f.Kind != "" {
			note = "agent"
			if f.Kind == parley.Person {
				note = "person"
			}
		}
		list = append(list, choice{Name: f.Name, Note: note})
	}
	writeJSON(w, http.StatusOK, list)
}
