package config

import (
	"slices"

	"parley"
	"parley/internal/yamlfile"
)

// checkLead makes sure that the agent to talk to first is one of the team, in the
// spelling of its file. A team without it starts all the same.
func (t *Team) checkLead() []Problem {
	if t.Lead == "" {
		return nil
	}
	var names []string
	for _, a := range t.Agents {
		if a.Kind != parley.Person {
			names = append(names, a.Name)
		}
	}
	at := slices.IndexFunc(names, func(name string) bool { return parley.FoldName(name) == parley.FoldName(t.Lead) })
	if at < 0 {
		mistake := wrong(t.LeadLine, "lead: There is no agent %q. %s", t.Lead, yamlfile.Suggest(t.Lead, names))
		t.Lead = ""
		return problems(TeamFile, mistake)
	}
	t.Lead = names[at]
	return nil
}
