package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/api"
	"parley/internal/cli/view"
)

// Who asks, the agent that is asked, and the request.
const (
	person  = "you"
	lead    = "CoordinatorBot"
	request = "Prepare the report for Q3."
)

// print is called by the narrator, too.
func (s *stage) print(text string) {
	s.printing.Lock()
	defer s.printing.Unlock()
	_, _ = io.WriteString(s.Out, text) // nothing can be done if it fails
}

// link signs the reader in to the page; empty if nobody wants one.
func (s *stage) link(ctx context.Context) (string, error) {
	if !s.Link && s.Open == nil {
		return "", nil
	}
	l, err := s.hub.CreateLink(ctx)
	return s.hub.url + l.Path, err
}

func (s *stage) opening(link string) string {
	if s.JSON {
		return ""
	}
	text := s.heading("A team at work") + s.Screen.Text(
		"A hub is up at "+s.hub.url+", with eight agents, no key and no network. "+
			"You ask "+lead+" for a report. Every message is stored and delivered by the hub; "+
			"only what the agents say, and what it costs, comes from a script.") + "\n"
	if s.Link {
		text += "Watch it on the page, too. This link opens it once, within ten minutes:\n  " + link + "\n\n"
	}
	return text
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

// invitation says what the reader can do now. What waits for an approval comes first.
func (s *stage) invitation(waiting []api.Approval) string {
	if s.JSON {
		return ""
	}
	text := "\n" + s.heading("Your turn")
	commands := []string{`ask ` + lead + ` "Now the report for Q2, please."`, `post '#reports' "@WriterBot is there a shorter one?"`, "inbox", "tasks"}
	if len(waiting) > 0 {
		a := waiting[0]
		text += s.Screen.Text(a.Agent + " waits for your approval to " + wish(a) + ". Decide on the page, or from another terminal:")
		id := shortID(a.ID)
		commands = append([]string{"approvals " + id, "approve " + id}, commands...)
	} else {
		text += "Talk to it from another terminal:\n"
	}
	text += "  export PARLEY_DIR=" + s.dir + "\n"
	for _, command := range commands {
		text += "  " + s.Program + " " + command + "\n"
	}
	return text + "The hub stays up until Ctrl-C.\n"
}

// shortID is an approval's id without the letters that people may leave out.
func shortID(id string) string {
	if i := strings.LastIndexByte(id, '-'); i > strings.IndexByte(id, '-') {
		return id[:i]
	}
	return id
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

// beside is what happens beside the task that was asked for. Most of it is for the page to
// show.
var beside = []string{
	string(parley.EventKept), string(parley.EventQuestionForwarded), string(parley.EventQuestionAnswered),
	string(parley.EventApprovalRequested),
}

// besides compares what happened beside the task with the plan: a part of a conversation is
// kept, a question has found its way to whoever found it there, and one
// thing waits for the reader.
func (s *stage) besides(ctx context.Context) error {
	waiting, err1 := s.hub.Approvals(ctx, false, 2)
	questions, err2 := s.hub.Questions(ctx, "", false, 2)
	keepers, err3 := s.hub.Keepers(ctx, 2)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	var missing []string
	if len(waiting) != 1 || wish(waiting[0]) != "write public/Q3.md" {
		missing = append(missing, "one approval, of what is published")
	}
	if len(keepers.Keepers) != 1 || !keepers.Keepers[0].Shared {
		missing = append(missing, "one keeper, for everybody")
	}
	if len(questions) != 1 || questions[0].State != parley.QuestionAnswered.String() || questions[0].Hops != 2 {
		missing = append(missing, "one question, answered after two hops")
	}
	if len(missing) > 0 {
		return parley.Errorf(parley.Failed, "The story did not go as planned. Missing: %s.", strings.Join(missing, "; "))
	}
	return nil
}

// wish says what an approval is for, in a few words.
func wish(a api.Approval) string {
	var args struct{ Path string }
	if err := json.Unmarshal(a.Arguments, &args); err == nil && a.Tool == "write_file" {
		return "write " + args.Path
	}
	return a.Wants
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
