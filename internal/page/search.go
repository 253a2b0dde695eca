package page

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/page/markup"
	"parley/internal/reading"
	"parley/internal/search"
)

func (d *Door) registerSearch() {
	d.show("/search", "search", func(v *visit) (any, error) { return v.search() })
}

// Search is what was looked for and what was found. Without words it is everything that
// happened, by time.
type Search struct {
	Query, By, In, Kind, Order string
	Span                       Span
	Hits                       []Match
	More                       string // the address of a longer list
	Behind                     int    // messages that are not in the index yet
	Incomplete                 bool
	Problem                    Problem // why nothing could be looked for
	Names                      []string
	Channels                   []Choice
	Feed                       []Told
	Older, Newest              string // addresses of further pages of the feed
}

func (s Search) Titled() (title, here string) {
	if s.Query != "" {
		return markup.Line(s.Query, 40) + " · Search", "/search"
	}
	return "Search", "/search"
}

// Match is one result.
type Match struct {
	ID, URL string
	Who     Who
	Where   string // where it was said
	At      parley.Micros
	Parts   []search.Part
	Task    parley.Task
	Mark    Mark
	More    int // other matches of the same task
	Keeper  parley.Keeper
}

const (
	searchPage    = 20
	searchLongest = 200
	// namesListed is how many names a field offers; beyond it they are only typed.
	namesListed = 200
)

var (
	searchKinds  = []Choice{{Value: "", Text: "Said and kept"}, {Value: "said", Text: "Said"}, {Value: "kept", Text: "Kept"}, {Value: "tasks", Text: "Tasks"}}
	searchOrders = []Choice{{Value: "", Text: "Best first"}, {Value: "newest", Text: "Newest first"}}
)

// Kinds are what can be looked for.
func (s Search) Kinds() []Choice { return chosen(searchKinds, s.Kind) }

// Orders are how results can be ordered.
func (s Search) Orders() []Choice { return chosen(searchOrders, s.Order) }

func chosen(list []Choice, value string) []Choice {
	list = slices.Clone(list)
	for i := range list {
		list[i].Chosen = list[i].Value == value
	}
	return list
}

func (v *visit) search() (out Search, err error) {
	q := v.r.URL.Query()
	out = Search{Query: strings.TrimSpace(q.Get("q")), By: strings.TrimPrefix(strings.TrimSpace(q.Get("by")), "@"), In: strings.TrimPrefix(strings.TrimSpace(q.Get("in")), "#"),
		Kind: q.Get("kind"), Order: q.Get("order")}
	if len(v.only) == 0 {
		if err := v.fillFilters(&out); err != nil {
			return out, err
		}
	}
	if out.Span, err = v.span("all", "hour", "day", "week", "month", "quarter"); err == nil {
		if out.Query == "" {
			err = v.everything(&out)
		} else {
			err = v.match(&out)
		}
	}
	// What was asked for in a wrong way is said beside the fields, where it is mended.
	if e, ok := errors.AsType[*parley.Error](err); ok && statuses[e.Kind] >= 400 && statuses[e.Kind] < 500 {
		out.Problem = v.problem(v.r, err)
		return out, nil
	}
	return out, err
}

func (v *visit) fillFilters(out *Search) error {
	agents, err := v.Reading.Agents(v.ctx, v.Caller)
	if err != nil {
		return err
	}
	if len(agents) <= namesListed {
		for _, a := range agents {
			out.Names = append(out.Names, a.Name)
		}
	}
	groups, err := v.Reading.Groups(v.ctx, v.Caller)
	for _, g := range groups {
		out.Channels = append(out.Channels, Choice{Value: g.Name, Text: "#" + g.Name, Chosen: strings.EqualFold(g.Name, out.In)})
	}
	return err
}

// match looks for the words.
func (v *visit) match(out *Search) error {
	most := v.number("n", searchPage, searchLongest)
	kinds, known := map[string][]search.Kind{"": {reading.Said, reading.Kept}, "said": {reading.Said}, "kept": {reading.Kept}, "tasks": {reading.Said}}[out.Kind]
	if !known {
		return parley.Errorf(parley.Invalid, "There is nothing called %q to look for.", parley.Clip(out.Kind, 40)).WithHint("It is said, kept or tasks.")
	}
	var list []reading.Found
	for _, kind := range kinds {
		found, err := v.Reading.Find(v.ctx, v.Caller, reading.Search{Text: out.Query, Agent: out.By, Channel: out.In, Since: micros(out.Span.Since), Until: micros(out.Span.Until),
			Newest: out.Order == "newest", Kind: kind, Tasks: out.Kind == "tasks", Limit: most + 1})
		if err != nil {
			return err
		}
		list = append(list, found.List...)
		out.Behind, out.Incomplete = out.Behind+found.Behind, out.Incomplete || found.Incomplete
	}
	if len(kinds) > 1 {
		slices.SortStableFunc(list, func(a, b reading.Found) int {
			if out.Order == "newest" {
				return cmp.Compare(b.At, a.At)
			}
			return cmp.Compare(b.Score, a.Score)
		})
	}
	if len(list) > most {
		list = list[:most]
		if most < searchLongest {
			out.More = v.here("n", strconv.Itoa(most+searchPage)) + "#hit-" + strconv.Itoa(most)
		}
	}
	for _, f := range list {
		out.Hits = append(out.Hits, v.hit(f, out.Kind == "tasks"))
	}
	return nil
}

func (v *visit) hit(f reading.Found, asTask bool) Match {
	h := Match{At: f.At, Task: f.Task, More: f.More, Parts: f.Excerpt()}
	if m, _, ok := f.Kept(); ok {
		h.Parts = partsWithoutHeader(m, h.Parts)
	}
	for i := range h.Parts {
		h.Parts[i].Text = markup.Plain(h.Parts[i].Text)
	}
	if f.Task.ID != 0 {
		h.Mark = stateOf(f.Task.State)
	}
	if m, of, ok := f.Kept(); ok {
		h.Who, h.Keeper, h.ID = v.whois(cmp.Or(m.Author, of.Owner)), of, m.Name()
		h.URL = "/keepers/" + of.ID.String() + "?at=" + strconv.Itoa(m.N) + "#kept-" + strconv.Itoa(m.N)
		h.Where = "kept in " + of.ID.String()
		return h
	}
	m := f.Message()
	h.Who, h.ID, h.URL = v.whois(m.Author), m.ID.String(), "/messages/"+url.PathEscape(m.ID.String())
	if asTask {
		h.ID, h.URL = f.Task.ID.String(), "/tasks/"+f.Task.ID.String()
	}
	switch c := f.Channel; {
	case c.Kind == parley.Group:
		h.Where = "in " + c.Place()
	case c.A != c.B && (m.Author == c.A || m.Author == c.B):
		h.Where = "to " + v.whois(c.Peer(m.Author)).Name
		if c.Peer(m.Author) == v.Agent {
			h.Where = "to you"
		}
	}
	return h
}
