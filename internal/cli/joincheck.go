package cli

import (
	"context"
	"fmt"
	"strings"

	"parley"
	"parley/client"
	"parley/internal/cli/view"
	"parley/internal/join"
)

// JoinCheck is what "parley join --check --json" prints.
type JoinCheck struct {
	Agent  string      `json:"agent"`
	Client string      `json:"client"`
	OK     bool        `json:"ok"`
	Checks []JoinProof `json:"checks"`
}

// JoinProof is one thing that was looked at.
type JoinProof struct {
	What string `json:"what"`
	// Problem is empty if it is as it should be.
	Problem string `json:"problem,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// checkJoined does what the client would do with its files as they are.
func (c *console) checkJoined(ctx context.Context, hub *client.Client, f joinFlags, kind join.Client, name string) error {
	agent, err := findAgent(ctx, hub, name)
	if err == nil && agent == "" {
		err = parley.Errorf(parley.NotFound, "There is no agent %s in this team.", name).
			WithHint("%s makes it.", c.command("join %s --client %s", shellQuote(name), kind.Name))
	}
	if err != nil {
		return err
	}
	s, err := c.joinSetup(ctx, hub, f, agent)
	if err != nil {
		return err
	}
	out := JoinCheck{Agent: agent, Client: kind.Name, OK: true}
	add := func(what string, err error) bool {
		p := JoinProof{What: what}
		if err != nil {
			problem := problem(err)
			p.Problem, p.Hint, out.OK = problem.Message, problem.Hint, false
		}
		out.Checks = append(out.Checks, p)
		return err == nil
	}
	for _, file := range kind.Files(s) {
		if file.Server {
			c.checkServer(ctx, file, s, add)
		}
		if file.Hooks {
			add("the hooks in "+file.Path, checkHooks(kind, file, s))
		}
	}
	if err := c.show(out, func(v view.Screen) string { return checkedText(v, out) }); err != nil {
		return err
	}
	if !out.OK {
		return silent{exitFailed}
	}
	return nil
}

// checkServer reads the entry and makes the connection that it describes.
func (c *console) checkServer(ctx context.Context, file join.File, s join.Setup, add func(string, error) bool) {
	server, err := file.ReadServer()
	if err == nil && server == nil {
		err = parley.Errorf(parley.NotFound, "There is no entry %q in it.", join.EntryName).WithHint("Write it with --write.")
	}
	if !add("the entry in "+file.Path, err) {
		return
	}
	who, err := c.tokenOwner(ctx, s)
	switch {
	case parley.KindOf(err) == parley.Unauthentic, err == nil && !strings.EqualFold(who, s.Agent):
		err = parley.Errorf(parley.Denied, "The hub does not take the token in %s for %s.", s.TokenFile, s.Agent).
			WithHint("Make a new one with: %s", c.command("join %s", shellQuote(s.Agent)))
	}
	add("the token in "+s.TokenFile, err)
	if server.URL != "" && server.URL != s.URL { // it may be somebody else's file
		add("the address in "+file.Path, parley.Errorf(parley.Denied, "The entry leads to %s instead of %s, so the token was not sent there.", server.URL, s.URL).
			WithHint("If it is right, name it with --url. Otherwise write it again with --write."))
		return
	}
	met, err := join.Connect(ctx, *server, c.getenv)
	if err == nil {
		err = met.Check()
	}
	what := "a connection with " + server.String()
	if err == nil {
		what += fmt.Sprintf(": %d tools", len(met.Tools))
	}
	add(what, err)
}

func checkHooks(kind join.Client, file join.File, s join.Setup) error {
	for event, command := range kind.HookCommands(s) {
		there, err := join.HookIn(file.Path, kind.Events[event], command)
		if err != nil {
			return err
		}
		if !there {
			return parley.Errorf(parley.NotFound, "The hook for %s is missing: %s.", kind.Events[event], command).WithHint("Write it with --write, or leave it out with --no-hooks.")
		}
	}
	return nil
}

func checkedText(v view.Screen, out JoinCheck) string {
	var b strings.Builder
	for _, p := range out.Checks {
		mark := v.Paint(view.Green, "ok")
		if p.Problem != "" {
			mark = v.Paint(view.Red, "!!")
		}
		fmt.Fprintf(&b, "%s  %s\n", mark, p.What)
		for _, line := range []string{p.Problem, p.Hint} {
			if line != "" {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
	}
	if out.OK {
		fmt.Fprintf(&b, "%s can join.\n", out.Agent)
	}
	return b.String()
}
