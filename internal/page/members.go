package page

import (
	"net/url"
	"strings"

	"parley"
)

// Making channels, and who is in them.

func (d *Door) registerMembers() {
	d.act("/talk/channel", (*visit).addChannel)
	d.show("/c/{name}/members", "members", func(v *visit) (any, error) { return v.members() })
	d.act("/c/{name}/members/invite", func(v *visit) (Done, error) { return v.invite(v.names("who")) })
	d.act("/c/{name}/members/join", func(v *visit) (Done, error) { return v.invite([]string{v.whois(v.Agent).Name}) })
	d.act("/c/{name}/members/remove", func(v *visit) (Done, error) { return v.expel(v.names("who")) })
	d.act("/c/{name}/members/leave", func(v *visit) (Done, error) { return v.expel([]string{v.whois(v.Agent).Name}) })
}

// Members is who is in a channel.
type Members struct {
	Name, URL string
	Topic     string
	Mine      bool // the visitor is in it
	Seats     []Seat
	Others    []string // who could be invited
}

func (m Members) Titled() (title, here string) { return "Members of #" + m.Name, m.URL }

// mostInvited is how many names the field completes by itself.
const mostInvited = 200

func (v *visit) members() (m Members, err error) {
	g, err := v.Reading.Group(v.ctx, v.Caller, v.r.PathValue("name"))
	if err != nil {
		return m, err
	}
	m = Members{Name: g.Name, URL: "/c/" + url.PathEscape(g.Name), Topic: g.Topic, Mine: g.Member}
	in := make(map[parley.AgentID]bool, len(g.Members))
	for _, id := range g.Members {
		in[id] = true
	}
	list, err := v.Reading.Agents(v.ctx, v.Caller)
	for _, a := range list {
		switch {
		case in[a.ID] && a.ID == v.Agent:
			m.Seats = append(m.Seats, Seat{Who: v.whois(a.ID), Now: "you"})
		case in[a.ID] && a.Kind == parley.Person:
			m.Seats = append(m.Seats, Seat{Who: v.whois(a.ID), Now: "person"})
		case in[a.ID]:
			m.Seats = append(m.Seats, v.seat(a))
		case len(m.Others) < mostInvited && a.ID != v.Agent:
			m.Others = append(m.Others, a.Name)
		}
	}
	return m, err
}

// addChannel makes a channel with the visitor and those that the form names.
func (v *visit) addChannel() (Done, error) {
	c, err := v.Channels.Add(v.ctx, v.Caller, v.r.PostFormValue("name"), v.r.PostFormValue("topic"), v.names("members"))
	return Done{Go: "/c/" + url.PathEscape(c.Name)}, err
}

func (v *visit) invite(names []string) (Done, error) {
	c, err := v.Channels.Invite(v.ctx, v.Caller, v.r.PathValue("name"), names)
	return v.changedMembers(c), err
}

func (v *visit) expel(names []string) (Done, error) {
	c, err := v.Channels.Remove(v.ctx, v.Caller, v.r.PathValue("name"), names)
	return v.changedMembers(c), err
}

func (v *visit) changedMembers(c parley.Channel) Done {
	return Done{Go: "/c/" + url.PathEscape(c.Name) + "/members"}
}

// names reads names from a field, with commas between them and an @ or not.
func (v *visit) names(field string) (list []string) {
	for name := range strings.SplitSeq(v.r.PostFormValue(field), ",") {
		if name = strings.TrimPrefix(strings.TrimSpace(name), "@"); name != "" {
			list = append(list, name)
		}
	}
	return list
}
