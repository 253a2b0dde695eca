// Package cli is the command line, with one file for each command. A command
// reads its arguments, calls the running hub over the HTTP API and prints the
// answer: as text for people, or with --json in the API's own types.
//
// The answer goes to standard output. Errors, progress and advice go to
// standard error, so that another program can use the output.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/bench"
	"parley/internal/workspace/sandbox"
)

// Main runs the command that the arguments name and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if code, child := sandbox.Child(args); child {
		return code
	}
	if child, err := bench.Child(context.Background()); child {
		if err != nil {
			_, _ = fmt.Fprintln(stderr, err)
			return exitFailed
		}
		return exitOK
	}
	c := &console{args: args, in: stdin, out: stdout, err: stderr, getenv: os.Getenv, now: time.Now, program: programName(os.Args[0])}
	root := newRoot(c)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return c.fail(root.ExecuteContext(context.Background()))
}

const rootLong = `parley is a communication server for teams of AI agents. Agents ask each other,
delegate work and get the result pushed back, and notify each other. You watch,
answer and step in.

Commands talk to the hub of one team. The team's folder is given with --dir or in
PARLEY_DIR; otherwise it is this folder, or the nearest one above it that has a
parley.yaml. A hub elsewhere is used with PARLEY_URL, its address, and PARLEY_TOKEN.
A hub can serve further teams (parley team add); --team or PARLEY_TEAM names one of
them.

Exit codes:
  0    success
  1    refused or failed
  2    the command was not understood
  3    no hub is running
  4    there was no answer in time
  5    the hub did not answer: whether it did what was asked is unknown
  130  stopped with Ctrl-C`

const rootExample = `  parley demo                               # see a team at work
  parley init my-team && parley up my-team  # start one of your own
  parley ask coordinator "Plan a launch"    # in another terminal`

// The groups in which help lists the commands.
const (
	groupStart = "start"
	groupTalk  = "talk"
	groupLook  = "look"
	groupCare  = "care"
)

func newRoot(c *console) *cobra.Command {
	root := &cobra.Command{
		Use:           "parley",
		Short:         "A communication server for teams of AI agents",
		Long:          rootLong,
		Example:       rootExample,
		Version:       app.Version(),
		SilenceErrors: true, // fail prints them
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		// Errors before this point are about usage.
		PersistentPreRun: func(*cobra.Command, []string) { c.understood = true },
	}
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("parley {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	flags := root.PersistentFlags()
	flags.StringVar(&c.dir, "dir", "", "the team's `folder`")
	flags.StringVar(&c.data, "data", "", "the hub's data `folder`, if it is not the one in parley.yaml")
	flags.StringVar(&c.team, "team", "", "the `name` of another team of the hub; PARLEY_TEAM does the same")
	flags.BoolVar(&c.json, "json", false, "print JSON")
	flags.BoolVar(&c.noColor, "no-color", false, "print without colours; NO_COLOR does the same")
	cobra.CheckErr(root.RegisterFlagCompletionFunc("team", c.completeTeam))
	root.AddGroup(
		&cobra.Group{ID: groupStart, Title: "Start:"},
		&cobra.Group{ID: groupTalk, Title: "Talk to agents:"},
		&cobra.Group{ID: groupLook, Title: "Look:"},
		&cobra.Group{ID: groupCare, Title: "Look after a team:"},
	)
	root.SetHelpCommandGroupID(groupCare)
	root.AddCommand(commands(c)...)
	return root
}

func commands(c *console) []*cobra.Command {
	return []*cobra.Command{
		demoCommand(c), initCommand(c), upCommand(c), downCommand(c), hubStatusCommand(c), mcpCommand(c),
		askCommand(c), delegateCommand(c), notifyCommand(c), postCommand(c), inboxCommand(c), replyCommand(c), remindCommand(c), questionCommand(c), approveCommand(c), denyCommand(c),
		agentsCommand(c), toolsCommand(c), modelsCommand(c), tasksCommand(c), taskCommand(c), messageCommand(c), readCommand(c), searchCommand(c), keepersCommand(c), questionsCommand(c), claimsCommand(c), scheduleCommand(c),
		joinCommand(c), hookCommand(c),
		channelsCommand(c), channelCommand(c), traceCommand(c), explainCommand(c), approvalsCommand(c), auditCommand(c), watchCommand(c), logCommand(c), costCommand(c),
		sleepCommand(c), wakeCommand(c), offlineCommand(c), onlineCommand(c), freshCommand(c),
		pauseCommand(c), resumeCommand(c), teamCommand(c),
		tokenCommand(c), sessionCommand(c), personCommand(c), ruleCommand(c), reloadCommand(c), backupCommand(c), restoreCommand(c), doctorCommand(c), benchCommand(c), serviceCommand(c), completionCommand(c), manCommand(c), versionCommand(c),
	}
}
