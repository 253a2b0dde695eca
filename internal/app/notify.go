package app

import (
	"context"
	"fmt"
	"os"

	"parley/api"
	"parley/internal/access"
	"parley/internal/config"
	"parley/internal/mcpclient"
	"parley/internal/notify"
)

// notifyTargets are the targets that a team's files name.
func notifyTargets(team *config.Team) (list []notify.Target) {
	for _, n := range team.Notify {
		t := notify.Target{Command: n.Command, URL: n.URL, SecretEnv: n.SecretEnv, Private: n.Private, People: n.People}
		for _, kind := range n.For {
			t.For = append(t.For, notify.Kind(kind))
		}
		list = append(list, t)
	}
	return list
}

// tellPeople has the teller use the targets of the files. If the store fails, the teller
// begins later by itself.
func (f *teamFiles) tellPeople(ctx context.Context, now *config.Team) {
	if err := f.teller.Set(ctx, notifyTargets(now)); err != nil {
		f.log.Warn("people are told only of what happens later", "error", err)
	}
}

// notifyStates says to people of the team how the targets are doing.
func (f *teamFiles) notifyStates(ctx context.Context, c access.Caller) (list []api.NotifyTarget, err error) {
	if c.Team != f.team.ID || !f.hub.Access.IsPerson(c.Agent) {
		return nil, nil
	}
	states, err := f.teller.States(ctx)
	for _, s := range states {
		t := api.NotifyTarget{Target: s.Target, Problem: s.Problem, GivenUp: s.GivenUp}
		if !s.Next.IsZero() {
			t.Next = &s.Next
		}
		if !s.GivenUpAt.IsZero() {
			t.GivenUpAt = &s.GivenUpAt
		}
		list = append(list, t)
	}
	return list, err
}

// NotifyCheck is what a look at a target has found.
type NotifyCheck struct {
	Target  string
	Problem string // empty if the target can be used
}

// CheckNotify looks whether the commands that tell people exist, and whether the secrets
// of the addresses are set. It tells nobody.
func CheckNotify(team *config.Team) (list []NotifyCheck) {
	for _, t := range notifyTargets(team) {
		c := NotifyCheck{Target: t.Name()}
		switch {
		case t.URL != "" && os.Getenv(t.SecretEnv) == "":
			c.Problem = fmt.Sprintf("the environment variable %s is not set here", t.SecretEnv)
		case t.URL == "":
			if _, err := notify.Locate(t.Command[0], team.Dir); err != nil {
				c.Problem = fmt.Sprintf("the command %q was not found", t.Command[0])
			}
		}
		list = append(list, c)
	}
	return list
}

// eachNotifyCommand calls a function for every command that tells people, as for a
// server that is a process: both are run outside of any sandbox of the agents, so agents
// must not write what they are started with.
func eachNotifyCommand(team *config.Team, do func(file string, s mcpclient.Server)) {
	for _, t := range notifyTargets(team) {
		if t.URL == "" {
			do(config.TeamFile, mcpclient.Server{Name: t.Name(), Command: t.Command[0], Args: t.Command[1:], Dir: team.Dir})
		}
	}
}
