package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/api"
	"parley/client"
	"parley/internal/cli/view"
	"parley/internal/config"
)

func ruleCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rule",
		Short: "Show and change what an agent may do",
		Long: `Show and change what an agent may do. The rules are in the agent's file. A change is
written there, in place of the old rule, and applies to every decision from then on.
The whole team is checked first; if the change would make a mistake, nothing is
written.

KEY is one of
  manager     NAME: decides about the agent's approvals; the agent may always
              contact its manager
  can_invoke  NAME...: the only ones it may contact; [] means nobody
  contacts    allow:NAME, deny:NAME, or ask:NAME if the contact needs approval;
              '*' means everyone
  mode        write or read
  profile     open, standard, guarded or locked, and patterns:
              allow:PATTERN, ask:PATTERN, deny:PATTERN
  behavior    autonomous, supervised or strict`,
		Example: `  parley rule show writer
  parley rule set writer behavior supervised
  parley rule add writer contacts deny:planner
  parley explain writer planner ask          # what applies now`,
		GroupID: groupCare,
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(ruleShowCommand(c), ruleSetCommand(c), ruleAddCommand(c), ruleRemoveCommand(c), ruleUnsetCommand(c))
	return cmd
}

func ruleShowCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "show AGENT",
		Short: "Show the rules in force for an agent, and where each comes from",
		Example: `  parley rule show writer
  parley rule show writer --json | jq '.rules[2].values'   # its contacts`,
		Args:              between(1, 1),
		ValidArgsFunction: c.completeAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.rules(cmd, func(ctx context.Context, hub *client.Client) (api.AgentRules, error) { return hub.Rules(ctx, args[0]) })
		},
	}
}

// maxRuleArgs bounds the arguments; the hub does not accept more values either.
const maxRuleArgs = 2000

func ruleSetCommand(c *console) *cobra.Command {
	var approval bool
	cmd := &cobra.Command{
		Use:   "set AGENT KEY VALUE...",
		Short: "Replace the values of a rule",
		Example: `  parley rule set writer mode read
  parley rule set writer can_invoke planner reader
  parley rule set writer can_invoke []                 # nobody
  parley rule set writer contacts allow:planner 'deny:*'
  parley rule set writer profile guarded 'allow:tool:agent_comm:send planner'`,
		Args:              between(3, maxRuleArgs),
		ValidArgsFunction: c.completeRule,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.rules(cmd, func(ctx context.Context, hub *client.Client) (api.AgentRules, error) {
				return hub.SetRule(ctx, args[0], args[1], ruleValues(args, approval))
			})
		},
	}
	approvalFlag(cmd, &approval)
	return cmd
}

func ruleAddCommand(c *console) *cobra.Command {
	var approval bool
	cmd := &cobra.Command{
		Use:   "add AGENT KEY VALUE...",
		Short: "Add to a rule that is a list",
		Long: `Add to a rule that is a list: contacts, can_invoke, or the patterns of the
profile. A contact rule replaces the one for the same name.`,
		Example: `  parley rule add writer contacts deny:planner
  parley rule add writer contacts allow:reader --requires-approval
  parley rule add writer can_invoke reader`,
		Args:              between(3, maxRuleArgs),
		ValidArgsFunction: c.completeRule,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.rules(cmd, func(ctx context.Context, hub *client.Client) (api.AgentRules, error) {
				return hub.AddRule(ctx, args[0], args[1], ruleValues(args, approval))
			})
		},
	}
	approvalFlag(cmd, &approval)
	return cmd
}

func ruleRemoveCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "remove AGENT KEY VALUE...",
		Short: "Remove values from a rule that is a list",
		Example: `  parley rule remove writer contacts deny:planner
  parley rule remove writer can_invoke reader`,
		Args:              between(3, maxRuleArgs),
		ValidArgsFunction: c.completeRule,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.rules(cmd, func(ctx context.Context, hub *client.Client) (api.AgentRules, error) {
				return hub.UnsetRule(ctx, args[0], args[1], args[2:])
			})
		},
	}
}

func ruleUnsetCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:               "unset AGENT KEY",
		Short:             "Remove a rule, so that its default applies",
		Example:           `  parley rule unset writer contacts`,
		Args:              between(2, 2),
		ValidArgsFunction: c.completeRule,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.rules(cmd, func(ctx context.Context, hub *client.Client) (api.AgentRules, error) {
				return hub.UnsetRule(ctx, args[0], args[1], nil)
			})
		},
	}
}

func approvalFlag(cmd *cobra.Command, approval *bool) {
	cmd.Flags().BoolVar(approval, "requires-approval", false, "require approval for what is allowed: allow:NAME becomes ask:NAME")
}

// ruleValues returns the arguments after the agent and the key.
func ruleValues(args []string, approval bool) []string {
	values := slices.Clone(args[2:])
	if len(values) == 1 && values[0] == "[]" {
		return []string{}
	}
	for i, v := range values {
		if name, allows := strings.CutPrefix(v, "allow:"); allows && approval && args[1] == config.KeyContacts {
			values[i] = "ask:" + name
		}
	}
	return values
}

// rules calls the hub and shows the rules that it returns.
func (c *console) rules(cmd *cobra.Command, do func(context.Context, *client.Client) (api.AgentRules, error)) error {
	return c.atHub(cmd, func(ctx context.Context, hub *client.Client) error {
		r, err := do(ctx, hub)
		if err != nil {
			return err
		}
		return c.show(r, func(s view.Screen) string { return s.Rules(r) })
	})
}

// completeRule offers an agent, a key, and the values of the key.
func (c *console) completeRule(cmd *cobra.Command, args []string, typed string) (completions, cobra.ShellCompDirective) {
	const fixed = cobra.ShellCompDirectiveNoFileComp
	switch {
	case len(args) == 0:
		return c.completeAgent(cmd, args, typed)
	case len(args) == 1:
		return config.RuleKeys(), fixed
	case cmd.Name() == "unset":
		return nil, fixed
	}
	switch args[1] {
	case config.KeyMode:
		return completions{"write", "read"}, fixed
	case config.KeyBehavior:
		return completions{"autonomous", "supervised", "strict"}, fixed
	case config.KeyProfile:
		return completions{"open", "standard", "guarded", "locked"}, fixed
	case config.KeyContacts:
		return completions{"allow:", "ask:", "deny:"}, fixed | cobra.ShellCompDirectiveNoSpace
	default:
		return c.offer(cmd, agentNames(args))
	}
}
