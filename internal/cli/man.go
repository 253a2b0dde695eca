package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/internal/app"
	"parley/internal/cli/view"
)

// Manual is what "parley man DIR --json" prints.
type Manual struct {
	Files []string `json:"files"`
}

func manCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Print the manual page, or write those of all commands into a folder",
		Example: `  parley man | man -l -
  parley man ~/.local/share/man/man1   # then: man parley-ask`,
		GroupID: groupCare,
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				page := manPage(cmd.Root())
				return c.show(map[string]string{"page": page}, func(view.Screen) string { return page })
			}
			files, err := writeManual(cmd.Root(), args[0])
			if err != nil {
				return err
			}
			return c.show(Manual{files}, func(view.Screen) string {
				return fmt.Sprintf("Wrote %s into %s.\n", view.Plural(len(files), "page"), args[0])
			})
		},
	}
}

// writeManual writes a page for a command and for all below it.
func writeManual(cmd *cobra.Command, dir string) (files []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
	if err := os.WriteFile(file, []byte(manPage(cmd)), 0o644); err != nil {
		return nil, err
	}
	files = append(files, file)
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		more, err := writeManual(sub, dir)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

// manPage is the help of a command as a page for man(1).
func manPage(cmd *cobra.Command) string {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s\n", roffWord(strings.ToUpper(name)), roffWord("parley "+app.Version()))
	section(&b, "NAME", roff(name+" - "+cmd.Short))
	section(&b, "SYNOPSIS", ".nf\n"+roff(useLine(cmd))+"\n.fi")
	if cmd.Long != "" {
		section(&b, "DESCRIPTION", ".nf\n"+roff(cmd.Long)+"\n.fi")
	}
	if list := manFlags(cmd.LocalFlags()); list != "" {
		section(&b, "OPTIONS", list)
	}
	if list := manFlags(cmd.InheritedFlags()); list != "" {
		section(&b, "OPTIONS OF EVERY COMMAND", list)
	}
	if cmd.Example != "" {
		section(&b, "EXAMPLES", ".nf\n"+roff(cmd.Example)+"\n.fi")
	}
	if list := manSeeAlso(cmd); list != "" {
		section(&b, "SEE ALSO", list)
	}
	return b.String()
}

func section(b *strings.Builder, name, text string) { fmt.Fprintf(b, ".SH %s\n%s\n", name, text) }

func manFlags(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		word, help := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR", roff(name))
		if word != "" {
			fmt.Fprintf(&b, " \\fI%s\\fR", roff(word))
		}
		b.WriteString("\n" + roff(help) + "\n")
	})
	return strings.TrimSuffix(b.String(), "\n")
}

// manSeeAlso names the commands above and below.
func manSeeAlso(cmd *cobra.Command) string {
	var list []string
	if cmd.HasParent() {
		list = append(list, cmd.Parent().CommandPath())
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			list = append(list, sub.CommandPath())
		}
	}
	for i, path := range list {
		list[i] = "\\fB" + roff(strings.ReplaceAll(path, " ", "-")) + "\\fR(1)"
	}
	return strings.Join(list, ",\n")
}

// roff writes text as it is: backslashes and dashes have a meaning, and so have a dot
// and a quote at the beginning of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

func roffWord(s string) string { return `"` + strings.ReplaceAll(roff(s), `"`, "") + `"` }
