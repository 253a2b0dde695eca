package cli

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/api"
	"parley/client"
	"parley/internal/app"
	"parley/internal/config"
)

// lists maps the beginning of a "not found" message to the command that lists
// what exists.
var lists = []struct{ begins, command string }{
	{"task-", "tasks --all"},
	{"approval-", "approvals --all"},
	{"query-", "questions"},
	{"keeper-", "keepers"},
	{"Channel '#", "channels"},
}

// hintList adds a hint to an error about something that was not found: the
// command that lists what exists, unless there is a better hint. For an agent it
// says what is wrong with its file.
func (c *console) hintList(p api.Problem) api.Problem {
	if name, missing := missingAgent(p); missing {
		if mistake := c.mistakeOf(name); mistake != "" {
			p.Hint = "A mistake keeps it out of the team. " + mistake
		} else if p.Hint == parley.AgentListHint {
			p.Hint = "See who is there with: " + c.command("agents")
		}
		return p
	}
	if id, gone := goneQuestion(p); gone {
		p.Hint = "See what became of it with: " + c.command("question show %s", id)
		return p
	}
	if p.Kind != string(parley.NotFound) || p.Hint != "" || !strings.HasSuffix(p.Message, " not found.") {
		return p
	}
	for _, l := range lists {
		if strings.HasPrefix(p.Message, l.begins) {
			p.Hint = "See what there is with: " + c.command("%s", l.command)
		}
	}
	return p
}

// goneQuestion finds the question in an error which says that it is closed or
// does not exist.
func goneQuestion(p api.Problem) (id string, gone bool) {
	id, _, _ = strings.Cut(strings.TrimPrefix(p.Message, "Query "), " ")
	return id, p.Kind == string(parley.NotFound) && p.Message == parley.QuestionGoneText(id)
}

// missingAgent finds the name in an error about an agent that was not found.
func missingAgent(p api.Problem) (name string, missing bool) {
	name, begins := strings.CutPrefix(p.Message, "Agent '")
	name, ends := strings.CutSuffix(name, "' not found.")
	return name, p.Kind == string(parley.NotFound) && begins && ends
}

// mistakeOf finds the mistake in the team's files that keeps an agent out of the
// team. It is empty if there is none.
func (c *console) mistakeOf(name string) string {
	dir, err := c.teamDir()
	if err != nil {
		return ""
	}
	team, problems, err := config.Load(dir)
	if err != nil {
		return ""
	}
	for _, p := range append(problems, app.CheckModels(team)...) {
		file := strings.TrimPrefix(p.File, "agents/")
		if i := strings.IndexAny(file, "/."); i > 0 && parley.FoldName(file[:i]) == parley.FoldName(name) {
			return p.String()
		}
	}
	return ""
}

// orChannel suggests the channel with the name that no agent has. The # is
// easily forgotten, since a shell wants it in quotes.
func (c *console) orChannel(ctx context.Context, hub *client.Client, name string, err error) error {
	if parley.KindOf(err) != parley.NotFound {
		return err
	}
	channels, failed := hub.Channels(ctx)
	i := slices.IndexFunc(channels, func(ch api.Channel) bool { return parley.FoldName(ch.Name) == parley.FoldName(name) })
	if failed != nil || i < 0 {
		return err
	}
	return parley.Errorf(parley.NotFound, "%s", problem(err).Message).
		WithHint("Did you mean %s? That is a channel.", shellQuote("#"+channels[i].Name))
}
