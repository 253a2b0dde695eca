package watch

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// widestName is how many columns names take at most in a list.
const widestName = 16

// drawAgents draws the members of the team: those who do something first.
func (s State) drawAgents(w, h int) []string {
	at := slices.IndexFunc(s.agents, func(a api.Agent) bool { return a.Name == s.at[agentPane] })
	from := window(max(0, at), len(s.agents), h)
	shown := s.agents[min(from, len(s.agents)):min(len(s.agents), from+h)]
	names := 0
	for _, a := range shown {
		names = max(names, min(widestName, columns(oneLine(a.Name))))
	}
	var rows []string
	for i, a := range shown {
		rows = append(rows, s.agentRow(a, w, names, from+i == at))
	}
	if rest := len(s.agents) - from - len(shown); rest > 0 && len(rows) > 0 {
		rows[len(rows)-1] = s.row(w, []span{{fmt.Sprintf(" %s %d more", s.ellipsis(), rest+1), dim}})
	}
	if len(s.agents) == 0 && s.began {
		rows = append(rows, s.row(w, []span{{" The team has no agents.", dim}}))
	}
	return rows
}

func (s State) agentRow(a api.Agent, w, names int, here bool) string {
	name := oneLine(a.Name)
	sign := s.statusSign(a.Status)
	left := []span{s.marker(here), sign, {" ", plain},
		{pad(fit(name, names, s.ellipsis()), names), nameStyle(name)}, {"  ", plain}}
	return s.row(w, append(left, s.doing(a)...))
}

// doing says what an agent does now, or why it does nothing.
func (s State) doing(a api.Agent) []span {
	if now := a.Now; now != "" {
		return []span{{oneLine(now), plain}}
	}
	text := strings.ReplaceAll(a.Status, "_", " ")
	if a.SleepingUntil != nil && a.SleepingUntil.After(s.now) {
		text = "sleeping until " + s.screen().Clock(*a.SleepingUntil)
	} else if a.Reason != "" && a.Status != string(parley.StatusWorking) && a.Status != string(parley.StatusIdle) {
		text += " (" + a.Reason + ")"
	}
	if a.Kind == string(parley.Person) {
		text = a.Kind
	}
	if a.Queued > 0 {
		text += fmt.Sprintf(", %d queued", a.Queued)
	}
	return []span{{oneLine(text), dim}}
}

// agentText is what the reader shows of an agent.
func (s State) agentText(a api.Agent) string {
	text := strings.TrimSpace(a.Description) + "\n\n" + s.screen().Facts("status", s.screen().Status(a), "now", a.Now,
		"kind", a.Kind, "model", a.Model, "tasks", fmt.Sprintf("%d running, %d waiting, %d queued", a.Running, a.Waiting, a.Queued))
	if a.Mistake != "" {
		text += "\nIts file has a mistake, so it works as before: " + view.Line(a.Mistake) + "\n"
	}
	return strings.TrimLeft(text, "\n")
}
