package cli

import (
	"context"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
)

func questionsCommand(c *console) *cobra.Command {
	var agent string
	var open bool
	var limit int
	cmd := &cobra.Command{
		Use:   "questions",
		Short: "List the questions that agents and people ask the team",
		Long: `List the questions that agents and people ask the team, newest first, with their
state. "parley question show" draws the route of one.`,
		Example: `  parley questions
  parley questions --open
  parley questions --agent WriterBot
  parley questions --json | jq -r '.questions[] | select(.state == "failed") | .id'`,
		GroupID: groupLook,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLimit(cmd, limit); err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				list, err := hub.Questions(ctx, agent, open, limit)
				if err != nil {
					return err
				}
				return c.show(api.QuestionList{Questions: list}, func(s view.Screen) string {
					switch {
					case len(list) > 0:
						return s.Questions(list)
					case open || agent != "":
						return "There are no such questions. See all with: " + c.command("questions") + "\n"
					}
					return "There are no questions. Ask one with: " + c.command(`question ask "..."`) + "\n"
				})
			})
		},
	}
	cmd.Flags().BoolVar(&open, "open", false, "only open questions")
	cmd.Flags().StringVar(&agent, "agent", "", "only what this `agent` asked or was asked")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many")
	completeAgentFlag(c, cmd, "agent")
	return cmd
}

func questionCommand(c *console) *cobra.Command {
	return group(&cobra.Command{
		Use:   "question",
		Short: "Ask the team a question; answer, forward or show one",
		Example: `  parley question ask "Who knows how the login works?"
  parley question show query-12`,
		GroupID: groupTalk,
	}, questionAskCommand(c), questionShowCommand(c), questionAnswerCommand(c), questionForwardCommand(c))
}

func questionShowCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "show QUESTION",
		Short: "Draw the route of a question",
		Long: `Draw the route of a question: who asked whom, who forwarded it and why, and the
answers.`,
		Example: `  parley question show query-12
  parley question show query-12 --json | jq -r '.routes[].agent'`,
		Args:              naming(1, between(1, 1)),
		ValidArgsFunction: c.completeQuestion,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				q, err := hub.Question(ctx, args[0])
				return c.showQuestion(q, err, "")
			})
		},
	}
}

// showQuestion prints a line that says what was done, and draws the question
// below it.
func (c *console) showQuestion(q api.Question, err error, done string) error {
	if err != nil {
		return err
	}
	return c.show(q, func(s view.Screen) string {
		if done != "" {
			return done + "\n"
		}
		return s.Question(q)
	})
}

func questionAskCommand(c *console) *cobra.Command {
	var r api.QuestionRequest
	cmd := &cobra.Command{
		Use:   "ask [QUESTION...]",
		Short: "Ask the team a question",
		Long: `Ask one agent or everyone a question. Of everyone, up to five who probably know are asked
first, and the others if none of them has answered within a minute. Those who are asked
can forward it to somebody who knows better. The answers come to your inbox. If nobody
knows, or nobody answers within ten minutes (question_lifetime in parley.yaml), your
inbox says so.

` + inputHelp,
		Example: `  parley question ask "Who knows how the login works?"
  parley question ask --to DataBot "Where do the figures come from?"
  parley question ask "Which port?" --context "For staging." --json | jq -r .question_id`,
		Args:              between(0, -1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkText("--context", r.Context); err != nil {
				return err
			}
			text, err := c.compose(cmd, args)
			if err != nil {
				return err
			}
			r.Question = text
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error { return c.askQuestion(ctx, hub, r) })
		},
	}
	cmd.Flags().StringVar(&r.Target, "to", "", "ask this `agent` alone")
	cmd.Flags().StringVar(&r.Context, "context", "", "background that the others need")
	completeAgentFlag(c, cmd, "to")
	return c.takesInput(cmd)
}

func (c *console) askQuestion(ctx context.Context, hub *client.Client, r api.QuestionRequest) error {
	asked, err := hub.AskQuestion(ctx, r)
	if err != nil {
		return err
	}
	return c.show(asked, func(view.Screen) string {
		if asked.Approval != nil {
			return asked.Text + "\nSee it with: " + c.command("approvals %s", asked.Approval.ID) + "\n"
		}
		return asked.Text + "\n" + "Read the answers with: " + c.command("inbox") + "\n" +
			"See its route with: " + c.command("question show %s", asked.ID) + "\n"
	})
}

func questionAnswerCommand(c *console) *cobra.Command {
	var pass bool
	cmd := &cobra.Command{
		Use:   "answer QUESTION [ANSWER...]",
		Short: "Answer a question that you were asked",
		Long: `Answer a question that you were asked; "parley inbox" shows them. You can answer once,
and the asker gets the answer at once. With --pass you say that you do not know: nothing
is delivered.

` + inputHelp,
		Example: `  parley question answer query-12 "Port 8080."
  parley question answer query-12 < answer.md
  parley question answer query-12 --pass`,
		Args:              naming(1, between(1, -1)),
		ValidArgsFunction: c.completeQuestion,
		RunE: func(cmd *cobra.Command, args []string) error {
			if pass {
				return c.passQuestion(cmd, args)
			}
			text, err := c.compose(cmd, args[1:])
			if err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				q, err := hub.AnswerQuestion(ctx, args[0], api.AnswerRequest{Answer: text})
				return c.showQuestion(q, err, "Answered "+q.ID+" of "+q.Asker+".")
			})
		},
	}
	cmd.Flags().BoolVar(&pass, "pass", false, "you do not know; give no answer with it")
	return c.takesInput(cmd)
}

func (c *console) passQuestion(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return misused(cmd, "--pass takes no answer.")
	}
	return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
		q, err := hub.AnswerQuestion(ctx, args[0], api.AnswerRequest{Pass: true})
		return c.showQuestion(q, err, "Passed on "+q.ID+" of "+q.Asker+".")
	})
}

func questionForwardCommand(c *console) *cobra.Command {
	return c.takesInput(&cobra.Command{
		Use:   "forward QUESTION AGENT [ENRICHMENT...]",
		Short: "Forward a question that you were asked",
		Long: `Forward a question that you were asked to somebody who knows better. Add what you
know about it as the enrichment: the next agent and the asker read it. The answer goes
to the asker.

` + inputHelp,
		Example:           `  parley question forward query-12 DataBot "It moved in May."`,
		Args:              naming(2, between(2, -1)),
		ValidArgsFunction: c.completeForward,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := c.compose(cmd, args[2:])
			if err != nil {
				return err
			}
			return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
				q, err := hub.ForwardQuestion(ctx, args[0], api.ForwardRequest{Target: args[1], Enrichment: text})
				return c.showQuestion(q, err, "Forwarded "+q.ID+" to "+args[1]+".")
			})
		},
	})
}

// completeQuestion offers the newest questions.
func (c *console) completeQuestion(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.offer(cmd, func(ctx context.Context, hub *client.Client) (completions, error) {
		list, err := hub.Questions(ctx, "", false, 50)
		var ids completions
		for _, q := range list {
			ids = append(ids, cobra.CompletionWithDesc(q.ID, q.Asker+": "+q.Text))
		}
		return ids, err
	})
}

// completeForward offers a question, then an agent.
func (c *console) completeForward(cmd *cobra.Command, args []string, word string) (completions, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return c.completeQuestion(cmd, args, word)
	}
	return c.offer(cmd, agentNames(nil))
}

func completeAgentFlag(c *console, cmd *cobra.Command, name string) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, _ string) (completions, cobra.ShellCompDirective) {
		return c.offer(cmd, agentNames(nil))
	}))
}
