package view

import (
	"strings"

	"parley/api"
)

// Teams is a table of a hub's teams, with what is wrong with each below it.
func (s Screen) Teams(list []api.HubTeam) string {
	t := table{elastic: 3, least: 16, rows: [][]cell{heads("TEAM", "STATE", "AGENTS", "FOLDER")}}
	below := ""
	for _, team := range list {
		t.rows = append(t.rows, []cell{
			{text: team.Name, color: Bold}, teamState(team), {text: s.fit(strings.Join(team.Agents, ", "), 40)}, {text: Line(team.Folder), color: Dim},
		})
		for _, problem := range team.Problems {
			below += s.Bad() + " " + team.Name + ": " + problem + "\n"
		}
		for _, warning := range team.Warnings {
			below += s.Note() + " " + team.Name + ": " + warning + "\n"
		}
	}
	return t.text(s) + below
}

func teamState(t api.HubTeam) cell {
	switch {
	case !t.Served:
		return cell{text: "not served", color: Red}
	case t.Paused:
		return cell{text: "paused", color: Yellow}
	case t.Own:
		return cell{text: "the hub's own"}
	}
	return cell{text: "served"}
}
