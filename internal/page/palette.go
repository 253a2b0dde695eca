package page

import (
	"net/http"
	"net/url"
	"strings"

	"parley"
	"parley/internal/page/markup"
	"parley/internal/reading"
)

const (
	palettePath = "/palette"
	// goals is how many addresses the palette offers at once.
	goals = 12
)

// goal is somewhere to go.
type goal struct {
	Name string `json:"name"`
	Note string `json:"note,omitempty"`
	URL  string `json:"url"`
}

// fixed are the views that one can always go to.
var fixed = []goal{
	{"Home", "what waits for you", "/"}, {"Talk", "all conversations", "/talk"}, {"Tasks", "trees of work", "/tasks"},
	{"Approvals", "what waits for a decision", "/approvals"}, {"Agents", "who is in the team", "/agents"}, {"Questions", "and who answered", "/questions"},
	{"Keepers", "what was put away", "/keepers"}, {"Graph", "who talks to whom", "/graph"}, {"Cost", "by agent, model and day", "/cost"},
	{"Search", "everything that was said", "/search"}, {"You", "sessions, notifications, sign out", "/you"},
}

// palette answers where one may want to go.
func (d *Door) palette(w http.ResponseWriter, r *http.Request) {
	r.Header.Set(fetchHeader, "1") // a script asks, and nobody else
	v, ok := d.enter(w, r)
	if !ok {
		return
	}
	list, err := v.goals(parley.Clip(strings.TrimSpace(r.URL.Query().Get("q")), 200))
	if err != nil {
		v.fail(err)
		return
	}
	writeJSON(w, http.StatusOK, list)
}

func (v *visit) goals(query string) ([]goal, error) {
	var found ranking
	found.want = parley.FoldName(strings.TrimLeft(query, "@#"))
	if g, ok := byID(query); ok {
		found.first = append(found.first, g)
	}
	if !strings.HasPrefix(query, "@") && !strings.HasPrefix(query, "#") {
		for _, g := range fixed {
			found.offer(g.Name, g)
		}
	}
	if query != "" {
		if err := v.offerNames(&found, query); err != nil {
			return nil, err
		}
	}
	return found.list(query), nil
}

// offerNames adds the participants and channels that match.
func (v *visit) offerNames(found *ranking, query string) error {
	if !strings.HasPrefix(query, "@") {
		groups, err := v.Reading.Groups(v.ctx, v.Caller)
		if err != nil {
			return err
		}
		for _, g := range groups {
			found.offer(g.Name, goal{Name: "#" + g.Name, Note: markup.Line(g.Topic, 80), URL: "/c/" + url.PathEscape(g.Name)})
		}
	}
	if strings.HasPrefix(query, "#") {
		return nil
	}
	agents, err := v.Reading.Agents(v.ctx, v.Caller)
	if err != nil {
		return err
	}
	for _, a := range agents {
		if a.ID != v.Agent {
			found.offer(a.Name, goal{Name: a.Name, Note: noteOf(a), URL: "/agents/" + url.PathEscape(a.Name)})
		}
	}
	return nil
}

func noteOf(a reading.Agent) string {
	if a.Kind == parley.Person {
		return "person"
	}
	return stateOf(a.Status).Word
}

// byID is where an id leads.
func byID(query string) (goal, bool) {
	kind, _, _ := strings.Cut(query, "-")
	for prefix, at := range map[string]string{"task": "/tasks/", "msg": "/messages/", "approval": "/approvals/", "query": "/questions/", "keeper": "/keepers/"} {
		if kind == prefix && len(query) > len(prefix)+1 {
			return goal{Name: markup.Line(query, 60), Note: "by its id", URL: at + url.PathEscape(query)}, true
		}
	}
	if id, err := parley.ParseTaskID("task-" + query); err == nil {
		return goal{Name: id.String(), Note: "by its number", URL: "/tasks/" + url.PathEscape(id.String())}, true
	}
	return goal{}, false
}

// ranking orders what matches: what begins with the word before what has it within.
type ranking struct {
	want          string
	first, second []goal
}

func (r *ranking) offer(name string, g goal) {
	switch name = parley.FoldName(name); {
	case strings.HasPrefix(name, r.want):
		r.first = append(r.first, g)
	case strings.Contains(name, r.want):
		r.second = append(r.second, g)
	}
}

// list ends with a search for the words themselves.
func (r *ranking) list(query string) []goal {
	list := append(r.first, r.second...)
	if query == "" {
		return list
	}
	return append(list[:min(len(list), goals-1)], goal{Name: "Search for “" + markup.Line(query, 60) + "”", URL: "/search?q=" + url.QueryEscape(query)})
}
