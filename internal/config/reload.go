package config

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley"
)

// Reload reads the folder of a team again, beside what held before.
//
// An agent whose file has a mistake by now stays as it was, and its Mistake says
// so: a file that is being saved must not stop anybody's work. A name stays with
// the file that had it. An agent whose file is gone is gone. The error is for a
// folder that cannot be used; then everything stays as it was.
//
// Whom the command line acts as does not change while the hub runs: before.Person.
func Reload(before *Team) (*Team, []Problem, error) {
	team, agents, err := read(before.Dir)
	if err != nil {
		return nil, nil, err
	}
	if len(before.Agents) > 0 && agents.missing {
		return nil, nil, parley.Errorf(parley.NotFound, "The folder %s is gone.", filepath.Join(before.Dir, agentsDir)).
			WithHint("The team stays as it was. Remove the files one by one, or stop the hub, if the agents are to go.")
	}
	asked := team.Person
	team.Person = before.Person
	agents.settle(team, before)
	agents.complete(team)
	team.Person = asked
	return team, agents.problems, nil
}

// settle checks the team until every agent is either as its file says, or as it
// was before, or left out. Agents that were together before have no mistake in
// common, so each round leaves fewer that are new.
func (f *folder) settle(team, before *Team) {
	incumbents := incumbents(before)
	f.setBlankAside(before)
	for range len(f.drafts) + 2 {
		f.restore(before)
		found := len(f.problems)
		f.check(team, incumbents)
		if len(f.problems) == found {
			return
		}
		f.problems = withoutRepetition(f.problems)
	}
}

// incumbents are the files by the folded names that they have.
func incumbents(team *Team) map[string]string {
	files := map[string]string{}
	for _, a := range team.Agents {
		files[parley.FoldName(a.Name)] = a.File
	}
	return files
}

// setBlankAside takes an agent's file that is empty by now for one that is just
// being written: without its front matter it would be without rules.
func (f *folder) setBlankAside(before *Team) {
	f.drafts = slices.DeleteFunc(f.drafts, func(d draft) bool {
		if !d.blank || !slices.ContainsFunc(before.Agents, func(a Agent) bool { return a.File == d.agent.File && !a.empty() }) {
			return false
		}
		f.problems = append(f.problems, Problem{File: d.agent.File, Message: "This file is empty. Remove it if the agent is to go."})
		return true
	})
}

// empty reports whether the agent's file said nothing either.
func (a Agent) empty() bool { return len(a.Lines) == 0 && a.Instructions == "" }

// restore brings those back who have a mistake by now.
func (f *folder) restore(before *Team) {
	for _, a := range before.Agents {
		i := slices.IndexFunc(f.problems, func(p Problem) bool { return a.describedIn(p.File) })
		if i < 0 || slices.ContainsFunc(f.drafts, func(d draft) bool { return d.agent.File == a.File }) {
			continue
		}
		a.Mistake = f.problems[i].String()
		f.drafts = append(f.drafts, draft{agent: a, lines: a.Lines, kept: &a})
	}
	slices.SortStableFunc(f.drafts, func(a, b draft) int { return strings.Compare(a.agent.File, b.agent.File) })
}

// describedIn reports whether a file is the agent's, or in its folder, or is
// that folder.
func (a Agent) describedIn(file string) bool {
	dir := path.Dir(a.File)
	return file == a.File || dir != agentsDir && (file == dir || path.Dir(file) == dir)
}

func withoutRepetition(list []Problem) (kept []Problem) {
	for _, p := range list {
		if !slices.Contains(kept, p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// NeedRestart names the settings that differ and that a running hub does not
// take over.
func NeedRestart(before, now *Team) (names []string) {
	for _, s := range []struct {
		name string
		same bool
	}{
		{"team", before.Name == now.Name},
		{"person", before.Person == now.Person},
		{"store", before.Store == now.Store},
		{"data", before.Data == now.Data},
		{"listen", before.Listen == now.Listen},
		{"workers", before.Workers == now.Workers},
		{"lease", before.Lease == now.Lease},
		{"grace", before.Grace == now.Grace},
		{"retention", before.KeepMessages == now.KeepMessages && before.KeepEvents == now.KeepEvents},
	} {
		if !s.same {
			names = append(names, s.name)
		}
	}
	return names
}
