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
	Channel string `json:"channel" alias:"channelId" required:"true" doc:"The channel, for example #standup."`
	Limit   int    `json:"limit" doc:"How many messages, from 1 to 100; 20 if left out."`
	Before  int    `json:"before" doc:"Only messages with a smaller number; the latest if left out."`
}

func readChannel(read *reading.Service) tool.Tool {
	return tool.New(tool.Spec[readChannelArgs]{
		Name: "read_channel", Title: "Read a channel", Description: readChannelText, Hints: tool.Hints{ReadOnly: true},
		Replays:  true,
		Defaults: readChannelArgs{Limit: 20},
		Action:   func(args readChannelArgs) string { return policy.ReadIn(parley.BareChannel(args.Channel)).Action },
		Run: func(ctx context.Context, c tool.Call, args readChannelArgs) (tool.Result, error) {
			if args.Limit < 1 || args.Limit > 100 || args.Before < 0 {
				return tool.Result{}, parley.Errorf(parley.Invalid, "limit is from 1 to 100, and before is a number of a message.")
			}
			ch, list, err := read.GroupMessages(ctx, Caller(c), args.Channel, args.Before, args.Limit)
			if err != nil {
				return tool.Result{}, err
			}
			return showChannel(ctx, read, ch, list), nil
		},
	})
}

func showChannel(ctx context.Context, read *reading.Service, ch parley.Channel, list []parley.Message) tool.Result {
	if len(list) == 0 {
		return tool.Result{Text: "There are no messages in " + ch.Place() + "."}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Messages in %s:\n", ch.Place())
	res := tool.Result{Read: tool.Reading{Channel: ch.ID, Upto: list[len(list)-1].N}}
	for _, m := range list {
		fmt.Fprintf(&b, "\n%d. %s: %s\n", m.N, read.Name(ctx, m.Author), parley.Quote(m.Body))
		res.Seen = append(res.Seen, m.ID)
	}
	res.Text = strings.TrimRight(b.String(), "\n")
	return res
}
