package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley"
)

// misused is the error for a command that was not understood. Its hint shows the
// usage.
func misused(cmd *cobra.Command, format string, args ...any) error {
	return usageError{parley.Errorf(parley.Invalid, format, args...).
		WithHint("Usage: %s\n%s --help shows examples.", useLine(cmd), cmd.CommandPath())}
}

// usageError has its own exit code.
type usageError struct{ what *parley.Error }

func (e usageError) Error() string { return e.what.Error() }
func (e usageError) Unwrap() error { return e.what }

func useLine(cmd *cobra.Command) string {
	return strings.TrimSuffix(cmd.UseLine(), " [flags]")
}

// between accepts least to most arguments; most < 0 means any number.
func between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misused(cmd, "An argument is missing.")
		case most >= 0 && len(args) > most:
			return misused(cmd, "The argument %q is one too many.", args[most])
		case most >= 0 && slices.Contains(args, ""):
			return misused(cmd, "The argument is empty.")
		}
		return nil
	}
}

// naming adds a check to args: the first n arguments are names of agents or ids.
func naming(n int, args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := args(cmd, given); err != nil {
			return err
		}
		for _, arg := range given[:min(n, len(given))] {
			if err := checkName(cmd, "argument", arg); err != nil {
				return err
			}
		}
		return nil
	}
}

// checkName refuses what cannot be a name or an id. In a URL it could lead to
// another path, or arrive as another text.
func checkName(cmd *cobra.Command, what, name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return misused(cmd, "The %s is empty.", what)
	case name == "." || name == "..":
		return misused(cmd, "The %s %q is neither a name nor an id.", what, name)
	case !utf8.ValidString(name):
		return misused(cmd, "The %s %q is not UTF-8 text.", what, name)
	}
	return nil
}

// checkTimeout refuses a --timeout that the hub would not accept. longest is 0 if
// there is no bound.
func checkTimeout(cmd *cobra.Command, timeout, longest time.Duration) error {
	switch {
	case timeout < 0:
		return misused(cmd, "--timeout is %s; it cannot be negative.", timeout)
	case longest > 0 && timeout > longest:
		return misused(cmd, "--timeout is %s; the longest is %s.", timeout, longest)
	}
	return nil
}

// longestList is how many items the hub returns at most.
const longestList = 1000

func checkLimit(cmd *cobra.Command, limit int) error {
	if limit < 1 || limit > longestList {
		return misused(cmd, "--limit is %d; it has to be a number from 1 to %d.", limit, longestList)
	}
	return nil
}

// noSuchCommand refuses an argument where the name of a command is expected.
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

// flagError makes a sentence out of the flag parser's error.
func flagError(cmd *cobra.Command, err error) error {
	if strings.Contains(err.Error(), "missing unit in duration") {
		err = fmt.Errorf("%w; write the unit too, such as 5s, 10m or 1h", err)
	}
	text := err.Error()
	if unknown, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		if near := nearFlags(cmd, unknown); len(near) > 0 {
			return usageError{parley.Errorf(parley.Invalid, "There is no flag --%s.", unknown).WithHint("Did you mean %s?", strings.Join(near, " or "))}
		}
	}
	return misused(cmd, "%s.", strings.ToUpper(text[:1])+strings.TrimSuffix(text[1:], "."))
}

// nearFlags are the flags of a command that an unknown one may have meant.
func nearFlags(cmd *cobra.Command, unknown string) (near []string) {
	unknown, _, _ = strings.Cut(unknown, "=")
	var known []string
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	}
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	slices.Sort(known)
	for _, name := range parley.Nearest(unknown, slices.Compact(known), 2) {
		near = append(near, "--"+name)
	}
	return near
}

// group makes a command that only holds others.
func group(cmd *cobra.Command, members ...*cobra.Command) *cobra.Command {
	cmd.Args = noSuchCommand
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return cmd.Help() }
	cmd.AddCommand(members...)
	return cmd
}
