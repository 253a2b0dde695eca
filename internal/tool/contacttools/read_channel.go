package contacttools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/policy"
	"parley/internal/reading"
	"parley/internal/tool"
)

//go:embed read_channel.md
var readChannelText string

var readChannelSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"channel": {"type": "string", "description": "The channel, for example #standup."},
		"limit": {"type": "integer", "description": "How many messages, from 1 to 100; 20 if left out."},
		"before": {"type": "integer", "description": "Only messages with a smaller number; the latest if left out."}
	},
	"required": ["channel"]
}`)

type readChannelArgs struct {
	Channel string `json:"channel"`
	Limit   int    `json:"limit"`
	Before  int    `json:"before"`
}

func readChannel(read *reading.Service) tool.Tool {
	return tool.Tool{
		Tool:    model.Tool{Name: "read_channel", Description: readChannelText, Schema: readChannelSchema},
		Replays: true,
		Action:  readChannelAction,
		Run: func(ctx context.Context, c tool.Call) (tool.Result, error) {
			args := readChannelArgs{Limit: 20}
			if err := tool.Decode(c.Args, &args); err != nil {
				return tool.Result{}, err
			}
			if args.Limit < 1 || args.Limit > 100 || args.Before < 0 {
				return tool.Result{}, parley.Errorf(parley.Invalid, "limit is from 1 to 100, and before is a number of a message.")
			}
			ch, list, err := read.GroupMessages(ctx, Caller(c), args.Channel, args.Before, args.Limit)
			if err != nil {
				return tool.Result{}, err
			}
			return showChannel(ctx, read, ch, list), nil
		},
	}
}

// readChannelAction names the call for the rules. Arguments that name no channel
// are refused when the tool reads them.
func readChannelAction(args json.RawMessage) string {
	var a readChannelArgs
	_ = tool.Decode(args, &a)
	return policy.ReadIn(parley.BareChannel(a.Channel)).Action
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
