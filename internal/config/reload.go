package config

import (
	"crypto/sha256"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"parley"
)

// Reload reads a team's folder again, while the team before is still in use.
//
// An agent whose file now has a mistake stays as it was, and its Mistake says
// so: a file that is being saved must not stop anybody's work. A name stays
// with the file that had it. If an agent's file is gone, so is the agent. The
// error is for a folder that cannot be used; then everything stays as it was.
//
// The person that the command line acts as, before.Person, does not change
// while the hub runs.
func Reload(before *Team) (*Team, []Problem, error) {
	team, agents, err := read(before.Dir)
	if err == nil {
		err = team.written(before)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(before.Agents) > 0 && agents.missing {
		return nil, nil, parley.Errorf(parley.NotFound, "The folder %s is gone.", filepath.Join(before.Dir, agentsDir)).
			WithHint("The team stays as it was. Remove the files one by one, or stop the hub, if the agents are to go.")
	}
	return agents.succeed(team, before)
}

// succeed makes the team that follows another.
func (f *folder) succeed(team, before *Team) (*Team, []Problem, error) {
	asked := team.Person
	team.Person = before.Person
	f.settle(team, before)
	f.complete(team)
	team.Person = asked
	team.seen = f.seen(team)
	return team, f.problems, nil
}

// settle checks the team until every agent is as its file says, as it was
// before, or left out. Agents that were together before do not conflict with
// each other, so each round leaves fewer new ones.
func (f *folder) settle(team, before *Team) {
	incumbents := incumbents(before)
	f.skipBlank(before)
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

// incumbents are the agents' files by folded name.
func incumbents(team *Team) map[string]string {
	files := make(map[string]string, len(team.Agents))
	for _, a := range team.Agents {
		files[parley.FoldName(a.Name)] = a.File
	}
	return files
}

// written assumes that a parley.yaml that has become empty is just being written. Without
// it the team would lose its people and its rules.
func (t *Team) written(before *Team) error {
	if nothing := sha256.Sum256(nil); t.digest != nothing || before.digest == nothing {
		return nil
	}
	return parley.Errorf(parley.Invalid, "%s is empty.", filepath.Join(t.Dir, TeamFile)).
		WithHint("The team stays as it was. Restart the hub if nothing of the file is to be left.")
}

// skipBlank assumes that an agent's file that has become empty is just
// being written. Without its front matter the agent would have no rules.
func (f *folder) skipBlank(before *Team) {
	f.drafts = slices.DeleteFunc(f.drafts, func(d *draft) bool {
		if !d.blank || !slices.ContainsFunc(before.Agents, func(a *Agent) bool { return a.File == d.agent.File && !a.empty() }) {
			return false
		}
		f.problems = append(f.problems, Problem{File: d.agent.File, Message: "This file is empty. Remove it if the agent is to go."})
		return true
	})
}

// empty reports whether the agent's file was empty when it was read.
func (a *Agent) empty() bool {
	return len(a.Lines) == 0 && a.Instructions == "" && a.Memory == "" && a.Common == ""
}

// restore brings back the agents whose files now have a mistake.
func (f *folder) restore(before *Team) {
	for _, a := range before.Agents {
		i := slices.IndexFunc(f.problems, func(p Problem) bool { return a.describedIn(p.File) })
		if i < 0 || slices.ContainsFunc(f.drafts, func(d *draft) bool { return d.agent.File == a.File }) {
			continue
		}
		kept := *a
		kept.Mistake = f.problems[i].String()
		f.drafts = append(f.drafts, &draft{agent: kept, kept: &kept})
	}
	f.sort()
}

// describedIn reports whether a file is the agent's, or in its folder, or that
// folder itself.
func (a *Agent) describedIn(file string) bool {
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

// TakeOver is what is in force after a running hub has taken over what was read now.
// Settings that need a restart keep their old values.
func (t *Team) TakeOver(now *Team) *Team {
	held := *t
	held.Agents, held.People, held.Model, held.Limits, held.Warnings = now.Agents, now.People, now.Model, now.Limits, now.Warnings
	held.Channels, held.Models, held.Providers, held.Notify, held.Bridges = now.Channels, now.Models, now.Providers, now.Notify, now.Bridges
	held.digest = now.digest // or a file that was empty at the start could be emptied unnoticed
	return &held
}

// NeedRestart names the settings that differ but that a running hub does not
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
		{"tls", before.TLS == now.TLS},
		{"public_url", before.PublicURL == now.PublicURL},
		{"proxies", slices.Equal(before.Proxies, now.Proxies)},
		{"door", before.Door == now.Door},
		{"workers", before.Workers == now.Workers},
		{"memory", before.Memory == now.Memory},
		{"lease", before.Lease == now.Lease},
		{"client_lease", before.ClientLease == now.ClientLease},
		{"grace", before.Grace == now.Grace},
		{"workspace", reflect.DeepEqual(before.Workspace, now.Workspace)},
		{"retention", before.KeepMessages == now.KeepMessages && before.KeepEvents == now.KeepEvents},
	} {
		if !s.same {
			names = append(names, s.name)
		}
	}
	return names
}
