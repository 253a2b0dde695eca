package view

import (
	"fmt"
	"strings"

	"parley/api"
)

// Channels is a table of channels.
func (s Screen) Channels(list []api.Channel) string {
	t := table{elastic: 3, least: 16, rows: [][]cell{heads("CHANNEL", "UNREAD", "MEMBERS", "LAST")}}
	for _, ch := range list {
		t.rows = append(t.rows, []cell{
			{text: "#" + ch.Name, color: Bold},
			unread(ch),
			{text: s.fit(strings.Join(ch.Members, ", "), 40)},
			{text: s.latest(ch), color: Dim},
		})
	}
	return t.text(s)
}

func unread(ch api.Channel) cell {
	if !ch.Member {
		return cell{text: "-", color: Dim}
	}
	c := cell{text: fmt.Sprint(ch.Unread)}
	if ch.Unread > 0 {
		c.color = Yellow
	}
	return c
}

func (s Screen) latest(ch api.Channel) string {
	if ch.Last == nil {
		return "nothing yet"
	}
	return s.Clock(ch.Last.At) + " " + ch.Last.Author + ": " + Line(ch.Last.Body)
}
