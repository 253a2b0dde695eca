package contacttools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"parley"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed read_channel.md
var readChannelText string

type readChannelArgs struct {
	Channel string `json:"channel" alias:"channelId" required:"true" doc:"A channel (#standup), your direct conversation with somebody (@Name), or a thread of one (thread-12)."`
	Limit   int    `json:"limit" doc:"How many messages, from 1 to 100; 20 if left out."`
	Before  int    `json:"before" doc:"Only messages with a smaller number; the latest if left out."`
}

func readChannel(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[readChannelArgs]{
		Name: "read_channel", Title: "Read a channel", Description: readChannelText, Hints: tool.Hints{ReadOnly: true},
		Replays:  true,
		Defaults: readChannelArgs{Limit: 20},
		Action:   readChannelAction,
		Run: func(ctx context.Context, c tool.Call, args readChannelArgs) (tool.Result, error) {
			if args.Limit < 1 || args.Limit > 100 || args.Before < 0 {
				return tool.Result{}, parley.Errorf(parley.Invalid, "limit is from 1 to 100, and before is a number of a message.")
			}
			v, err := read.Read(ctx, Caller(c), args.Channel, args.Before, args.Limit)
			if err != nil {
				return tool.Result{}, err
			}
			return showView(ctx, read, v), nil
		},
	})
}

// readChannelAction names the call for the rules. A thread of a group is read only by
// those whom the rules let read the group; that is checked where it is found.
func readChannelAction(args readChannelArgs) string {
	place := strings.TrimSpace(args.Channel)
	if _, ok := reading.ThreadOf(place); ok || strings.HasPrefix(place, "@") {
		return policy.Action(policy.ChannelOp, "read "+place)
	}
	return policy.ReadIn(parley.BareChannel(place)).Action
}

func showView(ctx context.Context, read *reading.Service, v reading.View) tool.Result {
	place := v.Channel.Place()
	if v.Peer != 0 {
		place = "your dm with " + read.Name(ctx, v.Peer)
	}
	if v.Thread.ID != 0 && v.Thread.ID != v.Channel.Main {
		place = v.Thread.ID.String() + " of " + place
	}
	res := showMessages(ctx, read, place, v.Messages)
	if v.Channel.Kind == parley.Group && v.Thread.ID == v.Channel.Main && len(v.Messages) > 0 {
		res.Read = tool.Reading{Channel: v.Channel.ID, Upto: v.Messages[len(v.Messages)-1].N}
	}
	res.Text += describeThreads(v.Others)
	return res
}

func showMessages(ctx context.Context, read *reading.Service, place string, list []parley.Message) (res tool.Result) {
	if len(list) == 0 {
		return tool.Result{Text: "There are no messages in " + place + "."}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Messages in %s:\n", place)
	for _, m := range list {
		from := read.Name(ctx, m.Author) + ": "
		if m.Kind == parley.NoticeMessage {
			from = "Notice: "
		}
		fmt.Fprintf(&b, "\n%d. %s%s\n", m.N, from, parley.Entry(m.Body))
		res.Seen = append(res.Seen, m.ID)
	}
	res.Text = strings.TrimRight(b.String(), "\n")
	return res
}

// maxThreads is how many further threads of a dm are named.
const maxThreads = 20

func describeThreads(list []parley.Thread) string {
	if len(list) == 0 {
		return ""
	}
	var names []string
	for _, t := range list[max(0, len(list)-maxThreads):] {
		names = append(names, fmt.Sprintf("%s (%d messages)", t.ID, t.Count))
	}
	return "\n\nFurther threads: " + strings.Join(names, ", ") + "."
}
