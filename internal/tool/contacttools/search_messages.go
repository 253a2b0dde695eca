package contacttools

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed search_messages.md
var searchMessagesText string

type searchMessagesArgs struct {
	Query   string `json:"query" required:"true" doc:"The words to look for."`
	Author  string `json:"author" doc:"Only what this participant wrote."`
	Channel string `json:"channel" alias:"channelId" doc:"Only in this channel, for example #standup."`
	Order   string `json:"order" enum:"best,newest" doc:"'newest' for the newest messages that have all the words; the best if left out."`
	Limit   int    `json:"limit" doc:"How many messages, from 1 to 50; 10 if left out."`
}

func searchMessages(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[searchMessagesArgs]{
		Name: "search_messages", Title: "Search messages", Description: searchMessagesText, Hints: tool.Hints{ReadOnly: true},
		Replays:  true,
		Defaults: searchMessagesArgs{Limit: 10},
		Action:   searchMessagesAction,
		Run: func(ctx context.Context, c tool.Call, args searchMessagesArgs) (tool.Result, error) {
			s, err := args.search()
			if err != nil {
				return tool.Result{}, err
			}
			found, err := read.Find(ctx, Caller(c), s)
			if err != nil {
				return tool.Result{}, err
			}
			// The request has the words because somebody looks for them.
			list := slices.DeleteFunc(found.List, func(f reading.Found) bool { return f.Message().Task == c.Lease.Task })
			res := showFound(ctx, read, c, args.Query, list[:min(len(list), args.Limit)])
			if found.Incomplete {
				res.Text += "\n\nThe index is behind, and there was no time to look through everything; there may be more."
			}
			return res, nil
		},
	})
}

// searchMessagesAction names the call for the rules: to search is to read. A search in
// all places finds only what the rules let the agent read without asking anybody.
func searchMessagesAction(args searchMessagesArgs) string {
	if args.Channel != "" {
		return policy.ReadIn(parley.BareChannel(args.Channel)).Action
	}
	return policy.Action(policy.ChannelOp, "read *")
}

func (args searchMessagesArgs) search() (reading.Search, error) {
	s := reading.Search{Text: args.Query, Agent: strings.TrimPrefix(args.Author, "@"), Channel: args.Channel, Newest: args.Order == "newest", Limit: args.Limit + 2, Kind: reading.Said}
	switch {
	case args.Order != "" && args.Order != "best" && args.Order != "newest":
		return s, parley.Errorf(parley.Invalid, "Unknown order %q.", parley.Clip(args.Order, 40)).WithHint("Use 'best' or 'newest', or leave it out.")
	case args.Limit < 1 || args.Limit > 50:
		return s, parley.Errorf(parley.Invalid, "limit is from 1 to 50.")
	}
	return s, nil
}

func showFound(ctx context.Context, read *reading.Service, c tool.Call, query string, list []reading.Found) tool.Result {
	if len(list) == 0 {
		return tool.Result{Text: "No messages found for: " + parley.Clip(query, 80)}
	}
	var b strings.Builder
	for i, f := range list {
		if i > 0 {
			b.WriteString("\n\n")
		}
		entry := fmt.Sprintf("%d. %s\n%s", i+1, describeFound(ctx, read, c.Lease.Agent, f), parley.Quote(f.Extract()))
		b.WriteString(parley.Continued(entry))
	}
	return tool.Result{Text: b.String()}
}

// describeFound says which message was found, who wrote it, where, when and for which
// task.
func describeFound(ctx context.Context, read *reading.Service, reader parley.AgentID, f reading.Found) string {
	m := f.Message()
	where := f.Channel.Place()
	if f.Channel.Kind != parley.Group {
		where = fmt.Sprintf("@%s, %s", read.Name(ctx, f.Channel.Peer(reader)), m.Thread)
	}
	text := fmt.Sprintf("%s, %s in %s, %s", m.ID, read.Name(ctx, m.Author), where, f.At.Time().UTC().Format("2006-01-02 15:04"))
	if f.Task.ID != 0 {
		text += fmt.Sprintf(", %s (%s)", f.Task.ID, f.Task.State)
	}
	return text
}
