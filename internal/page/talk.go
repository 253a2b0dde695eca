package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/reading"
)

// Talk is a conversation: a channel, a dm, or a thread.
type Talk struct {
	Name   string // as it is called: #report, DataBot
	About  string // what it is for
	Path   string
	Place  string // where the composer writes; empty if nobody can write here
	Hint   string // stands in the empty composer
	Note   string // who reads what is written, where that is not plain
	How    bool   // asking, handing over and notifying differ here
	Reply  string // the thread that the composer writes in, if it is not the main one
	Back   string // the conversation that a thread belongs to
	Unread bool
	Unseen string // what the visitor has not seen, with commas
	Count  int
	Said   []Said
	Again  []Said
	First  parley.MessageID // of what is shown
	Last   parley.MessageID
	Upto   int // the number of the last
	// ReadUpto is how far the visitor has read; -1 where that is not counted.
	ReadUpto int
	Earlier  string
	Later    string
	Thread   parley.ThreadID
	Between  []Who // of a dm
	Members  []Seat
	Threads  []ThreadRow
	Agents   bool   // it is a dm of two others
	Gone     string // who of the two has left the team, so that nobody writes here
	Manage   string // where the members of a channel are invited
}

func (t Talk) Titled() (title, here string) { return t.Name, t.Path }

// ThreadRow is another thread of the same dm.
type ThreadRow struct {
	URL   string
	ID    parley.ThreadID
	Count int
	Main  bool
	Here  bool
}

// talkPage is how many messages a page shows.
const talkPage = 50

func (d *Door) registerTalk() {
	d.show("/talk", "places", func(v *visit) (any, error) { return v.places() })
	d.show("/c/{name}", "talk", func(v *visit) (any, error) { return v.channel(v.r.PathValue("name")) })
	d.show("/dm/{name}", "talk", func(v *visit) (any, error) { return v.dm("", v.r.PathValue("name")) })
	d.show("/dm/{a}/{b}", "talk", func(v *visit) (any, error) { return v.dm(v.r.PathValue("a"), v.r.PathValue("b")) })
	d.show("/thread/{id}", "talk", func(v *visit) (any, error) { return v.thread() })
	d.show("/messages/{id}/text", "text", func(v *visit) (any, error) { return v.text() })
	d.lead("/messages/{id}", (*visit).toMessage)
	d.download("/messages/{id}/raw")
	d.add("/complete")
	d.mux.HandleFunc("GET /complete", d.complete)
	d.act("/read", (*visit).read)
	d.act("/stop", (*visit).stop)
}

// lead registers an address that stands for another one.
func (d *Door) lead(path string, to func(*visit) (string, error)) {
	d.add(path)
	d.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		v, ok := d.enter(w, r)
		if !ok {
			return
		}
		address, err := to(v)
		if err != nil {
			v.fail(err)
			return
		}
		http.Redirect(w, r, address, http.StatusSeeOther)
	})
}

func (v *visit) channel(name string) (Talk, error) {
	t := Talk{Name: "#" + name, Path: "/c/" + url.PathEscape(name), Place: "#" + name, Hint: "Write in #" + name}
	page, err := v.fillTalk(&t, reading.Conversation{Channel: name})
	if err != nil {
		return t, err
	}
	t.Name, t.About, t.Manage = page.Channel.Place(), page.Channel.Topic, t.Path+"/members"
	if v.wants("rail") {
		err = v.fillMembers(&t, page.Members)
	}
	return t, err
}

// dm is the conversation of two; an empty name is the visitor's.
func (v *visit) dm(of, with string) (Talk, error) {
	me := v.whois(v.Agent).Name
	switch {
	case parley.FoldName(of) == parley.FoldName(me):
		of = ""
	case of != "" && parley.FoldName(with) == parley.FoldName(me):
		of, with = "", of
	}
	t := Talk{}
	names := []string{with}
	if of != "" {
		names = []string{of, with}
	}
	for _, name := range names {
		a, err := v.Reading.Anyone(v.ctx, v.Caller, name)
		if err != nil {
			return t, err
		}
		t.Between = append(t.Between, Who{Name: a.Name, Kind: string(a.Kind), Gone: a.Removed})
	}
	v.nameDM(&t)
	page, err := v.fillTalk(&t, reading.Conversation{Of: of, With: with})
	if err != nil {
		return t, err
	}
	t.Thread = page.Thread.ID
	if v.wants("rail") {
		err = v.fillPair(&t, of, with)
	}
	return t, err
}

// nameDM says how a dm is called, where it is, and how one writes in it.
func (v *visit) nameDM(t *Talk) {
	other := t.Between[0]
	for _, who := range t.Between {
		if who.Gone {
			t.Gone = who.Name
		}
	}
	if len(t.Between) == 1 {
		t.Name, t.Path = other.Name, "/dm/"+url.PathEscape(other.Name)
		t.Place, t.Hint, t.How = "@"+other.Name, "Write to "+other.Name, !other.Person()
		if other.Person() {
			t.Note = "Everybody in the team can read this."
		}
		return
	}
	a, b := t.Between[0], t.Between[1]
	t.Name, t.Path = a.Name+", "+b.Name, "/dm/"+url.PathEscape(a.Name)+"/"+url.PathEscape(b.Name)
	t.Place, t.Hint, t.Agents, t.Note = "@"+a.Name+" @"+b.Name, "Step in. @ names who should reply", true, ""
	if a.Person() && b.Person() {
		t.Note = "Everybody in the team can read this."
	}
}

func (v *visit) thread() (Talk, error) {
	id, err := parley.ParseThreadID(v.r.PathValue("id"))
	if err != nil {
		return Talk{}, err
	}
	t := Talk{Path: "/thread/" + id.String(), Thread: id}
	page, err := v.fillTalk(&t, reading.Conversation{Thread: id})
	if err != nil {
		return t, err
	}
	if page.Channel.Kind == parley.Group {
		t.Name, t.About, t.Back = page.Channel.Place(), "A thread of "+page.Channel.Place(), "/c/"+url.PathEscape(page.Channel.Name)
		return t, nil
	}
	ids := []parley.AgentID{page.Channel.A, page.Channel.B}
	ids = slices.DeleteFunc(ids, func(a parley.AgentID) bool { return a == v.Agent })
	for _, a := range ids {
		who := v.whois(a)
		if found, err := v.agentByID(a); err == nil {
			who.Gone = found.Removed
		}
		t.Between = append(t.Between, who)
	}
	path := t.Path
	v.nameDM(&t)
	t.About, t.Path, t.Back = "Thread "+id.String()+" of this conversation", path, t.Path
	t.Reply = id.String()
	if t.Agents {
		t.Place = "" // people step in where the two talk
	}
	if v.wants("rail") {
		err = v.fillPair(&t, v.whois(page.Channel.A).Name, v.whois(page.Channel.B).Name)
	}
	return t, err
}

// fillTalk reads the messages that the address asks for.
func (v *visit) fillTalk(t *Talk, in reading.Conversation) (page reading.Page, err error) {
	in.Limit = talkPage
	q := reading.Span{Conversation: in}
	if q, err = v.lines(q); err != nil {
		return page, err
	}
	if !v.wants("msgs", "lines") {
		q.Limit = 1
	}
	if page, err = v.Reading.Page(v.ctx, v.Caller, q); err != nil {
		return page, err
	}
	t.Count = page.Thread.Count
	t.Said, t.Again = v.said(page, q.After == 0), v.again(page)
	v.unread(t, page)
	if n := len(page.Lines); n > 0 {
		t.First, t.Last, t.Upto = page.Lines[0].ID, page.Lines[n-1].ID, page.Lines[n-1].N
		if page.Prior.ID != 0 && q.After == 0 {
			t.Earlier = t.Path + "?before=" + t.First.String()
		}
		if page.Later {
			t.Later = t.Path + "?after=" + t.Last.String()
		}
	}
	return page, nil
}

// lines reads from the address which messages are wanted.
func (v *visit) lines(q reading.Span) (reading.Span, error) {
	form := v.r.URL.Query()
	for _, p := range []struct {
		name string
		id   *parley.MessageID
	}{{"before", &q.Ahead}, {"upto", &q.Upto}, {"after", &q.After}, {"at", &q.Around}} {
		if given := form.Get(p.name); given != "" {
			id, err := parley.ParseMessageID(given)
			if err != nil {
				return q, err
			}
			*p.id = id
			break // of several the first
		}
	}
	q.Above, _ = strconv.Atoi(form.Get("above")) // none is 0
	for given := range strings.SplitSeq(form.Get("again"), ",") {
		if id, err := parley.ParseMessageID(given); err == nil && len(q.Again) < talkPage {
			q.Again = append(q.Again, id)
		}
	}
	return q, nil
}

// toMessage is where a message stands.
func (v *visit) toMessage() (string, error) {
	id, err := parley.ParseMessageID(v.r.PathValue("id"))
	if err != nil {
		return "", err
	}
	m, err := v.Reading.Message(v.ctx, v.Caller, id)
	if err != nil {
		return "", err
	}
	page, err := v.Reading.Page(v.ctx, v.Caller, reading.Span{Conversation: reading.Conversation{Thread: m.Thread, Limit: 1}})
	if err != nil {
		return "", err
	}
	to := v.placeURL(page)
	if page.Thread.Count-m.N >= talkPage {
		to += "?at=" + id.String()
	}
	return to + "#" + id.String(), nil
}

// placeURL is the address of a conversation.
func (v *visit) placeURL(p reading.Page) string {
	c := p.Channel
	switch {
	case p.Thread.ID != c.Main || c.Removed:
		return "/thread/" + p.Thread.ID.String()
	case c.Kind == parley.Group:
		return "/c/" + url.PathEscape(c.Name)
	}
	return v.direct(reading.Talk{Channel: c, Between: [2]parley.AgentID{c.A, c.B}}, "").URL
}

// unread says what of a page is new to the visitor.
func (v *visit) unread(t *Talk, p reading.Page) {
	var ids []string
	for _, s := range t.Said {
		if s.Unseen {
			ids = append(ids, s.ID.String())
		}
	}
	t.Unseen = strings.Join(ids, ",")
	read := v.readUpto(p)
	t.ReadUpto = read
	t.Unread = len(ids) > 0 || read >= 0 && len(p.Lines) > 0 && p.Lines[len(p.Lines)-1].N > read
}
