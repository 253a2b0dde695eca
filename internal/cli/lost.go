package cli

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/api"
	"parley/internal/client"
)

// lists are the commands that list what was not found, by how its name begins.
var lists = []struct{ begins, command string }{
	{"task-", "tasks --all"},
	{"approval-", "approvals --all"},
	{"Channel '#", "channels"},
}

// whatThereIs adds the command that lists what was not found, unless there is a
// better hint.
func (c *console) whatThereIs(p api.Problem) api.Problem {
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
