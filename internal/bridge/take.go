package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/internal/contact"
	"parley/internal/store"
	"parley/internal/token"
)

// inbox takes events for a bridge.
type inbox struct{ *Bridge }

func (in inbox) Up(ctx context.Context) { in.say(ctx, nil) }

func (in inbox) Conversations(ctx context.Context) (list []string, err error) {
	for at := range in.mapped {
		list = append(list, at.Conversation)
	}
	err = in.Store.View(ctx, func(tx *store.Tx) error {
		accounts, err := in.accounts(tx)
		for _, c := range accounts {
			if c.Conversation != "" {
				list = append(list, c.Conversation)
			}
		}
		return err
	})
	return list, err
}

func (in inbox) Position(ctx context.Context, conversation string) (position string, err error) {
	err = in.Store.View(ctx, func(tx *store.Tx) (err error) {
		position, err = tx.ChatPosition(in.Team.ID, in.name, conversation)
		return err
	})
	return position, err
}

// taking is one event that is dealt with.
type taking struct {
	*Bridge
	Event
	person parley.ChatAccount // whose account it is
	key    string             // of the use case

	// What comes of it is stored together with the event.
	posts  []parley.ChatPost
	made   parley.MessageID
	record []parley.Event
	answer string // to who pressed a button
}

// Take deals with an event: it calls one use case as the person whose account it is. The
// event's id is the key of that, so the same event does nothing twice; and what is to be
// answered is stored with the event, once.
func (in inbox) Take(ctx context.Context, e Event) (string, error) {
	t := &taking{Bridge: in.Bridge, Event: e, key: fmt.Sprintf("chat-event/%s/%s", in.name, e.ID)}
	if e.ID == "" || len(e.ID) > 200 {
		return "", fmt.Errorf("the event has no usable id")
	}
	known, linked, err := t.look(ctx)
	if err != nil || known {
		return "", err
	}
	if done, err := t.exposed(ctx); err != nil || done {
		return "", err
	}
	if !linked {
		return "", t.stranger(ctx)
	}
	if err := t.hear(ctx); err != nil {
		if ctx.Err() != nil || !t.hopeless(err) {
			return "", err
		}
		t.tell("I could not deal with this because of an internal error; the hub's log has the details.")
	}
	return t.answer, t.store(ctx)
}

// mostTries is how often an event is tried that fails by the hub's own fault. After that
// the next ones have their chance.
const mostTries = 10

func (t *taking) hopeless(err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failing != t.ID {
		t.failing, t.fails = t.ID, 0
	}
	t.fails++
	if t.fails < mostTries {
		return false
	}
	t.Log.Error("something that was said in a chat was given up", "event", t.ID, "error", err)
	return true
}

// look finds out whether the event was dealt with, and whose account it is from.
func (t *taking) look(ctx context.Context) (known, linked bool, err error) {
	err = t.Store.View(ctx, func(tx *store.Tx) error {
		if known, err = tx.ChatEventKnown(t.Team.ID, t.name, t.ID); err != nil || known {
			return err
		}
		t.person, linked, err = t.account(tx, t.Account.ID)
		return err
	})
	return known, linked, err
}

// store notes that the event was dealt with, and what it brought about.
func (t *taking) store(ctx context.Context) error {
	err := t.change(ctx, func(tx *store.Tx, _ *store.Bridge) error { return t.put(tx) })
	t.wakeSender()
	return err
}

func (t *taking) put(tx *store.Tx) error {
	first, err := tx.TakeChatEvent(store.ChatEvent{Team: t.Team.ID, Program: t.name, Event: t.ID, Conversation: t.Place.Conversation, Posted: t.said(), Message: t.made})
	if err != nil || !first {
		return err
	}
	for _, p := range t.posts {
		tx.InsertChatPost(p)
	}
	for _, e := range t.record {
		tx.Record(e)
	}
	t.moveOn(tx)
	return nil
}

// moveOn notes how far the history of the conversation was heard, whoever said it.
func (t *taking) moveOn(tx *store.Tx) {
	if t.Position != "" {
		tx.SetChatPosition(t.Team.ID, t.name, t.Place.Conversation, t.Position)
	}
}

// said is the chat message that the event is, if it is one.
func (t *taking) said() string {
	if t.Kind == Said {
		return t.Message
	}
	return ""
}

// post has something posted where the event came from. Each event has a few at most, and
// names them.
func (t *taking) post(name string, p parley.ChatPost) {
	p.Team, p.Program, p.Conversation, p.Thread = t.Team.ID, t.name, t.Place.Conversation, t.Place.Thread
	p.Key = "answer/" + t.ID + "/" + name
	if p.ReplyTo == "" && !t.Private && t.Kind == Said {
		p.ReplyTo = t.Message
	}
	if t.Private && p.Agent == 0 {
		p.Agent = t.person.Agent
	}
	t.posts = append(t.posts, p)
}

// tell answers with a few words.
func (t *taking) tell(format string, args ...any) {
	t.post("note", parley.ChatPost{Kind: parley.ChatNote, Text: cut(fmt.Sprintf(format, args...), 1500)})
}

// hear deals with an event of somebody who is known. Only what is not the person's doing
// is an error: then the event is given again.
func (t *taking) hear(ctx context.Context) error {
	var err error
	switch t.Kind {
	case Said:
		err = t.hearSaid(ctx)
	case Edited:
		err = t.hearEdited(ctx)
	case Deleted:
		err = t.hearDeleted(ctx)
	case Pressed:
		err = t.hearPressed(ctx)
	}
	if err == nil || parley.KindOf(err) == parley.Internal {
		return err
	}
	text := parley.Public(err)
	if t.Kind == Pressed {
		t.answer = text
		return nil
	}
	t.tell("%s", text)
	return nil
}

func (t *taking) hearSaid(ctx context.Context) error {
	text := strings.TrimSpace(t.Text)
	if t.Left != "" {
		text = strings.TrimSpace(text + "\n\n(A " + line(t.Left, 40) + " was attached, which does not come through.)")
	}
	if text == "" {
		return nil
	}
	if code, ok := codeIn(text); ok && t.Private {
		if known, err := t.isCode(ctx, code); err != nil || known {
			if known {
				t.tell("You are %s here already.", t.Reading.Name(ctx, t.person.Agent))
			}
			return err
		}
	}
	if name, rest, ok := command(text); ok && !t.Quoted {
		return t.command(ctx, name, rest)
	}
	if t.ReplyTo != "" {
		if done, err := t.reply(ctx, text); done || err != nil {
			return err
		}
	}
	if channel, ok := t.channel(); ok {
		return t.say(ctx, channel, text)
	}
	if !t.Private {
		if t.Addressed {
			t.tell("This chat is not connected to a channel. Its id is %s; see docs/bridges.md.", t.Place.Conversation)
		}
		return nil
	}
	return t.talk(ctx, "", text, 0)
}

// isCode reports whether a text is a code that links, which is nobody else's business.
func (t *taking) isCode(ctx context.Context, code string) (known bool, err error) {
	err = t.Store.View(ctx, func(tx *store.Tx) (err error) {
		known, err = tx.ChatCodeKnown(token.Hash(code))
		return err
	})
	return known, err
}

// channel is the group channel that the event's place is mapped to.
func (t *taking) channel() (string, bool) { return t.mappedTo(t.Place) }

// mappedTo is the group channel that a place is mapped to.
func (b *Bridge) mappedTo(at Place) (string, bool) {
	name, ok := b.mapped[at]
	if !ok {
		name, ok = b.mapped[Place{Conversation: at.Conversation}] // any thread of it
	}
	return name, ok
}

// say posts in a channel. Who mentions the bot and nobody else means the lead.
func (t *taking) say(ctx context.Context, channel, text string) error {
	if t.Addressed && t.Lead != "" && !strings.Contains(text, "@") {
		text = "@" + t.Lead + " " + text
	}
	posted, err := t.Contacts.Post(ctx, t.as(t.person.Agent), contact.Post{Channel: channel, Message: text, Attach: true, Key: t.origin(t.Place, t.Message)})
	if err != nil {
		return err
	}
	t.made = posted.Message
	if len(posted.Away)+len(posted.Misspelt)+len(posted.Unstarted) > 0 {
		t.tell("%s", posted.Text(func(id parley.AgentID) string { return t.Reading.Name(ctx, id) }))
	}
	return nil
}

// talk hands something to an agent: the one that is named, or the one at the beginning of
// the text, or the lead.
func (t *taking) talk(ctx context.Context, name, text string, thread parley.ThreadID) error {
	if name == "" {
		name, text = t.addressed(text)
	}
	if name == "" {
		t.tell("Whom is this for? Begin with @name, or answer a message of the one you mean.")
		return nil
	}
	made, err := t.Contacts.Delegate(ctx, t.as(t.person.Agent), t.request(name, text, thread))
	t.made = made.Message
	return err
}

func (t *taking) request(name, text string, thread parley.ThreadID) contact.Request {
	r := contact.Request{Target: name, Message: text, Attach: true, Key: t.origin(t.Place, t.Message)}
	if thread != 0 {
		r.Thread = contact.ThreadChoice{Reuse: true, ID: thread}
	}
	return r
}

// addressed takes the addressee from the beginning of a text; the lead if there is none.
func (t *taking) addressed(text string) (name, rest string) {
	if !strings.HasPrefix(text, "@") {
		return t.Lead, text
	}
	if name, rest, ok := t.named(text[1:]); ok {
		return name, rest
	}
	first, rest, _ := strings.Cut(text[1:], " ")
	return strings.TrimRight(first, ",:"), strings.TrimSpace(rest) // the use case names the nearest ones
}

// named takes a name from the beginning of a text.
func (t *taking) named(text string) (name, rest string, ok bool) {
	caller := t.as(t.person.Agent)
	folded, size := parley.MentionAt("", text, func(folded string) bool { _, _, ok := t.Reading.Named(caller, folded); return ok })
	if size == 0 {
		return "", text, false
	}
	name, _, _ = t.Reading.Named(caller, folded)
	return name, strings.TrimSpace(strings.TrimLeft(text[size:], " ,:\n")), true
}

// reply deals with an answer to a chat message. It reports whether that was all.
func (t *taking) reply(ctx context.Context, text string) (done bool, err error) {
	p, ours, err := t.answered(ctx)
	if err != nil || !ours {
		return false, err
	}
	switch p.Kind {
	case parley.ChatPrompt:
		return true, t.press(ctx, p.Text, text)
	case parley.ChatQuestion:
		return true, t.respond(ctx, p, text)
	case parley.ChatApproval:
		t.tell("Only the buttons decide. To deny with a reason, press \"Deny, saying why\".")
		return true, nil
	case parley.ChatMessage:
		if !t.Private {
			return false, nil
		}
		return t.replyTo(ctx, p, text)
	}
	return false, nil
}

// answered finds the post that the event answers. What has just been posted may not be
// noted yet.
func (t *taking) answered(ctx context.Context) (p parley.ChatPost, ours bool, err error) {
	for began := time.Now(); ; {
		noting := false
		err = t.Store.View(ctx, func(tx *store.Tx) error {
			p, err = tx.PostedAs(t.Team.ID, t.name, t.Place.Conversation, t.ReplyTo)
			if ours = err == nil; ours || !errors.Is(err, store.ErrNotFound) {
				return err
			}
			next, err := tx.NextChatPosts(t.Team.ID, t.name)
			noting = slices.ContainsFunc(next, func(p parley.ChatPost) bool {
				return p.Conversation == t.Place.Conversation && p.State == parley.ChatTried && p.Tries == 0
			})
			return err
		})
		if err != nil || ours || !noting || time.Since(began) > noteTime || ctx.Err() != nil {
			return p, ours, err
		}
		pause(ctx, 10*time.Millisecond, nil)
	}
}

// noteTime is how long a post may take to be noted.
const noteTime = 2 * time.Second

// respond answers what the person was asked.
func (t *taking) respond(ctx context.Context, p parley.ChatPost, text string) error {
	m, err := t.Reading.Message(ctx, t.as(t.person.Agent), p.Message)
	if err != nil {
		return err
	}
	_, options := parley.Choices(m.Body)
	return t.Contacts.Reply(ctx, t.caller(t.person.Agent, t.key), p.Task, parley.Chosen(text, options))
}

// replyTo goes on talking with the author of a message, in its thread.
func (t *taking) replyTo(ctx context.Context, p parley.ChatPost, text string) (bool, error) {
	s, err := t.Bridge.said(ctx, p.Message)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if s.place != "" {
		return true, t.say(ctx, s.place, text)
	}
	if s.from.Kind == ByHub {
		return false, nil
	}
	if s.from.Kind == ByPerson {
		made, err := t.Contacts.Notify(ctx, t.as(t.person.Agent), t.request(s.from.Name, text, 0))
		t.made = made.Message
		return true, err
	}
	return true, t.talk(ctx, s.from.Name, text, s.Thread)
}

// hearEdited records that a chat message was changed, and says what it says now. What was
// said stays, since somebody may have read it.
func (t *taking) hearEdited(ctx context.Context) error {
	s, ok, err := t.earlier(ctx)
	if err != nil || !ok {
		return err
	}
	t.note(parley.EventChatEdited, s.ID)
	text := strings.TrimSpace(t.Text)
	if text == "" || text == strings.TrimSpace(s.text) {
		return nil
	}
	text = fmt.Sprintf("Correction of %s: %s", s.ID, strings.ReplaceAll(text, "@", "@\u2060")) // it calls nobody again
	key := t.origin(t.Place, t.Message) + "/edit/" + escape(t.ID)
	if s.place != "" {
		_, err = t.Contacts.Post(ctx, t.as(t.person.Agent), contact.Post{Channel: s.place, Message: text, Attach: true, Key: key})
		return err
	}
	r := t.request(s.to, text, 0)
	r.Key = key
	_, err = t.Contacts.Notify(ctx, t.as(t.person.Agent), r)
	return err
}

func (t *taking) hearDeleted(ctx context.Context) error {
	s, ok, err := t.earlier(ctx)
	if err == nil && ok {
		t.note(parley.EventChatDeleted, s.ID)
	}
	return err
}

// note records what happened to a chat message of the person's.
func (t *taking) note(kind parley.EventKind, id parley.MessageID) {
	t.record = append(t.record, parley.Event{Team: t.Team.ID, Kind: kind, Actor: t.person.Agent, Message: id, Detail: "in " + t.name})
}

// earlier is what a chat message became that is changed now: a message of the same person.
func (t *taking) earlier(ctx context.Context) (s earlier, ok bool, err error) {
	var known store.ChatEvent
	err = t.Store.View(ctx, func(tx *store.Tx) (err error) {
		known, err = tx.ChatSaid(t.Team.ID, t.name, t.Place.Conversation, t.Message)
		return err
	})
	if err == nil {
		s.said, err = t.Bridge.said(ctx, known.Message)
	}
	if errors.Is(err, store.ErrNotFound) {
		return s, false, nil
	}
	if err != nil || s.Author != t.person.Agent {
		return s, false, err
	}
	if s.place == "" && s.Task != 0 {
		s.to = t.Reading.Name(ctx, s.task.Agent)
	}
	return s, s.place != "" || s.to != "", nil
}

// earlier is a message and whom it was for.
type earlier struct {
	said
	to string
}

// line makes one line of what somebody outside chose.
func line(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return parley.Clip(strings.Join(strings.Fields(s), " "), most)
}

// cut cuts a text that is too long, and leaves its lines as they are.
func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// day is how often a stranger is told.
const day = 24 * time.Hour
