package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/access"
	"parley/internal/bridge/markup"
	"parley/internal/reading"
	"parley/internal/store"
)

// content is what a post shows at the moment.
type content struct {
	from    Author
	pieces  []markup.Piece
	buttons []Button
	prompt  bool
	file    string // the name of the file that holds it all, if it is too long
}

// errGone says that there is nothing to show any more.
var errGone = errors.New("what it shows was removed")

// parts makes the posts that a post takes.
func (b *Bridge) parts(ctx context.Context, p parley.ChatPost) ([]Post, error) {
	c, err := b.content(ctx, p)
	if kind := parley.KindOf(err); errors.Is(err, store.ErrNotFound) || kind == parley.NotFound || kind == parley.Denied {
		return nil, errGone // who may not see it any more is shown nothing, and holds nobody up
	}
	if err != nil {
		return nil, err
	}
	limits := b.Program.Limits()
	texts := limits.Form.Split(limits.Parts+1, c.pieces...)
	var file *File
	if len(texts) > limits.Parts {
		file = &File{Name: c.file + ".txt", Text: plain(c.pieces)}
		texts = []string{texts[0], limits.Form.Escape("The whole text is attached.")}
	}
	list := make([]Post, len(texts))
	for i, text := range texts {
		list[i] = Post{Key: keyOf(p, i), To: Place{p.Conversation, p.Thread}, From: c.from, Text: text, Part: i + 1, Parts: len(texts)}
		if i == 0 {
			list[i].ReplyTo = p.ReplyTo
		}
	}
	last := &list[len(list)-1]
	last.Buttons, last.Prompt, last.File = c.buttons, c.prompt, file
	return list, nil
}

// keyOf is the name of a part of a post in the program.
func keyOf(p parley.ChatPost, part int) string { return fmt.Sprintf("%sp%d", p.Nonce, part) }

// plain is what pieces say, for a file.
func plain(pieces []markup.Piece) string {
	var texts []string
	for _, p := range pieces {
		texts = append(texts, markup.Clean(p.Markdown+p.Plain+p.Code))
	}
	return strings.Join(texts, "\n\n") + "\n"
}

func (b *Bridge) content(ctx context.Context, p parley.ChatPost) (content, error) {
	switch p.Kind {
	case parley.ChatMessage:
		return b.messageContent(ctx, p)
	case parley.ChatQuestion:
		return b.questionContent(ctx, p)
	case parley.ChatApproval:
		return b.approvalContent(ctx, p)
	case parley.ChatPayload:
		return b.payloadContent(ctx, p)
	case parley.ChatTasks:
		return b.tasksContent(ctx, p)
	case parley.ChatSummary:
		return b.summaryContent(ctx, p)
	case parley.ChatPrompt:
		return content{pieces: []markup.Piece{{Plain: "Why not? Answer this message with the reason."}}, prompt: true}, nil
	}
	return content{pieces: []markup.Piece{{Plain: p.Text}}, file: "note"}, nil
}

// said is a message with what is shown around it.
type said struct {
	parley.Message
	from  Author
	place string // the group channel; empty for a dm
	text  string // all of it
	task  parley.Task
}

func (b *Bridge) said(ctx context.Context, id parley.MessageID) (s said, err error) {
	err = b.Store.View(ctx, func(tx *store.Tx) error {
		if s.Message, err = tx.Message(id); err != nil {
			return err
		}
		if s.Team != b.Team.ID {
			return store.ErrNotFound
		}
		if s.text, err = tx.Attachment(id); errors.Is(err, store.ErrNotFound) {
			s.text, err = s.Body, nil
		}
		if err != nil {
			return err
		}
		author, err := tx.Agent(s.Author)
		if err != nil {
			return err
		}
		s.from = authorOf(author, s.Message)
		thread, err := tx.Thread(s.Thread)
		if err != nil {
			return err
		}
		ch, err := tx.Channel(thread.Channel)
		if err == nil && ch.Kind == parley.Group {
			s.place = ch.Place()
		}
		if err == nil && s.Task != 0 {
			s.task, err = tx.Task(s.Task)
		}
		return err
	})
	return s, err
}

func authorOf(a parley.Agent, m parley.Message) Author {
	switch {
	case m.FromHub() || m.Kind == parley.NoticeMessage:
		return Author{}
	case a.Kind == parley.Person:
		return Author{Name: a.Name, Kind: ByPerson}
	}
	return Author{Name: a.Name, Kind: ByAgent}
}

func (b *Bridge) messageContent(ctx context.Context, p parley.ChatPost) (content, error) {
	s, err := b.said(ctx, p.Message)
	if err != nil {
		return content{}, err
	}
	c := content{from: s.from, file: s.ID.String()}
	if p.Agent != 0 && s.place != "" {
		c.add("In " + s.place + ":")
	}
	if s.Kind == parley.FailureMessage {
		c.add(s.Task.String() + " has failed:")
	}
	c.pieces = append(c.pieces, markup.Piece{Markdown: s.text})
	if p.Agent != 0 && s.Context != "" {
		c.add("Context:")
		c.pieces = append(c.pieces, markup.Piece{Markdown: s.Context})
	}
	return c, nil
}

func (c *content) add(line string) { c.pieces = append(c.pieces, markup.Piece{Plain: line}) }

func (b *Bridge) questionContent(ctx context.Context, p parley.ChatPost) (content, error) {
	c, err := b.messageContent(ctx, p)
	if err != nil {
		return c, err
	}
	t, err := b.Reading.Task(ctx, b.as(p.Agent), p.Task)
	if err != nil {
		return c, err
	}
	if !t.State.Open() {
		c.add(fmt.Sprintf("(%s is %s.)", t.ID, t.State))
		return c, nil
	}
	_, options := parley.Choices(c.body())
	for i, option := range options {
		c.buttons = append(c.buttons, Button{Label: fmt.Sprintf("%d. %s", i+1, clipLabel(option)), Data: fmt.Sprintf("%s %s %d", pressChoose, t.ID, i+1)})
	}
	if len(options) > 0 {
		c.add("Press a button, or answer this message. (" + t.ID.String() + ")")
	} else {
		c.add("Answer this message to reply. (" + t.ID.String() + ")")
	}
	return c, nil
}

// body is the Markdown of the message among the pieces.
func (c *content) body() string {
	for _, p := range c.pieces {
		if p.Markdown != "" {
			return p.Markdown
		}
	}
	return ""
}

func clipLabel(s string) string {
	return parley.Clip(strings.Join(strings.Fields(markup.Clean(s)), " "), 40)
}

// shownArgs is how much of a call is shown with its buttons.
const shownArgs = 1500

func (b *Bridge) approval(ctx context.Context, p parley.ChatPost) (reading.Approval, error) {
	return b.Reading.Approval(ctx, b.as(p.Agent), parley.ApprovalRef{ID: p.Approval})
}

func (b *Bridge) approvalContent(ctx context.Context, p parley.ChatPost) (content, error) {
	a, err := b.approval(ctx, p)
	if err != nil {
		return content{}, err
	}
	c := content{file: a.ID.String()}
	c.add(fmt.Sprintf("%s: %s", a.ID, b.wants(ctx, a)))
	if a.Reason != "" {
		c.add("Why it is asked: " + parley.Clip(a.Reason, 300))
	}
	args := parley.ReadableArgs(a.Args)
	shown := cut(args, shownArgs)
	c.pieces = append(c.pieces, markup.Piece{Code: shown})
	if left := utf8.RuneCountInString(args) - utf8.RuneCountInString(shown); left > 0 {
		c.add(fmt.Sprintf("%d more characters are not shown here.", left))
	}
	if a.State != parley.ApprovalPending {
		c.add(b.decided(ctx, a))
		return c, nil
	}
	if !a.Decides {
		return c, nil
	}
	about := a.Name + " " + a.ShortDigest()
	c.buttons = []Button{{Label: "Approve", Data: pressApprove + " " + about}, {Label: "Deny", Data: pressDeny + " " + about},
		{Label: "Deny, saying why", Data: pressWhy + " " + about, Prompt: "Why not?"}, {Label: "Show all", Data: pressShow + " " + about}}
	return c, nil
}

// wants says in a few words what an agent wants.
func (b *Bridge) wants(ctx context.Context, a reading.Approval) string {
	who := b.Reading.Name(ctx, a.Agent)
	if a.Target != 0 {
		return who + " wants to contact " + b.Reading.Name(ctx, a.Target) + "."
	}
	return who + " wants to use " + a.Tool + "."
}

// decided says what came of an approval.
func (b *Bridge) decided(ctx context.Context, a reading.Approval) string {
	text := "It was " + a.State.String()
	if a.DecidedBy != 0 {
		text += " by " + b.Reading.Name(ctx, a.DecidedBy)
	}
	if a.Comment != "" {
		text += ": " + parley.Clip(a.Comment, 300)
	}
	return strings.TrimRight(text, ".") + "."
}

func (b *Bridge) payloadContent(ctx context.Context, p parley.ChatPost) (content, error) {
	a, err := b.approval(ctx, p)
	if err != nil {
		return content{}, err
	}
	c := content{file: a.ID.String()}
	c.add(fmt.Sprintf("%s: %s", a.ID, b.wants(ctx, a)))
	c.pieces = append(c.pieces, markup.Piece{Code: parley.ReadableArgs(a.Args)})
	return c, nil
}

// mostTasks is how many tasks a list has.
const mostTasks = 15

func (b *Bridge) tasksContent(ctx context.Context, p parley.ChatPost) (content, error) {
	list, err := b.Reading.Tasks(ctx, b.as(p.Agent), reading.TaskFilter{Open: true, Limit: mostTasks + 1})
	if err != nil {
		return content{}, err
	}
	c := content{file: "tasks"}
	if len(list) == 0 {
		c.add("Nothing is open.")
		return c, nil
	}
	var lines []string
	for _, t := range list[:min(len(list), mostTasks)] {
		lines = append(lines, fmt.Sprintf("%s, %s, %s: %s", t.ID, b.Reading.Name(ctx, t.Agent), t.State, parley.Clip(strings.Join(strings.Fields(t.Title), " "), 80)))
	}
	if len(list) > mostTasks {
		lines = append(lines, "There are more.")
	}
	c.add(strings.Join(lines, "\n"))
	return c, nil
}

// caller is the person of a post, under the key of an event.
func (b *Bridge) caller(person parley.AgentID, key string) access.Caller {
	c := b.as(person)
	c.Key = key
	return c
}
