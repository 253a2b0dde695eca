package page

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"parley"
	"parley/internal/page/markup"
	"parley/internal/reading"
)

// Shell is what stands around every view.
type Shell struct {
	Team    string
	Me      Who
	Waiting int    // matters that the visitor decides or answers
	Unread  int    // conversations with something new for the visitor
	Matters []Need // what is new of both, for the notifications of the browser
	Groups  []Place
	Direct  []Place
	Said    string // the outcome of the form before
	Cursor  string // where the stream begins, so that nothing is missed since
	Version string
	Path    string // of this view, for forms that come back to it
	More    int    // conversations that the sidebar leaves out
	Paused  bool
}

// Place is a conversation in the sidebar.
type Place struct {
	Name, URL string
	With      []Who // of a dm
	Unread    int
	Names     bool // an unread message names the visitor, or asks
	Here      bool
}

// Two reports whether it is a dm of two others.
func (p Place) Two() bool { return len(p.With) == 2 }

// directs is how many dms the sidebar shows.
const directs = 12

func (v *visit) shell(here string) (Shell, error) {
	s := Shell{Me: v.whois(v.Agent), Version: v.Version, Path: v.r.URL.RequestURI()}
	s.Cursor = v.cursor
	if len(v.only) == 0 {
		s.Said = v.left.take(v.session.ID, v.now)
	}
	team, err := v.Reading.Team(v.ctx, v.Caller)
	if err != nil {
		return s, err
	}
	s.Team, s.Paused = team.Name, team.Paused
	if !v.wants("side", "tabs", "signal") {
		return s, nil
	}
	waits, err := v.waits()
	if err != nil {
		return s, err
	}
	s.Waiting, s.Matters = standing(waits), waits[max(0, len(waits)-matters):]
	if err := v.fillPlaces(&s, here, waits); err != nil {
		return s, err
	}
	s.Unread = unreadPlaces(s.Groups, waits[s.Waiting:])
	return s, nil
}

// standing is how many matters somebody stands still for. They come first; what follows
// is only to be read.
func standing(list []Need) int {
	if n := slices.IndexFunc(list, func(n Need) bool { return n.Kind == "news" }); n >= 0 {
		return n
	}
	return len(list)
}

// unreadPlaces is how many conversations hold something new: channels, and those that
// the visitor has mail from.
func unreadPlaces(groups []Place, news []Need) int {
	places := map[string]bool{}
	for _, g := range groups {
		if g.Unread > 0 {
			places["#"+g.Name] = true
		}
	}
	for _, n := range news {
		places[n.Place] = true
	}
	return len(places)
}

func (v *visit) fillPlaces(s *Shell, here string, waits []Need) error {
	return v.fillPlacesUpTo(s, here, waits, directs)
}

func (v *visit) fillPlacesUpTo(s *Shell, here string, waits []Need, directs int) error {
	groups, err := v.groups()
	if err != nil {
		return err
	}
	asked, news := map[string]bool{}, map[string]int{}
	for _, n := range waits {
		news[n.Place]++
		asked[n.Place] = asked[n.Place] || n.Kind == "ask"
	}
	for _, g := range groups {
		p := Place{Name: g.Name, URL: "/c/" + url.PathEscape(g.Name), Names: news["#"+g.Name] > 0}
		if g.Member {
			p.Unread = g.Unread
		}
		p.Here = here == p.URL
		s.Groups = append(s.Groups, p)
	}
	list, err := v.Reading.Talks(v.ctx, v.Caller, directs+1)
	if err != nil {
		return err
	}
	if len(list) > directs {
		s.More, list = 1, list[:directs]
	}
	for _, c := range list {
		p := v.direct(c, here)
		if len(p.With) == 1 {
			p.Unread, p.Names = news["@"+p.Name], asked["@"+p.Name]
		}
		s.Direct = append(s.Direct, p)
	}
	return nil
}

func (v *visit) direct(c reading.Talk, here string) Place {
	var p Place
	if i := slices.Index(c.Between[:], v.Agent); i >= 0 {
		other := v.whois(c.Between[1-i])
		p = Place{Name: other.Name, URL: "/dm/" + url.PathEscape(other.Name), With: []Who{other}}
	} else {
		a, b := v.whois(c.Between[0]), v.whois(c.Between[1])
		p = Place{Name: a.Name + ", " + b.Name, URL: "/dm/" + url.PathEscape(a.Name) + "/" + url.PathEscape(b.Name), With: []Who{a, b}}
	}
	p.Here = here == p.URL
	return p
}

// Need is one matter that waits for the visitor: an approval, a question, or news that
// names it.
type Need struct {
	Kind     string // "approval", "ask", "news"
	ID       string
	URL      string
	Who      Who
	What     string
	Options  []string
	Task     parley.TaskID
	Title    string
	TaskURL  string
	Place    string // "#channel" or "@name"
	PlaceURL string
	Since    parley.Micros
	Expires  parley.Micros
	Whole    bool // What is all of it: it can be decided in place
}

// Says is the matter in one line, for a notification.
func (n Need) Says() string {
	switch n.Kind {
	case "approval":
		return "wants to " + markup.Line(n.What, 160)
	case "ask":
		return "asks: " + markup.Line(n.What, 160)
	}
	return "in " + n.Place + ": " + markup.Line(n.What, 160)
}

// matters is how many of them can become notifications at once.
const matters = 20

// needs is how many matters home shows.
const needs = 100

// waits lists what waits for the visitor: what somebody stands still for first, the
// oldest first of each. It is read once for the view and its frame, so that both say the
// same.
func (v *visit) waits() ([]Need, error) {
	if v.waiting == nil {
		list, err := v.readWaits()
		if err != nil {
			return nil, err
		}
		v.waiting = &list
	}
	return *v.waiting, nil
}

func (v *visit) readWaits() (list []Need, err error) {
	approvals, err := v.decides()
	if err != nil {
		return nil, err
	}
	for _, a := range approvals {
		list = append(list, v.approvalNeed(a))
	}
	inbox, err := v.Reading.Inbox(v.ctx, v.Caller, needs)
	if err != nil {
		return nil, err
	}
	for _, asks := range []bool{true, false} {
		for _, item := range inbox {
			if item.Asks == asks {
				list = append(list, v.inboxNeed(item))
			}
		}
	}
	return list, nil
}

func (v *visit) approvalNeed(a reading.Approval) Need {
	return Need{Kind: "approval", ID: a.Name, URL: "/approvals/" + url.PathEscape(a.Name), Who: v.whois(a.Agent), What: wants(a),
		Task: a.Approval.Task, Since: a.CreatedAt, Expires: a.ExpiresAt, Whole: a.Left == 0}
}

func (v *visit) inboxNeed(item reading.InboxItem) Need {
	author := v.whois(item.Author)
	n := Need{Kind: "news", ID: item.ID.String(), Who: author, What: item.Body, Task: item.Task, Since: item.At, Whole: true}
	n.Place, n.PlaceURL = "@"+author.Name, "/dm/"+url.PathEscape(author.Name)
	if item.Place != "" {
		name := strings.TrimPrefix(item.Place, "#")
		n.Place, n.PlaceURL = "#"+name, "/c/"+url.PathEscape(name)
	}
	n.URL = n.PlaceURL + "#" + n.ID
	if item.Asks {
		n.Kind = "ask"
		n.choose()
	}
	return n
}

// nameTasks adds for which work matters are wanted.
func (v *visit) nameTasks(list []Need) error {
	ids := map[parley.TaskID]bool{}
	for _, n := range list {
		if n.Task != 0 {
			ids[n.Task] = true
		}
	}
	if len(ids) == 0 {
		return nil
	}
	titles, err := v.Reading.Titles(v.ctx, v.Caller, slices.Collect(maps.Keys(ids)))
	for i := range list {
		if n := &list[i]; n.Task != 0 {
			n.Title, n.TaskURL = titles[n.Task], "/tasks/"+n.Task.String()
		}
	}
	return err
}

// decides lists what waits for the visitor's decision, read once.
func (v *visit) decides() ([]reading.Approval, error) {
	if v.approving == nil {
		list, err := v.Reading.Deciding(v.ctx, v.Caller, needs)
		if err != nil {
			return nil, err
		}
		v.approving = &list
	}
	return *v.approving, nil
}

// groups lists the channels, read once.
func (v *visit) groups() ([]reading.Group, error) {
	if v.channels == nil {
		list, err := v.Reading.Groups(v.ctx, v.Caller)
		if err != nil {
			return nil, err
		}
		v.channels = &list
	}
	return *v.channels, nil
}
