package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

type readQuery struct {
	a, b   string
	thread string
	group  string // a channel's name
	limit  int
}

func readCommand(c *console) *cobra.Command {
	q := readQuery{}
	cmd := &cobra.Command{
		Use:   "read AGENT [AGENT] | read '#CHANNEL'",
		Short: "Read a channel or the conversation of two",
		Long: `Read the conversation of two participants, newest last: yours with the agent, or
that of two agents, in all their threads. With '#CHANNEL', in quotes, read that
channel. What is shown to you counts as seen.`,
		Example: `  parley read CoordinatorBot
  parley read CoordinatorBot DataBot --limit 50
  parley read '#standup'
  parley read --thread thread-7
  parley read CoordinatorBot --json | jq -r '.messages[-1].body'`,
		GroupID:           groupLook,
		Args:              naming(2, between(0, 2)),
		ValidArgsFunction: c.completeRead,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLimit(cmd, q.limit); err != nil {
				return err
			}
			switch {
			case (len(args) == 0) == (q.thread == ""):
				return misused(cmd, "Name an agent, two agents, a channel like '#standup', or a thread.")
			case len(args) == 1 && strings.HasPrefix(args[0], "#"):
				q.group = strings.TrimPrefix(args[0], "#")
			case len(args) == 1:
				q.b = args[0]
			case len(args) == 2:
				q.a, q.b = args[0], args[1]
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				return c.read(ctx, hub, q)
			})
		},
	}
	cmd.Flags().StringVar(&q.thread, "thread", "", "this `thread` instead of the main one")
	cmd.Flags().IntVar(&q.limit, "limit", 20, "how many messages")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("thread", cobra.NoFileCompletions))
	return cmd
}

func emptyText(q readQuery) string {
	if q.group != "" {
		return "Nobody has written in #" + q.group + " yet.\n"
	}
	return "They have not spoken yet.\n"
}

func (c *console) read(ctx context.Context, hub *client.Client, q readQuery) error {
	var messages []api.Message
	var err error
	main := "" // the thread that needs no name
	switch {
	case q.group != "":
		messages, err = hub.ReadChannel(ctx, q.group, q.limit)
	case q.thread != "":
		messages, err = hub.ReadThread(ctx, q.thread, q.limit)
	default:
		messages, main, err = readPair(ctx, hub, q)
		if q.a == "" {
			err = c.orChannel(ctx, hub, q.b, err)
		}
	}
	if err != nil {
		return err
	}
	err = c.show(api.MessageList{Messages: messages}, func(s view.Screen) string {
		if len(messages) == 0 {
			return emptyText(q)
		}
		return s.Conversation(messages, main)
	})
	if err != nil {
		return err
	}
	ids := make([]string, len(messages))
	for i, m := range messages {
		ids[i] = m.ID
	}
	if q.group != "" && len(messages) > 0 {
		if err := hub.MarkRead(ctx, q.group, messages[len(messages)-1].N); err != nil {
			return err
		}
	}
	return hub.MarkSeen(ctx, ids...) // the hub ignores messages for others
}

// mostThreads bounds how many threads of two participants are read at once.
const mostThreads = 50

// readPair reads the last that two participants said to each other, in whatever
// thread, and returns the thread that most of their talk is in.
func readPair(ctx context.Context, hub *client.Client, q readQuery) (messages []api.Message, main string, err error) {
	threads, err := hub.Threads(ctx, q.a, q.b)
	if err != nil {
		return nil, "", err
	}
	if len(threads) > mostThreads {
		threads = append(threads[:1:1], threads[len(threads)-mostThreads+1:]...)
	}
	for _, t := range threads {
		if t.Main {
			main = t.ID
		}
		if t.Messages == 0 {
			continue
		}
		list, err := hub.ReadThread(ctx, t.ID, q.limit)
		if err != nil {
			return nil, "", err
		}
		messages = append(messages, list...)
	}
	slices.SortStableFunc(messages, func(a, b api.Message) int { return a.At.Compare(b.At) })
	return messages[max(0, len(messages)-q.limit):], main, nil
}
