package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"parley"
)

// misused is a command that was not understood. The hint shows how it is
// meant.
func misused(cmd *cobra.Command, format string, args ...any) error {
	return usageError{parley.Errorf(parley.Invalid, format, args...).
		WithHint("Usage: %s\n%s --help shows examples.", useLine(cmd), cmd.CommandPath())}
}

// usageError has an exit code of its own.
type usageError struct{ what *parley.Error }

func (e usageError) Error() string { return e.what.Error() }
func (e usageError) Unwrap() error { return e.what }

func useLine(cmd *cobra.Command) string {
	return strings.TrimSuffix(cmd.UseLine(), " [flags]")
}

// between accepts from least to most arguments; most < 0 is any number.
func between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misused(cmd, "An argument is missing.")
		case most >= 0 && len(args) > most:
			return misused(cmd, "There is no place for the argument %q.", args[most])
		}
		return nil
	}
}

// noSuchCommand refuses what is left over where a command's name should be.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := parley.Errorf(parley.Invalid, "There is no command %q.", cmd.CommandPath()+" "+args[0])
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usageError{err.WithHint("Did you mean %s?", strings.Join(near, ", "))}
	}
	return usageError{err.WithHint("%s --help lists them.", cmd.CommandPath())}
}

// flagError makes a sentence of the flag parser's complaint.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	return misused(cmd, "%s.", strings.ToUpper(text[:1])+strings.TrimSuffix(text[1:], "."))
}

// group is a command that only holds others.
func group(cmd *cobra.Command, members ...*cobra.Command) *cobra.Command {
	cmd.Args = noSuchCommand
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return cmd.Help() }
	cmd.AddCommand(members...)
	return cmd
}
