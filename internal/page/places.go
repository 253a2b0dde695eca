package page

import (
	"strconv"

	"parley"
	"parley/internal/reading"
)

// Places are all conversations.
type Places struct {
	Groups []PlaceRow
	Mine   []Place // the visitor's dms
	Others []Place // of others
}

func (p Places) Titled() (title, here string) { return "Talk", "/talk" }

// PlaceRow is a channel in the list.
type PlaceRow struct {
	Place
	Topic   string
	Members int
	Last    parley.Message
	Who     Who
}

// talks is how many dms the list shows.
const talks = 200

func (v *visit) places() (p Places, err error) {
	if !v.wants("places") {
		return p, nil
	}
	var s Shell
	waits, err := v.waits()
	if err != nil {
		return p, err
	}
	if err = v.fillPlacesUpTo(&s, "", waits, talks); err != nil {
		return p, err
	}
	groups, err := v.groups()
	if err != nil {
		return p, err
	}
	for i, g := range groups {
		row := PlaceRow{Place: s.Groups[i], Topic: g.Topic, Members: len(g.Members), Last: g.Last}
		if g.Last.ID != 0 {
			row.Who = v.whois(g.Last.Author)
		}
		p.Groups = append(p.Groups, row)
	}
	for _, d := range s.Direct {
		if len(d.With) == 1 {
			p.Mine = append(p.Mine, d)
		} else {
			p.Others = append(p.Others, d)
		}
	}
	return p, nil
}

// fillMembers lists who is in a channel, with what each does.
func (v *visit) fillMembers(t *Talk, members []parley.Member) error {
	list, err := v.Reading.Agents(v.ctx, v.Caller)
	if err != nil {
		return err
	}
	at := make(map[parley.AgentID]reading.Agent, len(list))
	for _, a := range list {
		at[a.ID] = a
	}
	for _, m := range members {
		a, ok := at[m.Agent]
		if !ok {
			continue // it has left the team
		}
		seat := v.seat(a)
		switch {
		case m.Agent == v.Agent:
			seat.Now, seat.Mark = "you", Mark{}
		case a.Kind == parley.Person && m.Read < t.Count:
			seat.Now, seat.Mark = strconv.Itoa(t.Count-m.Read)+" unread", Mark{}
		case a.Kind == parley.Person:
			seat.Now, seat.Mark = "has read everything", Mark{}
		}
		t.Members = append(t.Members, seat)
	}
	return nil
}

// fillPair lists the two of a dm, and its threads.
func (v *visit) fillPair(t *Talk, of, with string) error {
	for _, who := range t.Between {
		a, err := v.Reading.Anyone(v.ctx, v.Caller, who.Name)
		if err != nil {
			continue // it has left the team
		}
		t.Members = append(t.Members, v.seat(a))
	}
	threads, err := v.Reading.Threads(v.ctx, v.Caller, of, with)
	if err != nil {
		return err
	}
	for _, th := range threads {
		row := ThreadRow{URL: "/thread/" + th.ID.String(), ID: th.ID, Count: th.Count, Main: th.Main, Here: th.ID == t.Thread}
		if th.Main {
			row.URL = v.direct(reading.Talk{Channel: parley.Channel{ID: th.Channel}, Between: th.Between}, "").URL
		}
		t.Threads = append(t.Threads, row)
	}
	return nil
}
