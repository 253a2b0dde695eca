package slack

import (
	"context"
	"net/url"
	"strings"

	"parley/internal/bridge"
)

// slackbot is Slack's own bot, which looks like a person.
const slackbot = "USLACKBOT"

// events are what a message means: none if a bot said it, or Slack did something to it. A
// message that was changed is two: it was said, and then changed.
func (r *receiver) events(ctx context.Context, m message) ([]bridge.Event, error) {
	switch m.Subtype {
	case "", "file_share", "thread_broadcast", "me_message":
		return r.said(ctx, m)
	case "message_changed":
		if m.Message == nil || m.PreviousMessage != nil && m.PreviousMessage.Text == m.Message.Text {
			return nil, nil // such as a preview of a link, or a new answer
		}
		if m.Message.Subtype == "tombstone" { // it has answers, which stay
			return r.deleted(ctx, m), nil
		}
		m.Message.Channel = m.Channel
		return r.edited(ctx, *m.Message), nil
	case "message_deleted":
		return r.deleted(ctx, m), nil
	}
	return nil, nil
}

// deleted is the end of a message. Slack does not say who deleted it, which may be an
// admin: the account is the author's.
func (r *receiver) deleted(ctx context.Context, m message) []bridge.Event {
	if m.PreviousMessage == nil || r.ofBot(*m.PreviousMessage) {
		return nil
	}
	e := r.base(ctx, *m.PreviousMessage, m.Channel)
	e.Kind, e.ID = bridge.Deleted, "deleted/"+m.Channel+"/"+e.Message
	return []bridge.Event{e}
}

func (r *receiver) ofBot(m message) bool {
	return m.User == "" || m.User == r.me.User || m.User == slackbot || m.BotID != "" || m.AppID != "" || m.Subtype == "bot_message"
}

// base is what all events about a message have.
func (r *receiver) base(ctx context.Context, m message, channel string) bridge.Event {
	thread := m.ThreadTS
	if thread == m.TS {
		thread = "" // it begins one
	}
	return bridge.Event{
		Account: r.account(ctx, m.User, firstOf(m.UserTeam, m.SourceTeam, m.Team)),
		Place:   bridge.Place{Conversation: channel, Thread: thread},
		Private: strings.HasPrefix(channel, "D"),
		Message: m.TS,
	}
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// account is a user of this workspace, or one of another in a channel that both share.
// Users have numbers of their own in each workspace.
func (r *receiver) account(ctx context.Context, user, team string) bridge.Account {
	return bridge.Account{ID: firstOf(team, r.me.Team) + "." + user, Name: r.name(ctx, user)}
}

func (r *receiver) said(ctx context.Context, m message) ([]bridge.Event, error) {
	if r.ofBot(m) || !isStamp(m.TS) {
		return nil, nil
	}
	e := r.base(ctx, m, m.Channel)
	e.Kind, e.ID, e.Position = bridge.Said, "said/"+m.Channel+"/"+m.TS, m.TS
	r.content(ctx, m, &e)
	if e.Place.Thread != "" {
		answers, err := r.answered(ctx, e)
		if err != nil {
			return nil, err
		}
		e.ReplyTo = answers
	}
	r.threads.Put(m.Channel+"/"+m.TS, firstOf(e.Place.Thread, m.TS))
	return append([]bridge.Event{e}, r.edited(ctx, m)...), nil
}

// content reads what a message says.
func (r *receiver) content(ctx context.Context, m message, e *bridge.Event) {
	text := m.Text
	for _, a := range m.Attachments {
		if (a.IsShare || a.IsMsgUnfurl) && text == "" {
			text, e.Quoted = a.Text, true
		}
	}
	d := decode(text, r.me.User, func(user string) string { return r.name(ctx, user) })
	e.Text, e.Addressed = d.text, d.addressed
	if len(m.Files) > 0 {
		e.Left = "file"
		if strings.HasPrefix(m.Files[0].Mimetype, "image/") {
			e.Left = "picture"
		}
	}
}

// edited is the change of a message, if there was one by a person.
func (r *receiver) edited(ctx context.Context, m message) []bridge.Event {
	if m.Edited == nil || r.ofBot(m) {
		return nil
	}
	e := r.base(ctx, m, m.Channel)
	e.Kind, e.ID = bridge.Edited, "edited/"+m.Channel+"/"+m.TS+"/"+m.Edited.TS
	r.content(ctx, m, &e)
	e.Left = ""
	return []bridge.Event{e}
}

// answered is what a message in a thread answers: the newest post of the bot before it, or
// else the message that the thread began with. Slack itself does not know.
func (r *receiver) answered(ctx context.Context, e bridge.Event) (string, error) {
	if !e.Private {
		return e.Place.Thread, nil
	}
	key := e.Place.Conversation + "/" + e.Place.Thread
	if last, ok := r.answers.Get(key); ok && later(e.Message, last) {
		return last, nil
	}
	last := e.Place.Thread
	args := url.Values{"channel": {e.Place.Conversation}, "ts": {e.Place.Thread}, "latest": {e.Message}}
	err := r.history(ctx, "conversations.replies", args, func(got page) bool {
		for _, m := range got.Messages {
			if r.me.said(m) && len(m.Files) == 0 && later(m.TS, last) && later(e.Message, m.TS) {
				last = m.TS
			}
		}
		return true
	})
	return last, unlessMissing(err)
}
