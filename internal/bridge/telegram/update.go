package telegram

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/bridge"
)

// The types of the Bot API, as far as they are read.

type update struct {
	ID       int64          `json:"update_id"`
	Message  *message       `json:"message"`
	Edited   *message       `json:"edited_message"`
	Callback *callbackQuery `json:"callback_query"`
}

type user struct {
	ID        int64  `json:"id"`
	Bot       bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Username  string `json:"username"`
}

type chat struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

type message struct {
	ID       int64     `json:"message_id"`
	Thread   int64     `json:"message_thread_id"`
	InTopic  bool      `json:"is_topic_message"`
	From     *user     `json:"from"`
	Chat     chat      `json:"chat"`
	ReplyTo  *message  `json:"reply_to_message"`
	Forward  *struct{} `json:"forward_origin"`
	ViaBot   *user     `json:"via_bot"`
	Text     string    `json:"text"`
	Caption  string    `json:"caption"`
	Photo    []any     `json:"photo"`
	Document any       `json:"document"`
	Voice    any       `json:"voice"`
	Audio    any       `json:"audio"`
	Video    any       `json:"video"`
	Sticker  any       `json:"sticker"`
	Location any       `json:"location"`
	Contact  any       `json:"contact"`
	Poll     any       `json:"poll"`
}

type callbackQuery struct {
	ID      string   `json:"id"`
	From    user     `json:"from"`
	Message *message `json:"message"`
	Data    string   `json:"data"`
}

type botCommand struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

// event is what an update means. Updates by bots, and those without words, mean nothing.
func (u update) event(me user) (e bridge.Event, ok bool) {
	// Numbers of updates are those of one bot.
	e.ID = fmt.Sprintf("%d:%d", me.ID, u.ID)
	switch {
	case u.Callback != nil:
		return u.Callback.event(e)
	case u.Message != nil:
		e.Kind = bridge.Said
		return u.Message.event(e, me)
	case u.Edited != nil:
		e.Kind = bridge.Edited
		return u.Edited.event(e, me)
	}
	return e, false
}

func (q *callbackQuery) event(e bridge.Event) (bridge.Event, bool) {
	if q.From.Bot || q.Message == nil {
		return e, false
	}
	e.Kind, e.Data, e.Account = bridge.Pressed, q.Data, q.From.account()
	e.Place, e.Private, e.Message = q.Message.place(), q.Message.Chat.Type == "private", number(q.Message.ID)
	return e, true
}

func (m *message) event(e bridge.Event, me user) (bridge.Event, bool) {
	if m.From == nil || m.From.Bot {
		return e, false
	}
	e.Account, e.Place, e.Private, e.Message = m.From.account(), m.place(), m.Chat.Type == "private", number(m.ID)
	if m.ReplyTo != nil && !(m.InTopic && m.ReplyTo.ID == m.Thread) { // every message of a topic answers its first
		e.ReplyTo = number(m.ReplyTo.ID)
	}
	e.Text = m.Text
	if e.Text == "" {
		e.Text = m.Caption
	}
	if forAnother(e.Text, me.Username) {
		return e, false
	}
	e.Text, e.Addressed = without(e.Text, me.Username)
	e.Quoted, e.Left = m.Forward != nil || m.ViaBot != nil, m.left()
	return e, e.Text != "" || e.Left != "" || e.Addressed
}

func (m *message) place() bridge.Place {
	at := bridge.Place{Conversation: number(m.Chat.ID)}
	if m.InTopic {
		at.Thread = number(m.Thread)
	}
	return at
}

// left names what does not come through.
func (m *message) left() string {
	for _, one := range []struct {
		is   bool
		name string
	}{
		{m.Photo != nil, "photo"}, {m.Document != nil, "file"}, {m.Voice != nil, "voice message"}, {m.Audio != nil, "recording"},
		{m.Video != nil, "video"}, {m.Location != nil, "place"}, {m.Contact != nil, "contact"}, {m.Poll != nil, "poll"},
	} {
		if one.is {
			return one.name
		}
	}
	return ""
}

func (u *user) account() bridge.Account {
	name := strings.TrimSpace(u.FirstName + " " + u.LastName)
	if u.Username != "" {
		name += " (@" + u.Username + ")"
	}
	return bridge.Account{ID: number(u.ID), Name: strings.TrimSpace(name)}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// without takes the bot's own name out of a text, and reports whether it was there.
func without(text, bot string) (string, bool) {
	name, found := "@"+bot, false
	for at := 0; bot != "" && at+len(name) <= len(text); at++ {
		if !strings.EqualFold(text[at:at+len(name)], name) {
			continue
		}
		after, size := utf8.DecodeRuneInString(text[at+len(name):])
		if size > 0 && (unicode.IsLetter(after) || unicode.IsDigit(after) || after == '_') {
			continue // a longer name
		}
		text, found = text[:at]+strings.TrimLeft(text[at+len(name):], " ,:"), true
	}
	return strings.TrimSpace(text), found
}

// forBot is a command that names a bot. The names of bots end so.
var forBot = regexp.MustCompile(`(?i)^/[a-z0-9_]{1,32}@([a-z0-9_]{2,30}bot)(\s|$)`)

// forAnother reports whether a text is a command for another bot of the same chat.
func forAnother(text, bot string) bool {
	m := forBot.FindStringSubmatch(text)
	return m != nil && !strings.EqualFold(m[1], bot)
}
