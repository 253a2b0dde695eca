package demo

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// The agent that is asked, and the request.
const (
	lead    = "CoordinatorBot"
	request = "Prepare the report for Q3."
)

func (s *stage) print(text string) {
	_, _ = io.WriteString(s.Out, text) // nothing can be done if it fails
}

func (s *stage) opening() string {
	if s.JSON {
		return ""
	}
	return s.heading("A team at work") + s.Screen.Text(
		"A hub is up at "+s.hub.url+", with seven agents, no key and no network. "+
			"You ask "+lead+" for a report. Every message is stored and delivered by the hub; "+
			"only what the agents say comes from a script.") + "\n"
}

func (s *stage) heading(text string) string {
	return s.Screen.Paint(view.Bold, text) + "\n"
}

// finale shows the answer, the tree and the diagram.
func (s *stage) finale(ctx context.Context, t api.Task) (api.TaskTree, error) {
	tree, err := s.hub.Tree(ctx, t.ID)
	if err != nil {
		return tree, err
	}
	arrows, err := s.hub.Trace(ctx, t.ID)
	if err != nil {
		return tree, err
	}
	screen := s.Screen
	screen.Now = time.Now()
	text := t.Result
	if t.Error != "" {
		text = "Error: " + t.Error
	}
	if !s.JSON {
		s.print("\n" + s.heading("The answer") + screen.Indent(text, "  ") +
			"\n" + s.heading("The task tree") + screen.Tree([]api.TaskTree{tree}) +
			"\n" + s.heading("Who said what to whom") + screen.Trace(arrows))
	}
	return tree, s.seen(ctx, t)
}

// seen tells the hub that the whole task was displayed, so that the reader begins
// with an empty inbox.
func (s *stage) seen(ctx context.Context, t api.Task) error {
	inbox, err := s.hub.Inbox(ctx, 0)
	if err != nil {
		return err
	}
	var ids []string
	for _, item := range inbox.Items {
		if item.Task == t.ID {
			ids = append(ids, item.ID)
		}
	}
	return s.hub.MarkSeen(ctx, ids...)
}

func (s *stage) invitation() string {
	if s.JSON {
		return ""
	}
	text := "\n" + s.heading("Your turn") + "The hub stays up until Ctrl-C. Talk to it from another terminal:\n" +
		"  export PARLEY_DIR=" + s.dir + "\n"
	for _, command := range []string{
		`ask ` + lead + ` "Now the report for Q2, please."`,
		`delegate ` + lead + ` "Publish it."`,
		"inbox",
		"tasks",
	} {
		text += "  " + s.Program + " " + command + "\n"
	}
	return text
}

// expected is the story as planned: who did what, and how it ended.
func expected() []string {
	return []string{
		"CoordinatorBot asked by you: completed",
		"DataBot asked by CoordinatorBot: completed",
		"AnalystBot delegated by CoordinatorBot: completed",
		"DataBot asked by AnalystBot: completed",
		"WriterBot delegated by CoordinatorBot: completed",
		"ChartBot delegated by CoordinatorBot: failed (Rate limit exceeded.)",
		"SketchBot delegated by CoordinatorBot: completed",
	}
}

// asTold compares what happened with the planned story.
func asTold(t api.Task, tree api.TaskTree, notified []string) error {
	var missing []string
	happened := outline(tree)
	for _, step := range expected() {
		if !slices.Contains(happened, step) {
			missing = append(missing, step)
		}
	}
	for _, part := range []string{"AnalystBot: ", "WriterBot: ", "SketchBot: "} {
		if !strings.Contains(t.Result, part) {
			missing = append(missing, strings.TrimSuffix(part, ": ")+"'s part in the answer")
		}
	}
	if !slices.Contains(notified, "ArchiveBot") {
		missing = append(missing, "a notification to ArchiveBot")
	}
	if len(missing) > 0 || len(happened) != len(expected()) {
		return parley.Errorf(parley.Failed, "The story did not go as planned. Missing: %s. Instead: %s.",
			strings.Join(missing, "; "), strings.Join(happened, "; "))
	}
	return nil
}

func outline(t api.TaskTree) []string {
	how := "delegated"
	if t.Pattern == string(parley.Ask) {
		how = "asked"
	}
	line := fmt.Sprintf("%s %s by %s: %s", t.Agent, how, t.Requester, t.State)
	if t.Error != "" {
		line += " (" + t.Error + ")"
	}
	list := []string{line}
	for _, child := range t.Children {
		list = append(list, outline(child)...)
	}
	return list
}
