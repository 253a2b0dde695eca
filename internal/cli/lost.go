package cli

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/api"
	"parley/internal/app"
	"parley/internal/client"
	"parley/internal/config"
)

// lists are the commands that list what was not found, by how its name begins.
var lists = []struct{ begins, command string }{
	{"task-", "tasks --all"},
	{"approval-", "approvals --all"},
	{"query-", "questions"},
	{"keeper-", "keepers"},
	{"Channel '#", "channels"},
}

// whatThereIs adds the command that lists what was not found, unless there is a
// better hint. Of an agent it says what is wrong with its file.
func (c *console) whatThereIs(p api.Problem) api.Problem {
	if name, missing := missingAgent(p); missing {
		if mistake := c.mistakeOf(name); mistake != "" {
			p.Hint = "A mistake keeps it out of the team. " + mistake
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

// goneQuestion is the question that takes no answer any more, or never was.
func goneQuestion(p api.Problem) (id string, gone bool) {
	id, _, _ = strings.Cut(strings.TrimPrefix(p.Message, "Query "), " ")
	return id, p.Kind == string(parley.NotFound) && p.Message == parley.QuestionGoneText(id)
}

// missingAgent is the name of the agent that was not found.
func missingAgent(p api.Problem) (name string, missing bool) {
	name, begins := strings.CutPrefix(p.Message, "Agent '")
	name, ends := strings.CutSuffix(name, "' not found.")
	return name, p.Kind == string(parley.NotFound) && begins && ends
}

// mistakeOf is what keeps an agent out of the team by the files in this folder;
// empty if they do not say.
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

// orChannel offers the channel of the name that no agent has: the # is easily
// left out, since a shell wants it in quotes.
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
