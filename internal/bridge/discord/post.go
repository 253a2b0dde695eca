package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"parley/internal/bridge"
	"parley/internal/bridge/markup"
)

// Flags of messages.
const (
	suppressEmbeds = 1 << 2 // links show no previews
	ephemeral      = 1 << 6 // for one person
)

// in is the channel that a post goes to: a thread is one of its own.
func in(at bridge.Place) string {
	if at.Thread != "" {
		return at.Thread
	}
	return at.Conversation
}

// object is something in JSON.
type object = map[string]any

// silent has no text call anybody.
func silent() object { return object{"parse": []string{}, "replied_user": false} }

// body is what a post says.
func body(post bridge.Post) content {
	o := object{"content": whole(post), "flags": suppressEmbeds, "allowed_mentions": silent(), "components": buttons(post)}
	if post.File != nil {
		o["attachments"] = []object{{"id": 0, "filename": post.File.Name}}
	}
	return content{json: o, file: post.File}
}

// Post posts a message. Its key is the nonce: within some minutes Discord makes no second
// message with it, and returns the one that there is.
func (p *Program) Post(ctx context.Context, post bridge.Post) (string, error) {
	if !isID(in(post.To)) {
		return "", &bridge.Failure{Reason: "the id of a channel in Discord is a number; correct it in parley.yaml", Refused: true}
	}
	c := body(post)
	o := c.json.(object)
	o["nonce"], o["enforce_nonce"] = post.Key, true
	if isID(post.ReplyTo) && post.ReplyTo != post.To.Thread {
		o["message_reference"] = object{"message_id": post.ReplyTo, "fail_if_not_exists": false}
	}
	var got message
	err := p.call(ctx, http.MethodPost, "channels/"+in(post.To)+"/messages", c, &got)
	if k := code(err); o["message_reference"] != nil && (k == cannotReply || k == invalidForm) {
		delete(o, "message_reference") // what it answers is not there any more
		err = p.call(ctx, http.MethodPost, "channels/"+in(post.To)+"/messages", c, &got)
	}
	if err == nil && !isID(got.ID) {
		err = errors.New("discord did not say which message it has made")
	}
	if err != nil {
		return "", err
	}
	return got.ID, p.refresh(ctx, got, post)
}

// refresh has a post say what it has to say now: one that was there already may say what
// was so then.
func (p *Program) refresh(ctx context.Context, got message, post bridge.Post) error {
	if strings.TrimSpace(got.Content) == strings.TrimSpace(whole(post)) && len(got.marks()) == len(post.Buttons) {
		return nil
	}
	if err := p.Edit(ctx, got.ID, post); err != nil {
		return fmt.Errorf("a message that was posted could not be brought up to date: %s", err.Error())
	}
	return nil
}

// mark is what the buttons of a post have in common, and no others have.
func mark(key string) string {
	sum := sha256.Sum256([]byte(key))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}

// perRow is how many buttons a row holds, and mostButtons how many a message has.
const perRow, mostButtons = 5, 25

// buttons are the rows of buttons of a post. Each has the mark of the post, what it sends,
// and what it asks for.
func buttons(post bridge.Post) []object {
	rows := []object{}
	list := post.Buttons[:min(len(post.Buttons), mostButtons)]
	for from := 0; from < len(list); from += perRow {
		var row []object
		for i, b := range list[from:min(from+perRow, len(list))] {
			id := fmt.Sprintf("%s.%d\n%s", mark(post.Key), from+i, b.Data)
			if b.Prompt != "" {
				id += "\n" + b.Prompt
			}
			for len(id) > 100 {
				id = markup.Cut(id, len([]rune(id))-1)
			}
			row = append(row, object{"type": 2, "style": 2, "label": markup.Cut(b.Label, 80), "custom_id": id})
		}
		rows = append(rows, object{"type": 1, "components": row})
	}
	return rows
}

// Edit replaces what a post says, and its file.
func (p *Program) Edit(ctx context.Context, id string, post bridge.Post) error {
	route := "channels/" + in(post.To) + "/messages/" + id
	if post.Text == "" {
		return gone(p.call(ctx, http.MethodDelete, route, content{}, nil))
	}
	c := body(post)
	if post.File == nil {
		c.json.(object)["attachments"] = []object{} // those that there were are taken away
	}
	return gone(p.call(ctx, http.MethodPatch, route, c, nil))
}

// gone drops an error that says that there is nothing to change any more.
func gone(err error) error {
	switch code(err) {
	case unknownChannel, unknownMessage, missingAccess, cannotEdit, archived:
		return nil
	}
	return err
}

// clocks is how far the hub's clock may be ahead of Discord's.
const clocks = 5 * time.Minute

// Settle finds out what became of a post. Soon after it was tried it can be tried again
// under its nonce. Later it is looked for in the history: by its nonce as long as Discord
// keeps that, by the mark of its buttons, or as a message of the bot with the same words.
func (p *Program) Settle(ctx context.Context, post bridge.Post) (bridge.Settled, error) {
	if age := time.Since(post.Tried); age >= 0 && age < p.cfg.Timing.Window {
		return bridge.Harmless, nil
	}
	me, err := p.self(ctx)
	if err != nil {
		return bridge.Unknown, err
	}
	post.Tried = post.Tried.Add(time.Duration(p.ahead.Load())) // as Discord's clock had it
	list, err := p.after(ctx, in(post.To), numberAt(post.Tried.Add(-clocks)))
	switch {
	case unseen(err):
		return bridge.Absent, nil // trying it again says why it cannot be posted
	case err != nil:
		return bridge.Unknown, err
	}
	for _, m := range list {
		if m.Author == nil || m.Author.ID != me {
			continue
		}
		is, err := same(ctx, m, post)
		if err != nil {
			return bridge.Unknown, err
		}
		if is {
			if err := p.refresh(ctx, m, post); err != nil {
				return bridge.Unknown, err
			}
			return bridge.Unknown, &bridge.Found{ID: m.ID}
		}
	}
	return bridge.Absent, nil
}

// same reports whether a message of the bot is a post. Posts of one channel are made one
// after the other, so one with the same words that is not older, and that is no other post,
// is this one.
func same(ctx context.Context, m message, post bridge.Post) (bool, error) {
	if nonce := m.nonce(); nonce != "" {
		return nonce == post.Key, nil
	}
	if marks := m.marks(); len(marks) > 0 {
		return marks[0] == mark(post.Key), nil
	}
	if m.Interaction != nil || timeOf(m.ID).Before(post.Tried.Add(-skew)) || strings.TrimSpace(m.Content) != strings.TrimSpace(whole(post)) {
		return false, nil
	}
	if post.Known == nil {
		return true, nil
	}
	known, err := post.Known(ctx, m.ID)
	return !known, err
}

// skew is how much of a difference between the clocks may be left when a post is known by
// its words alone.
const skew = 3 * time.Second

// message is one in a channel.
type message struct {
	ID          string
	ChannelID   string `json:"channel_id"`
	GuildID     string `json:"guild_id"`
	Type        int
	Content     string
	Nonce       json.RawMessage
	WebhookID   string `json:"webhook_id"`
	EditedAt    string `json:"edited_timestamp"`
	Author      *user
	Mentions    []user
	Attachments []struct {
		ContentType string `json:"content_type"`
	}
	Stickers   []struct{} `json:"sticker_items"`
	Poll       *struct{}
	Reference  *reference                  `json:"message_reference"`
	Snapshots  []struct{ Message message } `json:"message_snapshots"`
	Components []struct {
		Components []struct {
			CustomID string `json:"custom_id"`
		}
	}
	Interaction *struct{} `json:"interaction_metadata"`
}

// reference is another message: one that is answered, or passed on.
type reference struct {
	Type      int
	MessageID string `json:"message_id"`
	ChannelID string `json:"channel_id"`
}

type user struct {
	ID, Username string
	GlobalName   string `json:"global_name"`
	Bot, System  bool
}

func (u user) name() string {
	if u.GlobalName != "" {
		return u.GlobalName
	}
	return u.Username
}

// nonce is text or a number.
func (m message) nonce() string {
	s := strings.Trim(string(m.Nonce), `"`)
	if s == "null" {
		return ""
	}
	return s
}

// marks are those of the buttons.
func (m message) marks() (list []string) {
	for _, row := range m.Components {
		for _, c := range row.Components {
			mark, _, _ := strings.Cut(c.CustomID, ".")
			list = append(list, mark)
		}
	}
	return list
}
