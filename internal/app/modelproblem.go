package app

import (
	"slices"
	"strings"

	"parley/internal/config"
)

// A model that cannot be made is a problem of each agent that has it. If it is the one of
// parley.yaml, the mistake is there, and people read of it once.
const (
	ofAgent = "The model of "
	unmade  = " cannot be used: "
	ofTeam  = " Its model is that of " + config.TeamFile + "."
)

func unusableModel(a *config.Agent, team *config.Team, err error) string {
	text := ofAgent + a.Name + unmade + err.Error()
	if a.Model == team.Model {
		text += ofTeam
	}
	return text
}

// FoldProblems makes one problem of those that agents have with the model of parley.yaml.
func FoldProblems(problems []config.Problem) (folded []config.Problem) {
	agents := map[string][]string{}
	at := map[string]int{}
	for _, p := range problems {
		name, why, ok := teamModel(p.Message)
		if !ok {
			folded = append(folded, p)
			continue
		}
		if agents[why] == nil {
			at[why] = len(folded)
			folded = append(folded, config.Problem{File: config.TeamFile})
		}
		agents[why] = append(agents[why], name)
	}
	for why, names := range agents {
		slices.Sort(names)
		folded[at[why]].Message = why + " It is the model of " + strings.Join(names, ", ") + "."
	}
	return folded
}

func teamModel(message string) (agent, why string, ok bool) {
	message, ends := strings.CutSuffix(message, ofTeam)
	message, begins := strings.CutPrefix(message, ofAgent)
	agent, why, ok = strings.Cut(message, unmade)
	return agent, why, ok && begins && ends
}
